/* What `whyslow path` tells of a run: its critical path by calls and computations, and where its waiting
 * began. */
#ifndef WS_REPLAY_PATH_H
#define WS_REPLAY_PATH_H

#include "diagnosis/diagnosis.h"
#include "replay/critical.h"

struct ws_path_part {                 /* of the critical path: all its segments at one place */
    const char *kind;                 /* ws_segment_kind_names */
    const struct ws_place *from, *to; /* as in struct ws_origin */
    int64_t time_ns;
    uint64_t times;
    struct ws_rank_share *ranks; /* on which the path was there; the greatest first */
    size_t rank_count;
    int64_t mean_ns; /* of a computation: of all ranks' time in it, the mean */
};
struct ws_path {
    struct ws_arena arena;
    const char *process;
    uint32_t ranks;
    int64_t wall_ns;
    int64_t by_kind_ns[WS_SEGMENT_KINDS];
    struct ws_path_part *parts; /* by time, the greatest first */
    size_t part_count;
    int64_t waiting_ns; /* of all ranks, that is for somebody: the sum of what its origins cost */
    uint64_t waits;
    struct ws_origin *origins; /* by cost, the greatest first; all of them */
    size_t origin_count;
    uint64_t unmatched, disordered; /* as in struct ws_graph */
    struct ws_efficiency efficiency;
};

/* Gives 0, or -1 with *error; ws_path_free in both cases.
 * progress: called now and then with the share of the run that is read; NULL: not called. */
int ws_path_read(const char *directory, const struct ws_kb *kb, void (*progress)(double share, void *context),
                 void *context, struct ws_path *path, struct ws_error *error);
/* The same of a graph. */
void ws_path_find(struct ws_path *path, const struct ws_graph *graph);
void ws_path_free(struct ws_path *path);

#endif
