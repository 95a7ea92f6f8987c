#include "replay/ideal.h"

#include "diagnosis/efficiency.h"
#include "diagnosis/phase_times.h"
#include "util/alloc.h"

#include <stdlib.h>

void ws_ideal_replay(const struct ws_graph *graph, struct ws_replayed *ideal)
{
    int64_t *less_ns = ws_alloc_array((size_t)graph->step_count + 1, sizeof *less_ns);
    const struct ws_replay_change change = {.less_ns = less_ns};

    for (uint32_t s = 0; s < graph->step_count; s++)
        less_ns[s] = graph->steps[s].io ? 0 : INT64_MAX; /* all of it */
    ws_replay(graph, &change, ideal);
    free(less_ns);
}

/* ---- phases ---- */

/* The moments of a rank's main thread in the ideal run, for moments as recorded that come in order. */
struct mapping {
    const struct ws_graph *graph;
    const struct ws_replayed *ideal;
    const struct ws_lane *lane;
    const uint32_t *steps; /* of the lane, in order */
    size_t count, next;    /* next: the first that does not end before the moment asked for last */
};

static int64_t ideal_ns(struct mapping *mapping, int64_t ns)
{
    const struct ws_graph *graph = mapping->graph;
    uint32_t before;
    int64_t after_ns;

    while (mapping->next < mapping->count && graph->steps[mapping->steps[mapping->next]].exit_ns <= ns)
        mapping->next++;
    if (mapping->next < mapping->count && graph->steps[mapping->steps[mapping->next]].enter_ns < ns)
        return mapping->ideal->enter_ns[mapping->steps[mapping->next]]; /* within a call */
    if (mapping->next == 0)
        return ns;
    before = mapping->steps[mapping->next - 1];
    after_ns = ns - graph->steps[before].exit_ns;
    return mapping->ideal->exit_ns[before] + after_ns;
}

static void fill_lane(struct mapping *mapping, const struct ws_phase_times *times, int64_t *parts_ns)
{
    uint32_t r = mapping->lane->rank;
    const struct ws_trace_rank *rank = &mapping->graph->info->rank[r];
    int64_t begin_ns = rank->begin_ns;

    for (size_t p = 0; p <= rank->phase_count; p++) {
        int64_t mark_ns = p < rank->phase_count ? rank->phases[p].begin_ns : rank->end_ns, end_ns;
        mark_ns = mark_ns < rank->begin_ns ? rank->begin_ns : mark_ns > rank->end_ns ? rank->end_ns : mark_ns;
        end_ns = ideal_ns(mapping, mark_ns);
        parts_ns[times->first[r] + p] = end_ns > begin_ns ? end_ns - begin_ns : 0;
        begin_ns = end_ns > begin_ns ? end_ns : begin_ns;
    }
}

/* The steps of each lane one after another; first: [lane_count + 1]. */
static uint32_t *steps_by_lane(const struct ws_graph *graph, size_t *first)
{
    uint32_t *list = ws_alloc_array((size_t)graph->step_count + 1, sizeof *list);

    for (uint32_t s = 0; s < graph->step_count; s++)
        first[graph->steps[s].lane + 1]++;
    for (uint32_t l = 0; l < graph->lane_count; l++)
        first[l + 1] += first[l];
    for (uint32_t s = graph->step_count; s-- > 0;)
        list[--first[graph->steps[s].lane + 1]] = s;
    for (uint32_t l = 0; l < graph->lane_count; l++) /* each is one too far on now */
        first[l] = first[l + 1];
    first[graph->lane_count] = graph->step_count;
    return list;
}

static void fill_phases(const struct ws_graph *graph, const struct ws_replayed *ideal,
                        struct ws_diagnosis *diagnosis)
{
    size_t *first = ws_alloc_array((size_t)graph->lane_count + 2, sizeof *first);
    uint32_t *steps = steps_by_lane(graph, first);
    struct ws_phase_times times;
    int64_t *parts_ns;

    ws_phase_times_init(&times, graph->info);
    parts_ns = ws_alloc_array(times.first[graph->info->ranks] + 1, sizeof *parts_ns);
    for (uint32_t s = 0; s < graph->step_count; s++)
        ws_phase_times_call(&times, graph->lanes[graph->steps[s].lane].rank, graph->steps[s].enter_ns,
                            graph->steps[s].exit_ns);
    for (uint32_t l = 0; l < graph->lane_count; l++) {
        struct mapping mapping = {graph, ideal, &graph->lanes[l], &steps[first[l]], first[l + 1] - first[l],
                                  0};
        if (graph->lanes[l].thread == 0)
            fill_lane(&mapping, &times, parts_ns);
    }
    ws_phase_times_fill(&times, parts_ns, diagnosis->phases, diagnosis->phase_count);
    ws_phase_times_free(&times);
    free(parts_ns);
    free(steps);
    free(first);
}

void ws_ideal_efficiencies(const struct ws_graph *graph, struct ws_diagnosis *diagnosis)
{
    struct ws_replayed ideal;

    if (!ws_phase_times_known(graph->info))
        return;
    ws_ideal_replay(graph, &ideal);
    ws_efficiency_replayed(&diagnosis->efficiency, ws_efficiency_run_ns(graph->info), (double)ideal.wall_ns);
    if (diagnosis->phase_count)
        fill_phases(graph, &ideal, diagnosis);
    ws_replayed_free(&ideal);
}
