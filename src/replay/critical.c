#include "replay/critical.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

const char *const ws_segment_kind_names[WS_SEGMENT_KINDS] = {"computation", "io", "call", "outside"};

struct walk { /* back in time */
    const struct ws_waiting *waiting;
    const struct ws_graph *graph;
    struct ws_critical_path *path;
    int64_t ns; /* what lies after it is on the path already */
};

static void add(struct walk *walk, enum ws_segment_kind kind, uint32_t lane, uint32_t from, uint32_t to,
                int64_t begin_ns)
{
    begin_ns = begin_ns > walk->graph->begin_ns ? begin_ns : walk->graph->begin_ns;
    if (begin_ns >= walk->ns)
        return;
    WS_PUSH(walk->path->segments, walk->path->count, walk->path->capacity) =
        (struct ws_segment){kind, lane, from, to, begin_ns, walk->ns};
    walk->ns = begin_ns;
}

static uint32_t last_lane(const struct ws_graph *graph)
{
    uint32_t last = 0;

    for (uint32_t l = 1; l < graph->lane_count; l++)
        if (graph->lanes[l].end_ns > graph->lanes[last].end_ns)
            last = l;
    return last;
}

/* The computation before a step; gives the call before it. */
static uint32_t pass_computation(struct walk *walk, uint32_t step)
{
    const struct ws_step *its = &walk->graph->steps[step];
    int64_t begin_ns = its->before == WS_NOTHING ? walk->graph->lanes[its->lane].begin_ns
                                                 : walk->graph->steps[its->before].exit_ns;

    add(walk, WS_SEGMENT_COMPUTATION, its->lane, its->before, step, begin_ns);
    if (its->before == WS_NOTHING)
        add(walk, WS_SEGMENT_OUTSIDE, its->lane, WS_NOTHING, WS_NOTHING, walk->graph->begin_ns);
    return its->before;
}

/* A call, from its end on; gives the one where the path goes on, also from its end. */
static uint32_t pass_call(struct walk *walk, uint32_t step)
{
    const struct ws_graph *graph = walk->graph;
    const struct ws_step *its = &graph->steps[step];
    uint32_t need = walk->waiting->binding[step], other;

    add(walk, its->io ? WS_SEGMENT_IO : WS_SEGMENT_CALL, its->lane, WS_NOTHING, step,
        its->enter_ns + walk->waiting->wait_ns[step]);
    if (need == WS_NOTHING)
        return pass_computation(walk, step);
    other = walk->waiting->other[need];
    return graph->needs[need].of_exit ? other : pass_computation(walk, other);
}

static void reverse(struct ws_critical_path *path)
{
    for (size_t i = 0; i < path->count / 2; i++) {
        struct ws_segment segment = path->segments[i];
        path->segments[i] = path->segments[path->count - 1 - i];
        path->segments[path->count - 1 - i] = segment;
    }
}

void ws_critical_path_find(struct ws_critical_path *path, const struct ws_waiting *waiting)
{
    const struct ws_graph *graph = waiting->graph;
    struct walk walk = {waiting, graph, path, graph->end_ns};
    const struct ws_lane *lane;
    uint32_t at, number;

    memset(path, 0, sizeof *path);
    if (graph->lane_count == 0 || graph->end_ns <= graph->begin_ns)
        return;
    number = last_lane(graph);
    lane = &graph->lanes[number];
    at = lane->last;
    add(&walk, WS_SEGMENT_OUTSIDE, number, WS_NOTHING, WS_NOTHING, lane->end_ns);
    add(&walk, WS_SEGMENT_COMPUTATION, number, at, WS_NOTHING,
        at == WS_NOTHING ? lane->begin_ns : graph->steps[at].exit_ns);
    while (at != WS_NOTHING)
        at = pass_call(&walk, at);
    add(&walk, WS_SEGMENT_OUTSIDE, number, WS_NOTHING, WS_NOTHING, graph->begin_ns);
    reverse(path);
}

void ws_critical_path_free(struct ws_critical_path *path)
{
    free(path->segments);
    memset(path, 0, sizeof *path);
}
