#include "replay/gain.h"

#include "trace/map.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

void ws_scenario_init(struct ws_scenario *scenario, const struct ws_graph *graph)
{
    scenario->graph = graph;
    scenario->needs = ws_alloc_array((size_t)graph->need_count + 1, sizeof *scenario->needs);
    scenario->gone = ws_alloc_array((size_t)graph->step_count + 1, sizeof *scenario->gone);
    scenario->compute_ns = ws_alloc_array((size_t)graph->step_count + 1, sizeof *scenario->compute_ns);
    scenario->less_ns = ws_alloc_array((size_t)graph->step_count + 1, sizeof *scenario->less_ns);
    for (uint32_t s = 0; s < graph->step_count; s++)
        scenario->compute_ns[s] = ws_step_compute_ns(graph, s);
}

void ws_scenario_free(struct ws_scenario *scenario)
{
    free(scenario->needs);
    free(scenario->gone);
    free(scenario->compute_ns);
    free(scenario->less_ns);
}

int64_t ws_scenario_wall_ns(const struct ws_scenario *scenario)
{
    const struct ws_replay_change change = {scenario->needs, scenario->compute_ns, scenario->gone, scenario->less_ns};

    return ws_replay_wall_ns(scenario->graph, &change);
}

static uint32_t step_of(const struct ws_graph *graph, const struct ws_waited *wait)
{
    return wait->event < graph->event_count ? graph->event_steps[wait->event] : WS_NOTHING;
}

static void change_need(struct ws_scenario *scenario, uint32_t need, enum ws_need_change change)
{
    if (scenario->needs[need] < change)
        scenario->needs[need] = (unsigned char)change;
}

static void remove_waits(struct ws_scenario *scenario, const struct ws_waited *waits, size_t count)
{
    const struct ws_graph *graph = scenario->graph;

    for (size_t w = 0; w < count; w++) {
        uint32_t number = step_of(graph, &waits[w]), known = 0;
        if (number == WS_NOTHING)
            continue;
        for (uint32_t i = graph->steps[number].first_need; i < graph->steps[number + 1].first_need; i++)
            if (graph->needs[i].event == waits[w].event) {
                change_need(scenario, i, WS_NEED_DROPPED);
                known++;
            }
        if (known == 0) /* what it waits for is none of the needs that are known: its time is shorter */
            scenario->less_ns[number] = ws_add_ns(scenario->less_ns[number], waits[w].to_ns - waits[w].from_ns);
    }
}

/* ---- the calls that wait ---- */

static uint64_t place_key(const struct ws_step *step, unsigned kind)
{
    return ((uint64_t)step->site << 3 | kind) ^ (uint64_t)(uintptr_t)step->function << 20;
}

/* The places in the program and the kinds of needs for which it waits there. */
static void find_places(const struct ws_graph *graph, const struct ws_waited *waits, size_t count, struct ws_map *places)
{
    for (size_t w = 0; w < count; w++) {
        uint32_t number = step_of(graph, &waits[w]);
        const struct ws_step *step = &graph->steps[number == WS_NOTHING ? 0 : number];
        if (number == WS_NOTHING)
            continue;
        for (uint32_t i = step->first_need; i < step[1].first_need; i++)
            if (graph->needs[i].event == waits[w].event)
                ws_map_put(places, place_key(step, graph->needs[i].kind), 1);
    }
}

static bool is_place(const struct ws_map *places, const struct ws_step *step, enum ws_need_kind kind)
{
    return ws_map_get(places, place_key(step, kind)) != 0;
}

/* ---- remedies ---- */

/* What all contribute to is not one thing that could be moved: each goes on to where the result is used. */
static enum ws_need_change change_by(enum ws_remedy remedy, const struct ws_graph *graph, const struct ws_need *need)
{
    switch (remedy) {
    case WS_REMEDY_EARLIER:
        return need->kind == WS_NEED_MEETING &&
                       graph->meetings[graph->attendants[need->on].meeting].flow != WS_FLOW_FROM_ROOT
                   ? WS_NEED_DEFERRED
                   : WS_NEED_EARLIER;
    case WS_REMEDY_LATER:
        return WS_NEED_DEFERRED;
    default:
        return WS_NEED_DROPPED;
    }
}

static void change_places(struct ws_scenario *scenario, enum ws_remedy remedy, const struct ws_map *places)
{
    const struct ws_graph *graph = scenario->graph;

    for (uint32_t s = 0; s < graph->step_count; s++)
        for (uint32_t i = graph->steps[s].first_need; i < graph->steps[s + 1].first_need; i++) {
            enum ws_need_kind kind = graph->needs[i].kind;
            if (!is_place(places, &graph->steps[s], kind))
                continue;
            change_need(scenario, i, change_by(remedy, graph, &graph->needs[i]));
            if (remedy == WS_REMEDY_DROP && kind == WS_NEED_MEETING)
                scenario->gone[s] = scenario->gone[graph->attendants[graph->needs[i].on].step] = 1;
        }
    /* The last to come needs nobody, but does not call either. */
    for (uint32_t a = 0; remedy == WS_REMEDY_DROP && a < graph->attendant_count; a++)
        if (is_place(places, &graph->steps[graph->attendants[a].step], WS_NEED_MEETING))
            scenario->gone[graph->attendants[a].step] = 1;
}

/* ---- balance ---- */

struct balance {
    struct ws_scenario *scenario;
    uint32_t *until; /* [lane_count]: the step up to which a lane is balanced */
};

static int64_t scaled(int64_t ns, double factor)
{
    double result = (double)ns * factor;

    return result < 9e18 ? (int64_t)result : INT64_MAX;
}

/* What a lane computes from where it is balanced up to a step. */
static int64_t work_until(const struct balance *balance, uint32_t number)
{
    const struct ws_graph *graph = balance->scenario->graph;
    uint32_t until = balance->until[graph->steps[number].lane];
    int64_t work_ns = 0;

    for (uint32_t s = number; s != WS_NOTHING && s != until; s = graph->steps[s].before)
        work_ns = ws_add_ns(work_ns, balance->scenario->compute_ns[s]);
    return work_ns;
}

static void scale_until(struct balance *balance, uint32_t number, double factor)
{
    const struct ws_graph *graph = balance->scenario->graph;
    uint32_t *until = &balance->until[graph->steps[number].lane];

    for (uint32_t s = number; s != WS_NOTHING && s != *until; s = graph->steps[s].before)
        balance->scenario->compute_ns[s] = scaled(balance->scenario->compute_ns[s], factor);
    *until = number;
}

/* Those who meet compute equally long before. */
static void balance_meeting(struct balance *balance, const struct ws_meeting *meeting)
{
    const struct ws_graph *graph = balance->scenario->graph;
    size_t count = meeting->end - meeting->first;
    int64_t *work_ns = ws_alloc_array(count + 1, sizeof *work_ns);
    double sum_ns = 0;

    for (size_t i = 0; i < count; i++) {
        work_ns[i] = work_until(balance, graph->attendants[meeting->first + i].step);
        sum_ns += (double)work_ns[i];
    }
    for (size_t i = 0; i < count; i++)
        scale_until(balance, graph->attendants[meeting->first + i].step,
                    work_ns[i] ? sum_ns / (double)count / (double)work_ns[i] : 1);
    free(work_ns);
}

static bool is_balanced_here(const struct ws_graph *graph, const struct ws_meeting *meeting, const struct ws_map *places)
{
    for (uint32_t i = meeting->first; i < meeting->end; i++)
        if (graph->attendants[i].done != WS_NOTHING &&
            is_place(places, &graph->steps[graph->attendants[i].done], WS_NEED_MEETING))
            return true;
    return false;
}

/* All ranks compute equally long over the whole run: where single messages wait, nothing tells a shorter time. */
static void balance_run(struct balance *balance)
{
    const struct ws_graph *graph = balance->scenario->graph;
    int64_t *work_ns = ws_alloc_array((size_t)graph->lane_count + 1, sizeof *work_ns);
    double sum_ns = 0;
    size_t count = 0;

    for (uint32_t l = 0; l < graph->lane_count; l++) {
        uint32_t last = graph->lanes[l].last;
        work_ns[l] = graph->lanes[l].thread == 0 && last != WS_NOTHING ? work_until(balance, last) : 0;
        sum_ns += (double)work_ns[l];
        count += work_ns[l] > 0;
    }
    for (uint32_t l = 0; l < graph->lane_count; l++)
        if (work_ns[l] > 0)
            scale_until(balance, graph->lanes[l].last, sum_ns / (double)count / (double)work_ns[l]);
    free(work_ns);
}

static void balance_work(struct ws_scenario *scenario, const struct ws_map *places)
{
    const struct ws_graph *graph = scenario->graph;
    struct balance balance = {.scenario = scenario};
    bool any = false;

    balance.until = ws_alloc_array((size_t)graph->lane_count + 1, sizeof *balance.until);
    for (uint32_t l = 0; l < graph->lane_count; l++)
        balance.until[l] = WS_NOTHING;
    for (uint32_t m = 0; m < graph->meeting_count; m++)
        if (is_balanced_here(graph, &graph->meetings[m], places)) {
            balance_meeting(&balance, &graph->meetings[m]);
            any = true;
        }
    if (!any)
        balance_run(&balance);
    free(balance.until);
}

void ws_scenario_remedy(struct ws_scenario *scenario, enum ws_remedy remedy, const struct ws_waited *waits, size_t count)
{
    struct ws_map places = {0};

    find_places(scenario->graph, waits, count, &places);
    if (remedy == WS_REMEDY_NONE || places.count == 0)
        remove_waits(scenario, waits, count);
    else if (remedy == WS_REMEDY_BALANCE)
        balance_work(scenario, &places);
    else
        change_places(scenario, remedy, &places);
    ws_map_free(&places);
}
