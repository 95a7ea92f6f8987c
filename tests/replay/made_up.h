/* Runs made up for the tests of this room: calls, told in the order of their ends, and what they do together.
 *
 *     struct made_up run; made_up_begin(&run, 2, 100);      two ranks, from 0 to 100
 *     uint32_t s = made_up_call(&run, 0, 30, 31);            rank 0 calls from 30 to 31 ...
 *     uint32_t r = made_up_call(&run, 1, 10, 32);
 *     made_up_message(&run, s, r, 8);                        ... and sends 8 bytes to the call of rank 1
 *     made_up_match(&run);
 */
#ifndef TESTS_REPLAY_MADE_UP_H
#define TESTS_REPLAY_MADE_UP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "replay/gain.h"
#include "replay/match.h"
#include "util/alloc.h"

#include <stdlib.h>

#define MADE_UP_RANKS 64

struct made_up {
    struct ws_graph graph;
    struct ws_trace_info info;
    struct ws_trace_rank ranks[MADE_UP_RANKS];
    struct ws_replay_collected collected;
    uint64_t key;
};

static inline void made_up_begin(struct made_up *run, uint32_t ranks, int64_t end_ns)
{
    *run = (struct made_up){.info = {.ranks = ranks, .rank = run->ranks}};
    run->graph.info = &run->info;
    run->graph.end_ns = end_ns;
    run->collected.graph = &run->graph;
    for (uint32_t r = 0; r < ranks; r++) {
        run->ranks[r] = (struct ws_trace_rank){.rank = r, .present = true, .end_ns = end_ns};
        WS_PUSH(run->graph.lanes, run->graph.lane_count, run->collected.lane_capacity) =
            (struct ws_lane){r, 0, WS_NOTHING, 0, end_ns};
    }
}

/* A call of rank r at a place of the program; its operation is the event of the same number. */
static inline uint32_t made_up_call_at(struct made_up *run, uint32_t rank, int64_t enter_ns, int64_t exit_ns, int64_t site)
{
    struct ws_lane *lane = &run->graph.lanes[rank];

    WS_PUSH(run->graph.steps, run->graph.step_count, run->collected.step_capacity) =
        (struct ws_step){.enter_ns = enter_ns, .exit_ns = exit_ns, .site = site, .function = "MPI_Call", .lane = rank,
                         .before = lane->last};
    lane->last = run->graph.step_count - 1;
    WS_PUSH(run->graph.event_steps, run->graph.event_count, run->collected.event_capacity) = lane->last;
    return lane->last;
}

static inline uint32_t made_up_call(struct made_up *run, uint32_t rank, int64_t enter_ns, int64_t exit_ns)
{
    return made_up_call_at(run, rank, enter_ns, exit_ns, 1);
}

static inline void made_up_side(struct made_up *run, enum ws_means means, uint32_t start, uint32_t done, uint64_t bytes)
{
    WS_PUSH(run->collected.sides, run->collected.side_count, run->collected.side_capacity) =
        (struct ws_side){.key = run->key, .bytes = bytes, .compute_ns = ws_step_compute_ns(&run->graph, start),
                         .start = start, .done = done, .event = done, .means = means};
}

/* Calls of two ranks that send and receive a message. */
static inline void made_up_message(struct made_up *run, uint32_t send, uint32_t receive, uint64_t bytes)
{
    run->key++;
    made_up_side(run, WS_MEANS_SEND, send, send, bytes);
    made_up_side(run, WS_MEANS_RECV, receive, receive, bytes);
}

/* Calls that take part in a collective operation, the root's first where there is one. */
static inline void made_up_meeting(struct made_up *run, enum ws_flow flow, const uint32_t *steps, uint32_t count)
{
    struct ws_graph *graph = &run->graph;

    WS_PUSH(graph->meetings, graph->meeting_count, run->collected.meeting_capacity) =
        (struct ws_meeting){.flow = flow, .root = graph->lanes[graph->steps[steps[0]].lane].rank};
    for (uint32_t i = 0; i < count; i++)
        WS_PUSH(graph->attendants, graph->attendant_count, run->collected.attendant_capacity) =
            (struct ws_attendant){graph->meeting_count - 1, graph->steps[steps[i]].lane, steps[i], steps[i], steps[i],
                                  ws_step_compute_ns(graph, steps[i])};
}

static inline void made_up_match(struct made_up *run)
{
    ws_replay_match(&run->collected);
}

static inline void made_up_end(struct made_up *run)
{
    ws_replay_collected_free(&run->collected);
    ws_graph_free(&run->graph);
}

#endif
