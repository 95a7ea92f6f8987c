#include "replay/graph.h"

#include "diagnosis/efficiency.h"
#include "replay/match.h"
#include "tracegen/tracegen.h"

#include <stdlib.h>
#include <string.h>

/* A longer run is a damaged one: times could not be added. */
#define MOST_NS (INT64_MAX / 16)

int64_t ws_step_compute_ns(const struct ws_graph *graph, uint32_t step)
{
    const struct ws_step *its = &graph->steps[step];

    return its->enter_ns -
           (its->before == WS_NOTHING ? graph->lanes[its->lane].begin_ns : graph->steps[its->before].exit_ns);
}

int64_t ws_step_wait_ns(const struct ws_graph *graph, uint32_t step)
{
    const struct ws_step *its = &graph->steps[step];
    int64_t until_ns = its->enter_ns;

    for (uint32_t i = its->first_need; i < its[1].first_need; i++) {
        int64_t moment_ns = ws_need_moment_ns(graph, &graph->needs[i]);
        until_ns = moment_ns > until_ns ? moment_ns : until_ns;
    }
    return (until_ns < its->exit_ns ? until_ns : its->exit_ns) - its->enter_ns;
}

int ws_graph_read(const char *directory, const struct ws_kb *kb, uint32_t most, const struct ws_graph_watcher *watcher,
                  struct ws_graph *graph, struct ws_error *error)
{
    struct ws_replay_collected collected = {.graph = graph, .watcher = watcher};
    int result;

    memset(graph, 0, sizeof *graph);
    if (ws_schema_from_kb(kb, &graph->schema, error) != 0)
        return -1;
    graph->trace = ws_trace_open(directory, &graph->schema, error);
    if (!graph->trace)
        return -1;
    graph->info = ws_trace_info(graph->trace);
    ws_run_span(graph->info, &graph->begin_ns, &graph->end_ns);
    result = graph->end_ns / 4 - graph->begin_ns / 4 > MOST_NS / 4 ? 1 : ws_replay_collect(&collected, most, error);
    if (result == 0)
        ws_replay_match(&collected);
    else
        graph->step_count = graph->need_count = graph->attendant_count = graph->meeting_count = 0;
    ws_replay_collected_free(&collected);
    return result;
}

void ws_graph_free(struct ws_graph *graph)
{
    free(graph->steps);
    free(graph->needs);
    free(graph->meetings);
    free(graph->attendants);
    free(graph->lanes);
    free(graph->event_steps);
    ws_trace_close(graph->trace);
    ws_schema_free(&graph->schema);
    memset(graph, 0, sizeof *graph);
}
