/* Between the files of this room.  The engine's findings become instances (collect.c); each moment of a
 * rank is given to one of them (once.c); they are grouped by problem and call sites (group.c); the texts of
 * a group are filled over its instances (advice.c). */
#ifndef WS_DIAGNOSIS_FINDINGS_H
#define WS_DIAGNOSIS_FINDINGS_H

#include "diagnosis/diagnosis.h"
#include "diagnosis/intern.h"

#define WS_NO_RANK UINT32_MAX

/* One finding, as small as it gets: there may be millions. */
struct ws_instance {
    int64_t from_ns;
    int64_t duration_ns; /* as found; after ws_count_once what it keeps, perhaps 0 */
    size_t values;       /* its first template value in ws_findings.values */
    uint32_t rank;
    uint32_t cause_rank; /* WS_NO_RANK: no cause */
    uint32_t part;
};

/* A call site by what the reader of a report can tell apart: file and line, else module and offset. */
struct ws_spot {
    const char *function, *file, *module;
    int line;
    uint64_t offset;
};

/* A problem rule with its place in the order of the knowledge base. */
struct ws_ruling {
    const struct ws_problem_rule *rule;
    size_t description_places, advice_places; /* values stored for each instance, in this order */
};

struct ws_call_place { /* a call in a role: numbers in strings and spots */
    uint32_t role, called, spot;
};
struct ws_group {
    uint32_t scope;
    bool has_cause;
    struct ws_call_place waiting, cause;
    struct ws_call_place *others; /* distinct, at most WS_MOST_OTHERS */
    size_t other_count, other_capacity;
    /* of the instances that keep some time (group.c) */
    int64_t duration_ns;
    uint64_t count;
    uint32_t main_part; /* the one with the greatest share */
};
#define WS_MOST_OTHERS 8

struct ws_part { /* the instances of a group that one rule found */
    uint32_t group, ruling;
    int64_t duration_ns;
};

/* Where call sites are resolved: the trace, or a table in a test. */
struct ws_site_source {
    const struct ws_site *(*site)(void *context, int64_t index);
    void *context;
};

struct ws_findings {
    const struct ws_kb *kb;
    struct ws_site_source sites;
    struct ws_ruling *rulings; /* in the order of the knowledge base */
    size_t ruling_count;
    struct ws_instance *instances; /* in order of arrival */
    size_t count, capacity;
    union ws_value *values;
    size_t value_count, value_capacity;
    struct ws_interned strings;
    struct ws_interned site_names; /* index in the trace -> number */
    uint32_t *site_spots;          /* that number -> spot */
    size_t site_spot_count, site_spot_capacity;
    struct ws_interned spot_names; /* what tells spots apart -> number of the spot */
    struct ws_spot *spots;         /* spot 0 is unknown */
    size_t spot_count, spot_capacity;
    struct ws_interned group_names; /* key -> group */
    struct ws_group *groups;
    size_t group_count, group_capacity;
    struct ws_interned part_names;
    struct ws_part *parts;
    size_t part_count, part_capacity;
};

/* collect.c */
void ws_findings_init(struct ws_findings *findings, const struct ws_kb *kb, struct ws_site_source sites);
/* The engine's sink; context is the struct ws_findings. */
void ws_findings_add(void *context, const struct ws_finding *finding);
void ws_findings_free(struct ws_findings *findings);
uint32_t ws_findings_spot(struct ws_findings *findings, int64_t site);

/* once.c: gives each moment of a rank to one instance: the longest first; of equally long ones the
 * earlier rule in the knowledge base, then the earlier finding. */
void ws_count_once(const struct ws_findings *findings, struct ws_instance *instances, size_t count);

/* group.c: after ws_count_once; fills problems, small_count, small_ns by the diagnosis' total_ns and
 * threshold_percent. */
void ws_findings_group(struct ws_findings *findings, struct ws_diagnosis *diagnosis);

/* advice.c: the places to fill in a text, their values for one finding, and the text over the instances of
 * a group, whose values of this template begin at rows[i][first]. */
size_t ws_template_places(const struct ws_template *text);
void ws_template_read(struct ws_findings *findings, const struct ws_template *text,
                      const struct ws_finding *finding, union ws_value *values);
const char *ws_template_fill(const struct ws_findings *findings, const struct ws_problem_rule *rule,
                             const struct ws_template *text, const union ws_value *const *rows,
                             size_t row_count, size_t first, struct ws_arena *arena);

/* a + b, at most INT64_MAX: a damaged trace may claim any duration.  Both not negative. */
static inline int64_t ws_add_ns(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif
