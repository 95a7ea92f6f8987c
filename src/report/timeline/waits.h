/* What a page shows of the times that a diagnosis counts as waiting: when they were, who waited for whom, the
 * longest ones, and which operations waited.  Folded into sums as they come: what is kept is bounded by the
 * problems, the ranks and the bins, not by the waits. */
#ifndef WS_REPORT_TIMELINE_WAITS_H
#define WS_REPORT_TIMELINE_WAITS_H

#include "diagnosis/diagnosis.h"
#include "report/timeline/levels.h"

#define WS_HISTOGRAM_BINS 64
#define WS_MOST_INSTANCES 100 /* of a problem */
#define WS_MOST_EDGES 2000    /* of a problem, in the report */

struct ws_wait_instance {
    uint32_t rank, cause_rank;
    int64_t from_ns, duration_ns;
};
struct ws_wait_edge { /* a rank waits for another */
    uint32_t rank, cause_rank;
    int64_t duration_ns;
    uint64_t count;
};
struct ws_wait_group {
    int64_t histogram_ns[WS_HISTOGRAM_BINS];
    struct ws_wait_instance *instances; /* after ws_waits_finish the longest first */
    size_t instance_count, instance_capacity;
    struct ws_wait_edge *edges; /* after ws_waits_finish the greatest first */
    size_t edge_count, edge_capacity;
    struct ws_map edge_of;   /* rank << 32 | cause -> place + 1 */
    uint64_t edges_left_out; /* which were too many to keep */
};
struct ws_wait_event { /* an operation that waited, by its number in the order of the trace */
    uint32_t event, group;
    int64_t duration_ns;
};
struct ws_waits {
    struct ws_levels *levels;
    const uint32_t *row_of; /* [ranks]; UINT32_MAX: no row */
    uint32_t ranks, rows;
    int64_t begin_ns, end_ns;
    int64_t *histogram_edges;
    int64_t *rank_ns; /* [rows] */
    struct ws_wait_group *groups;
    size_t group_count, edge_count;
    struct ws_wait_event *events; /* after ws_waits_finish by number, each once, of its worst problem */
    size_t event_count, event_capacity, most_events;
};

/* Borrows levels and row_of.  most_events: so many operations are remembered at least, those that waited
 * longest. */
void ws_waits_init(struct ws_waits *waits, struct ws_levels *levels, const uint32_t *row_of, uint32_t ranks,
                   int64_t begin_ns, int64_t end_ns, size_t most_events);
/* For ws_diagnosis_options.waited; context: the waits. */
void ws_waits_add(const struct ws_waited *waited, void *context);
void ws_waits_finish(struct ws_waits *waits);
/* The group of this number; NULL: nothing was counted for it. */
const struct ws_wait_group *ws_waits_group(const struct ws_waits *waits, uint32_t group);
void ws_waits_free(struct ws_waits *waits);

#endif
