#include "replay/path.h"

#include "diagnosis/efficiency.h"
#include "diagnosis/shares.h"
#include "replay/ideal.h"
#include "replay/origins.h"
#include "trace/map.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- the critical path ---- */

struct part { /* segments at one place */
    const struct ws_segment *first;
    int64_t time_ns, all_ns; /* all_ns: of all ranks, whether it is on the path or not */
    uint64_t times;
    struct ws_shares ranks;
};
struct parts {
    const struct ws_graph *graph;
    struct part *list;
    size_t count, capacity;
    struct ws_map known;
};

static uint64_t key_of(const struct ws_graph *graph, enum ws_segment_kind kind, uint32_t from, uint32_t to)
{
    return kind == WS_SEGMENT_OUTSIDE ? kind : ws_cause_key(graph, (enum ws_cause_kind)kind, from, to);
}

static void add_segment(struct parts *parts, const struct ws_segment *segment)
{
    struct ws_map_entry *entry =
        ws_map_reach(&parts->known, key_of(parts->graph, segment->kind, segment->from, segment->to));
    int64_t time_ns = segment->end_ns - segment->begin_ns;
    struct part *part;

    if (!entry->value) {
        WS_PUSH(parts->list, parts->count, parts->capacity) = (struct part){.first = segment};
        entry->value = parts->count;
    }
    part = &parts->list[entry->value - 1];
    part->time_ns = ws_add_ns(part->time_ns, time_ns);
    part->times++;
    ws_shares_add(&part->ranks, parts->graph->lanes[segment->lane].rank, time_ns, 1);
}

static void add_computation(struct parts *parts, uint32_t from, uint32_t to, int64_t ns)
{
    uint64_t known = ws_map_get(&parts->known, key_of(parts->graph, WS_SEGMENT_COMPUTATION, from, to));

    if (known && ns > 0)
        parts->list[known - 1].all_ns = ws_add_ns(parts->list[known - 1].all_ns, ns);
}

/* What all ranks computed at the places of the path. */
static void add_all(struct parts *parts)
{
    const struct ws_graph *graph = parts->graph;

    for (uint32_t s = 0; s < graph->step_count; s++)
        add_computation(parts, graph->steps[s].before, s, ws_step_compute_ns(graph, s));
    for (uint32_t l = 0; l < graph->lane_count; l++) {
        const struct ws_lane *lane = &graph->lanes[l];
        int64_t begin_ns = lane->last == WS_NOTHING ? lane->begin_ns : graph->steps[lane->last].exit_ns;
        add_computation(parts, lane->last, WS_NOTHING, lane->end_ns - begin_ns);
    }
}

static int by_time(const void *left, const void *right)
{
    const struct part *a = left, *b = right;

    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return a->first->begin_ns < b->first->begin_ns ? -1 : a->first->begin_ns > b->first->begin_ns;
}

static int by_duration(const void *left, const void *right)
{
    const struct ws_rank_share *a = left, *b = right;

    return a->duration_ns != b->duration_ns ? (a->duration_ns > b->duration_ns ? -1 : 1)
                                            : ws_three_way(a->rank, b->rank);
}

static uint32_t recorded_ranks(const struct ws_graph *graph)
{
    uint32_t count = 0;

    for (uint32_t r = 0; r < graph->info->ranks; r++)
        count += graph->info->rank[r].present;
    return count;
}

static struct ws_path_part told(const struct parts *parts, const struct part *part, struct ws_arena *arena)
{
    uint32_t ranks = recorded_ranks(parts->graph);
    struct ws_path_part out = {.kind = ws_segment_kind_names[part->first->kind],
                               .from = ws_step_place(parts->graph, part->first->from, arena),
                               .to = ws_step_place(parts->graph, part->first->to, arena),
                               .time_ns = part->time_ns,
                               .times = part->times,
                               .ranks = ws_shares_list(&part->ranks, arena),
                               .rank_count = part->ranks.count,
                               .mean_ns = ranks ? part->all_ns / ranks : 0};

    qsort(out.ranks, out.rank_count, sizeof *out.ranks, by_duration);
    return out;
}

static void find_parts(struct ws_path *path, const struct ws_waiting *waiting)
{
    struct parts parts = {.graph = waiting->graph};
    struct ws_critical_path critical;

    ws_critical_path_find(&critical, waiting);
    for (size_t i = 0; i < critical.count; i++) {
        const struct ws_segment *segment = &critical.segments[i];
        add_segment(&parts, segment);
        path->by_kind_ns[segment->kind] += segment->end_ns - segment->begin_ns;
    }
    add_all(&parts);
    if (parts.count)
        qsort(parts.list, parts.count, sizeof *parts.list, by_time);
    path->part_count = parts.count;
    path->parts = ws_arena_alloc(&path->arena, (parts.count + 1) * sizeof *path->parts);
    for (size_t i = 0; i < parts.count; i++) {
        path->parts[i] = told(&parts, &parts.list[i], &path->arena);
        ws_shares_free(&parts.list[i].ranks);
    }
    free(parts.list);
    ws_map_free(&parts.known);
    ws_critical_path_free(&critical);
}

/* ---- where waiting began ---- */

static void find_origins(struct ws_path *path, const struct ws_waiting *waiting)
{
    enum { DIRECT, PASSED_ON, COLUMNS };
    static const size_t goes_to[COLUMNS] = {PASSED_ON, PASSED_ON};
    const struct ws_graph *graph = waiting->graph;
    struct ws_wavefronts wavefronts;
    struct ws_delays delays;
    struct ws_origins origins;

    ws_wavefronts_find(&wavefronts, waiting);
    ws_delays_init(&delays, waiting, &wavefronts, COLUMNS, goes_to);
    for (uint32_t s = 0; s < graph->step_count; s++)
        if (waiting->binding[s] != WS_NOTHING) {
            delays.wait_costs[waiting->binding[s] * (size_t)COLUMNS + DIRECT] = waiting->wait_ns[s];
            path->waits++;
        }
    ws_delays_find(&delays);
    ws_origins_make(&delays, DIRECT, COLUMNS, SIZE_MAX, &path->arena, &origins);
    path->origins = origins.list;
    path->origin_count = origins.count;
    path->waiting_ns = origins.total_ns;
    ws_delays_free(&delays);
    ws_wavefronts_free(&wavefronts);
}

void ws_path_find(struct ws_path *path, const struct ws_graph *graph)
{
    struct ws_waiting waiting;

    path->ranks = graph->info->ranks;
    path->wall_ns = graph->end_ns > graph->begin_ns ? graph->end_ns - graph->begin_ns : 0;
    path->unmatched = graph->unmatched;
    path->disordered = graph->disordered;
    ws_waiting_find(&waiting, graph);
    find_parts(path, &waiting);
    find_origins(path, &waiting);
    ws_waiting_free(&waiting);
}

int ws_path_read(const char *directory, const struct ws_kb *kb, void (*progress)(double share, void *context),
                 void *context, struct ws_path *path, struct ws_error *error)
{
    const struct ws_graph_watcher watcher = {progress, context};
    struct ws_diagnosis efficiencies = {0};
    struct ws_graph graph;
    int result;

    memset(path, 0, sizeof *path);
    result = ws_graph_read(directory, kb, 0, &watcher, &graph, error);
    if (result == 1)
        result =
            ws_fail(error, WS_BAD_INPUT,
                    "%s: has more calls than can be followed (2^32), or times that cannot be", directory);
    if (result == 0) {
        path->process = ws_arena_strdup(&path->arena, kb->about.process);
        ws_path_find(path, &graph);
        efficiencies.efficiency = ws_efficiency_of_run(graph.info);
        ws_ideal_efficiencies(&graph, &efficiencies);
        path->efficiency = efficiencies.efficiency;
    }
    ws_graph_free(&graph);
    return result;
}

void ws_path_free(struct ws_path *path)
{
    ws_arena_free(&path->arena);
    memset(path, 0, sizeof *path);
}
