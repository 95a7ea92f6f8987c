/* What findings name, as numbers: strings and call sites.  A number means something within one set of
 * findings only; what is equal for the reader of a report has one number, and the order of two numbers tells
 * nothing: compare by ws_names_compare_*. */
#ifndef WS_DIAGNOSIS_NAMES_H
#define WS_DIAGNOSIS_NAMES_H

#include "diagnosis/intern.h"
#include "trace/trace.h"

/* Where call sites are resolved: the trace, or a table in a test. */
struct ws_site_source {
    const struct ws_site *(*site)(void *context, int64_t index);
    void *context;
};
struct ws_site_source ws_sites_of(struct ws_trace *trace);

#define WS_NAMES_MEMORY 1024
struct ws_names {
    const char *process; /* what texts call a process: "rank" */
    struct ws_site_source sites;
    struct ws_interned strings;
    struct { /* a lasting string, by its address: findings name the same few again and again */
        const char *string;
        uint32_t number;
    } memory[WS_NAMES_MEMORY];
    uint32_t *near_spots; /* index in the trace, where it is small -> spot + 1; 0: not asked yet */
    size_t near_count;
    struct ws_interned site_names; /* index in the trace -> number */
    uint32_t *site_spots;          /* that number -> spot */
    size_t site_spot_count, site_spot_capacity;
    struct ws_interned spot_names; /* what tells spots apart -> number of the spot */
    /* Call sites by what the reader of a report can tell apart: file, line and function, else module and
     * offset.  Where several modules or offsets share a line, the least of them stands for all. */
    struct ws_site *spots; /* spot 0 is unknown */
    size_t spot_count, spot_capacity;
};

void ws_names_init(struct ws_names *names, struct ws_site_source sites);
void ws_names_release(struct ws_names *names);

uint32_t ws_names_string(struct ws_names *names, const char *string); /* NULL counts as "" */
const char *ws_names_text(const struct ws_names *names, uint32_t string);
/* The spot of a site from anywhere; its texts are copied. */
uint32_t ws_names_spot(struct ws_names *names, const struct ws_site *site);

uint32_t ws_names_learn(struct ws_names *names, const char *string);
uint32_t ws_names_new_site(struct ws_names *names, int64_t site);

static inline size_t ws_names_memory(const char *string)
{
    return (size_t)(((uintptr_t)string * UINT64_C(0x9E3779B97F4A7C15)) >> 32) % WS_NAMES_MEMORY;
}

/* As ws_names_string, of a string that lives and stays as it is as long as the names: of the trace, the
 * rules. */
static inline uint32_t ws_names_lasting(struct ws_names *names, const char *string)
{
    size_t at = ws_names_memory(string);
    return string && names->memory[at].string == string ? names->memory[at].number
                                                        : ws_names_learn(names, string);
}

/* The spot of a site of the trace. */
static inline uint32_t ws_names_site(struct ws_names *names, int64_t site)
{
    bool known = (uint64_t)site < names->near_count && names->near_spots[site];
    return known ? names->near_spots[site] - 1 : ws_names_new_site(names, site);
}

int ws_names_compare_strings(const struct ws_names *names, uint32_t a, uint32_t b);
int ws_names_compare_spots(const struct ws_names *names, uint32_t a, uint32_t b);

#endif
