#include "replay/gain.h"

#include "replay/ideal.h"
#include "replay/origins.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

void ws_gain_waits_add(const struct ws_waited *waited, void *context)
{
    struct ws_gain_waits *waits = context;

    if (waits->too_many)
        return;
    if (waits->most && waits->count == waits->most) {
        ws_gain_waits_free(waits);
        waits->too_many = true;
        return;
    }
    WS_PUSH(waits->list, waits->count, waits->capacity) = *waited;
}

void ws_gain_waits_free(struct ws_gain_waits *waits)
{
    free(waits->list);
    *waits = (struct ws_gain_waits){.most = waits->most};
}

static int by_group(const void *left, const void *right)
{
    const struct ws_waited *a = left, *b = right;

    return a->group != b->group   ? ws_three_way(a->group, b->group)
           : a->event != b->event ? ws_three_way(a->event, b->event)
                                  : ws_three_way((uint64_t)a->from_ns, (uint64_t)b->from_ns);
}

/* The waits of one group, of a list sorted by group. */
static const struct ws_waited *of_group(const struct ws_gain_waits *waits, uint32_t group, size_t *count)
{
    size_t first = 0, end = waits->count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (waits->list[middle].group < group)
            first = middle + 1;
        else
            end = middle;
    }
    for (*count = 0; first + *count < waits->count && waits->list[first + *count].group == group;)
        ++*count;
    return &waits->list[first];
}

static int64_t gain_of(const struct ws_graph *graph, int64_t wall_ns, enum ws_remedy remedy, const struct ws_waited *list,
                       size_t count)
{
    struct ws_scenario scenario;
    int64_t gain_ns;

    ws_scenario_init(&scenario, graph);
    ws_scenario_remedy(&scenario, remedy, list, count);
    gain_ns = wall_ns - ws_scenario_wall_ns(&scenario);
    ws_scenario_free(&scenario);
    return gain_ns > 0 ? gain_ns : 0;
}

/* groups: [problem_count] those of the waits. */
static void fill(const struct ws_graph *graph, const struct ws_gain_waits *waits, const uint32_t *groups,
                 struct ws_diagnosis *diagnosis)
{
    struct ws_scenario all;
    int64_t recorded_ns = ws_replay_wall_ns(graph, &(struct ws_replay_change){0}), all_ns;

    ws_scenario_init(&all, graph);
    for (size_t i = 0; i < diagnosis->problem_count; i++) {
        struct ws_problem *problem = &diagnosis->problems[i];
        size_t count;
        const struct ws_waited *list = of_group(waits, groups[i], &count);
        problem->removed_ns = gain_of(graph, recorded_ns, WS_REMEDY_NONE, list, count);
        problem->balanced_ns = gain_of(graph, recorded_ns, WS_REMEDY_BALANCE, list, count);
        problem->gain_ns = problem->remedy == WS_REMEDY_NONE      ? problem->removed_ns
                           : problem->remedy == WS_REMEDY_BALANCE ? problem->balanced_ns
                                                                  : gain_of(graph, recorded_ns, problem->remedy, list, count);
        ws_scenario_remedy(&all, problem->remedy, list, count);
    }
    all_ns = ws_scenario_wall_ns(&all);
    diagnosis->gains = (struct ws_gains){.known = true,
                                         .replayed_ns = recorded_ns,
                                         .together_ns = all_ns < recorded_ns ? recorded_ns - all_ns : 0,
                                         .unmatched = graph->unmatched,
                                         .disordered = graph->disordered};
    ws_scenario_free(&all);
}

static void fill_origins(const struct ws_graph *graph, const struct ws_gain_waits *waits, const uint32_t *groups,
                         struct ws_diagnosis *diagnosis)
{
    struct ws_waiting waiting;

    ws_waiting_find(&waiting, graph);
    ws_origins_fill(&waiting, waits->list, waits->count, groups, diagnosis);
    ws_waiting_free(&waiting);
}

/* What the waits of a diagnosis tell of another one of the same trace: its problems are the same, in the same order. */
static void fill_by(const struct ws_graph *graph, const struct ws_diagnosis *own, struct ws_gain_waits *waits,
                    struct ws_diagnosis *diagnosis)
{
    uint32_t *groups = ws_alloc_array(diagnosis->problem_count + 1, sizeof *groups);

    for (size_t i = 0; i < diagnosis->problem_count; i++)
        groups[i] = i < own->problem_count ? own->problems[i].group : UINT32_MAX;
    if (waits->count)
        qsort(waits->list, waits->count, sizeof *waits->list, by_group);
    fill(graph, waits, groups, diagnosis);
    fill_origins(graph, waits, groups, diagnosis);
    free(groups);
}

/* A diagnosis of a team or by phase has no waits to tell: one of this process alone has. */
static int diagnose_again(const char *directory, const struct ws_kb *kb, const char *engine,
                          const struct ws_graph *graph, struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    struct ws_gain_waits waits = {0};
    const struct ws_diagnosis_options options = {.engine = engine,
                                                 .threshold_percent = diagnosis->threshold_percent,
                                                 .waited = ws_gain_waits_add,
                                                 .waited_context = &waits};
    struct ws_diagnosis own = {0};
    int result = ws_diagnose(directory, kb, &options, &own, error);

    if (result == 0)
        fill_by(graph, &own, &waits, diagnosis);
    ws_diagnosis_free(&own);
    ws_gain_waits_free(&waits);
    return result;
}

int ws_gains_find(const char *directory, const struct ws_kb *kb, const char *engine, uint32_t most,
                  struct ws_gain_waits *waits, struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    struct ws_graph graph;
    int result;

    diagnosis->gains = (struct ws_gains){.too_long = most && diagnosis->events > most};
    if (diagnosis->gains.too_long)
        return 0;
    result = ws_graph_read(directory, kb, most, NULL, &graph, error);
    diagnosis->gains.too_long = result == 1;
    if (result == 0)
        ws_ideal_efficiencies(&graph, diagnosis);
    if (result == 0 && graph.step_count && diagnosis->problem_count) {
        if (waits && !waits->too_many)
            fill_by(&graph, diagnosis, waits, diagnosis);
        else
            result = diagnose_again(directory, kb, engine, &graph, diagnosis, error);
    }
    ws_graph_free(&graph);
    return result < 0 ? -1 : 0;
}
