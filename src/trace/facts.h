/* What the first reading finds out about a trace.  Where several members read it, each knows of its own
 * ranks: their facts are packed and merged, in the order of the ranks.  Then comes what is told of the trace.
 */
#ifndef WS_TRACE_FACTS_H
#define WS_TRACE_FACTS_H

#include "trace/clock.h"
#include "trace/strings.h"
#include "trace/trace.h"
#include "trace/warnings.h"

struct ws_rank_facts {
    struct ws_trace_rank rank;
    bool begun;
    uint32_t size; /* of MPI_COMM_WORLD, as it says; 0: unknown */
    uint64_t incomplete;
    uint32_t clock; /* number of the clock that its times are of, from 1; 0: unknown */
    enum ws_alignment alignment;
    int64_t clock_error_ns; /* of the comparison with rank 0's */
    int64_t clock_off_ns;   /* what the kernel's clock advanced more than the recorder's */
    const char *library, *executable;
};
struct ws_file_facts { /* a file in the folder of the streams that was not read */
    const char *name, *text;
    bool stream; /* it should have been one */
};
struct ws_facts {
    const char *process, *end;   /* "rank"; "MPI_Finalize", which a process ends by */
    struct ws_strings *strings;  /* own all texts */
    struct ws_rank_facts *ranks; /* that left a stream that can be opened, ascending */
    size_t rank_count, rank_capacity;
    struct ws_file_facts *files; /* by name */
    size_t file_count, file_capacity;
    const char **damages; /* a sentence each, by rank */
    size_t damage_count, damage_capacity;
    const char **modules; /* paths, as they appear */
    size_t module_count, module_capacity;
    struct ws_counted *counted; /* texts from strings */
    size_t counted_count, counted_capacity;
    uint64_t untranslated, overlaps;
    bool growing; /* the run goes on: what is not there yet is not missing */
};

/* No more sentences of a kind than can be told (trace/warnings.h). */
void ws_facts_add_file(struct ws_facts *facts, struct ws_file_facts file);
void ws_facts_add_damage(struct ws_facts *facts, const char *text);
void ws_facts_add_module(struct ws_facts *facts, const char *path); /* from strings */
void ws_facts_add_counted(struct ws_facts *facts, const struct ws_counted *counted);
void ws_facts_pack(const struct ws_facts *facts, struct ws_text *out);
/* Adds facts about later ranks. */
int ws_facts_unpack(struct ws_facts *facts, const struct ws_text *in, struct ws_error *error);
void ws_facts_free(struct ws_facts *facts);

/* Fills info (info->rank: free()). */
void ws_facts_describe(struct ws_facts *facts, struct ws_trace_info *info);
/* only: the list of the ranks that were to be recorded, "" all; missing: types that no record forms; made_s: when the trace was made, or -1. */
void ws_facts_warn(const struct ws_facts *facts, const struct ws_trace_info *info, const char *only,
                   const char *const *missing, size_t missing_count, int64_t made_s, struct ws_warnings *warnings);

#endif
