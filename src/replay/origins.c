#include "replay/origins.h"

#include "diagnosis/findings.h"
#include "diagnosis/shares.h"
#include "trace/map.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WAY 64     /* stops of a way that are told */
#define MOST_BEGAN 8    /* origins of a problem */
#define MOST_COLUMNS 16 /* problems of which origins are told: the worst */

struct place { /* causes that have one place */
    const struct ws_cause *greatest;
    int64_t greatest_ns, cost_ns, direct_ns;
    struct ws_shares ranks;
};
struct places {
    struct place *list;
    size_t count, capacity;
    struct ws_map known;
};

static struct place *place_of(struct places *places, uint64_t key)
{
    struct ws_map_entry *entry = ws_map_reach(&places->known, key);

    if (!entry->value) {
        WS_PUSH(places->list, places->count, places->capacity) = (struct place){0};
        entry->value = places->count;
    }
    return &places->list[entry->value - 1];
}

static void gather(const struct ws_delays *delays, size_t column, size_t columns, struct places *places)
{
    for (size_t i = 0; i < delays->cause_count; i++) {
        const struct ws_cause *cause = &delays->causes[i];
        const int64_t *costs = &delays->costs[i * delays->columns + column];
        int64_t cost_ns = 0;
        struct place *place;
        for (size_t c = 0; c < columns; c++)
            cost_ns = ws_add_ns(cost_ns, costs[c]);
        if (cost_ns <= 0)
            continue;
        place =
            place_of(places, cause->kind == WS_CAUSE_WAVEFRONT
                                 ? cause->wavefront
                                 : ws_cause_key(delays->waiting->graph, cause->kind, cause->from, cause->to));
        place->cost_ns = ws_add_ns(place->cost_ns, cost_ns);
        place->direct_ns = ws_add_ns(place->direct_ns, columns > 1 ? costs[0] : 0);
        ws_shares_add(&place->ranks, cause->rank, cost_ns, 1);
        if (cost_ns > place->greatest_ns) {
            place->greatest_ns = cost_ns;
            place->greatest = cause;
        }
    }
}

static int by_cost(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->cost_ns != b->cost_ns)
        return a->cost_ns > b->cost_ns ? -1 : 1;
    return ws_three_way(a->greatest->rank, b->greatest->rank)
               ? ws_three_way(a->greatest->rank, b->greatest->rank)
               : ws_three_way(a->greatest->to, b->greatest->to);
}

static int by_duration(const void *left, const void *right)
{
    const struct ws_rank_share *a = left, *b = right;

    return a->duration_ns != b->duration_ns ? (a->duration_ns > b->duration_ns ? -1 : 1)
                                            : ws_three_way(a->rank, b->rank);
}

const struct ws_place *ws_step_place(const struct ws_graph *graph, uint32_t step, struct ws_arena *arena)
{
    struct ws_place *place;

    if (step == WS_NOTHING)
        return NULL;
    place = ws_arena_alloc(arena, sizeof *place);
    *place = ws_place_at(ws_trace_site(graph->trace, graph->steps[step].site), "",
                         graph->steps[step].function, arena);
    return place;
}

/* The steps that have each need, found by halves: needs lie in the order of their steps. */
static uint32_t step_of(const struct ws_graph *graph, uint32_t need)
{
    uint32_t low = 0, high = graph->step_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (graph->steps[middle].first_need <= need)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void add_way(const struct ws_delays *delays, const struct ws_cause *cause, struct ws_arena *arena,
                    struct ws_origin *origin)
{
    const struct ws_graph *graph = delays->waiting->graph;
    uint32_t need;

    for (need = cause->through; need != WS_NOTHING && origin->way_count < MOST_WAY;
         need = delays->through[need])
        origin->way_count++;
    origin->way = ws_arena_alloc(arena, (origin->way_count + 1) * sizeof *origin->way);
    need = cause->through;
    for (size_t i = 0; i < origin->way_count; i++, need = delays->through[need]) {
        uint32_t step = step_of(graph, need);
        origin->way[i] = (struct ws_way){graph->lanes[graph->steps[step].lane].rank,
                                         *ws_step_place(graph, step, arena), delays->waiting->wait_ns[step]};
    }
}

static struct ws_origin origin_of(const struct ws_delays *delays, const struct place *place,
                                  struct ws_arena *arena)
{
    const struct ws_cause *cause = place->greatest;
    const struct ws_graph *graph = delays->waiting->graph;
    struct ws_origin origin = {.kind = ws_cause_kind_names[cause->kind],
                               .from = ws_step_place(graph, cause->from, arena),
                               .to = ws_step_place(graph, cause->to, arena),
                               .ranks = ws_shares_list(&place->ranks, arena),
                               .rank_count = place->ranks.count,
                               .duration_ns = place->cost_ns,
                               .direct_ns = place->direct_ns};

    qsort(origin.ranks, origin.rank_count, sizeof *origin.ranks, by_duration);
    if (cause->kind == WS_CAUSE_WAVEFRONT) {
        const struct ws_wavefront *wavefront = &delays->wavefronts->list[cause->wavefront];
        origin.wave.ranks = wavefront->ranks;
        origin.wave.first = graph->lanes[wavefront->first_lane].rank;
        origin.wave.last = graph->lanes[wavefront->last_lane].rank;
        origin.wave.sweeps = wavefront->sweeps;
        origin.wave.stage_ns = wavefront->stage_ns;
        origin.wave.period_ns = wavefront->period_ns;
    } else {
        add_way(delays, cause, arena, &origin);
    }
    return origin;
}

void ws_origins_make(const struct ws_delays *delays, size_t column, size_t columns, size_t most,
                     struct ws_arena *arena, struct ws_origins *origins)
{
    struct places places = {0};

    *origins = (struct ws_origins){0};
    gather(delays, column, columns, &places);
    if (places.count)
        qsort(places.list, places.count, sizeof *places.list, by_cost);
    origins->count = places.count < most ? places.count : most;
    origins->list = ws_arena_alloc(arena, (origins->count + 1) * sizeof *origins->list);
    for (size_t i = 0; i < places.count; i++) {
        if (i < origins->count)
            origins->list[i] = origin_of(delays, &places.list[i], arena);
        origins->total_ns = ws_add_ns(origins->total_ns, places.list[i].cost_ns);
        ws_shares_free(&places.list[i].ranks);
    }
    free(places.list);
    ws_map_free(&places.known);
}

/* ---- the problems of a diagnosis ---- */

/* The need whose waiting a finding is: that of its operation, else what the call waited for last. */
static uint32_t need_of(const struct ws_waiting *waiting, const struct ws_waited *waited)
{
    const struct ws_graph *graph = waiting->graph;
    uint32_t step = waited->event < graph->event_count ? graph->event_steps[waited->event] : WS_NOTHING;

    if (step == WS_NOTHING)
        return WS_NOTHING;
    for (uint32_t i = graph->steps[step].first_need; i < graph->steps[step + 1].first_need; i++)
        if (graph->needs[i].event == waited->event && waiting->moment_ns[i] > graph->steps[step].enter_ns)
            return i;
    return waiting->binding[step];
}

static void give_costs(const struct ws_waiting *waiting, const struct ws_waited *waits, size_t count,
                       uint32_t group, size_t column, struct ws_delays *delays)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t need = waits[i].group == group ? need_of(waiting, &waits[i]) : WS_NOTHING;
        int64_t *cost_ns;
        if (need == WS_NOTHING)
            continue;
        cost_ns = &delays->wait_costs[need * delays->columns + column];
        *cost_ns = ws_add_ns(*cost_ns, waits[i].to_ns - waits[i].from_ns);
    }
}

void ws_origins_fill(const struct ws_waiting *waiting, const struct ws_waited *waits, size_t wait_count,
                     const uint32_t *groups, struct ws_diagnosis *diagnosis)
{
    size_t columns = diagnosis->problem_count < MOST_COLUMNS ? diagnosis->problem_count : MOST_COLUMNS;
    size_t goes_to[MOST_COLUMNS];
    struct ws_wavefronts wavefronts;
    struct ws_delays delays;

    for (size_t i = 0; i < columns; i++)
        goes_to[i] = i;
    ws_wavefronts_find(&wavefronts, waiting);
    ws_delays_init(&delays, waiting, &wavefronts, columns, goes_to);
    for (size_t i = 0; i < columns; i++)
        give_costs(waiting, waits, wait_count, groups[i], i, &delays);
    ws_delays_find(&delays);
    for (size_t i = 0; i < columns; i++) {
        struct ws_problem *problem = &diagnosis->problems[i];
        struct ws_origins origins;
        ws_origins_make(&delays, i, 1, MOST_BEGAN, &diagnosis->arena, &origins);
        problem->began = origins.list;
        problem->began_count = origins.count;
        problem->began_ns = origins.total_ns;
    }
    ws_delays_free(&delays);
    ws_wavefronts_free(&wavefronts);
}
