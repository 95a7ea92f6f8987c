/* A recorded run of an MPI program replayed on another platform, by SimGrid: the computation between its
 * calls as it was, times a factor, and its communication as the platform's network takes it. */
#ifndef WS_SIMULATE_SIMULATE_H
#define WS_SIMULATE_SIMULATE_H

#include "rules/kb.h"
#include "trace/trace.h"
#include "util/error.h"

/* What a script is made of, and what is to be known of it.  ws_script_free. */
struct ws_script_summary {
    struct ws_arena arena;
    uint32_t ranks;
    int64_t wall_ns;    /* of the recorded run: from the first begin to the last end */
    int64_t compute_ns; /* between calls, of all ranks, as recorded */
    int64_t opaque_ns;  /* within calls that are replayed as so much time, of all ranks */
    uint64_t operations;
    const char **notes; /* what the replay does otherwise than the program did, one sentence each */
    size_t note_count, note_capacity;
};
/* Writes the script of a trace to `path`: computation is multiplied by factors[rank].  And where calls were
 * made in the source, as the trace of the replay is to know it by: `places` (trace/places.h), for the module
 * `module`.  Fails with WS_BAD_INPUT for a trace that does not tell the whole run. */
int ws_script_write(const char *directory, const struct ws_kb *kb, const double *factors, size_t factor_count,
                    const char *path, const char *module, struct ws_text *places,
                    struct ws_script_summary *summary, struct ws_error *error);
void ws_script_free(struct ws_script_summary *summary);

/* What a network between equal nodes was measured to do. */
struct ws_link {
    double latency_s, bandwidth_Bps;
    const double *sizes_bytes, *times_s; /* of single messages, one way, in order of their sizes */
    size_t count;
};
/* A platform in SimGrid's form: `nodes` nodes of `cores` cores, each with its own link to one switch, on
 * which a message of a size that was measured takes the time that it took, and one between two sizes has the
 * bandwidth of the lesser. */
void ws_platform_text(struct ws_text *out, uint32_t nodes, uint32_t cores, const struct ws_link *link);
/* The hosts of so many ranks there: the nodes are filled one after the other. */
void ws_platform_hosts(struct ws_text *out, uint32_t ranks, uint32_t cores);

#endif
