/* What the events of a trace say of a graph before its parts are matched. */
#ifndef WS_REPLAY_COLLECT_H
#define WS_REPLAY_COLLECT_H

#include "replay/graph.h"
#include "trace/map.h"

/* One side of what two processes do together: what is alike has one key. */
struct ws_side {
    uint64_t key;
    uint64_t bytes;
    int64_t compute_ns;
    uint32_t start, done; /* steps; done WS_NOTHING: it never ended */
    uint32_t event;
    enum ws_means means;
    bool synchronous;
};
/* A lock of memory, or the end of one. */
struct ws_locking {
    uint64_t key;   /* window and target */
    uint32_t lane, step, event;
    bool exclusive, ends;
};
struct ws_replay_collected {
    struct ws_graph *graph;
    const struct ws_graph_watcher *watcher; /* NULL: nobody watches */
    struct ws_meaning *meanings;
    struct ws_side *sides;
    size_t side_count, side_capacity;
    struct ws_locking *lockings;
    size_t locking_count, locking_capacity;
    size_t step_capacity, lane_capacity, attendant_capacity, meeting_capacity, event_capacity;
    struct ws_map lane_of;    /* rank and thread -> lane + 1 */
    struct ws_map started;    /* rank and mark of a start -> step + 1, or its side or attendant */
    struct ws_map meeting_of; /* key -> meeting + 1 */
};

/* Reads all events: fills the graph's steps, lanes, meetings and attendants (in the order in which they came), and the
 * lists.  Gives 0, 1 where there are more calls than `most`, -1 on error. */
int ws_replay_collect(struct ws_replay_collected *collected, uint32_t most, struct ws_error *error);
void ws_replay_collected_free(struct ws_replay_collected *collected);

#endif
