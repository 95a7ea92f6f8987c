#include "replay/replay.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

struct replay {
    const struct ws_graph *graph;
    const struct ws_replay_change *change;
    struct ws_replayed *out;
    int64_t *hold_ns;   /* [lane_count]: the lane's next call cannot end before */
    int64_t *latest_ns; /* [meeting_count]: when all had come, of those where all wait for all; INT64_MIN: not known yet */
};

static int64_t compute_ns(const struct replay *replay, uint32_t step)
{
    return replay->change->compute_ns ? replay->change->compute_ns[step] : ws_step_compute_ns(replay->graph, step);
}

/* When a step's thread had done what comes before it and was about to call: what a later step of the order may ask
 * of one that comes after itself. */
static int64_t enter_ns(const struct replay *replay, uint32_t number)
{
    const struct ws_step *step = &replay->graph->steps[number];

    return (step->before == WS_NOTHING ? replay->graph->lanes[step->lane].begin_ns
                                       : replay->out->exit_ns[step->before]) +
           compute_ns(replay, number);
}

static int64_t latest_of(const struct replay *replay, uint32_t from, uint32_t end, uint32_t but)
{
    int64_t latest_ns = INT64_MIN;

    for (uint32_t i = from; i < end; i++) {
        int64_t came_ns = i == but ? INT64_MIN : enter_ns(replay, replay->graph->attendants[i].step);
        latest_ns = came_ns > latest_ns ? came_ns : latest_ns;
    }
    return latest_ns;
}

static int64_t meeting_ns(const struct replay *replay, uint32_t attendant)
{
    const struct ws_graph *graph = replay->graph;
    uint32_t number = graph->attendants[attendant].meeting, from, end;
    const struct ws_meeting *meeting = &graph->meetings[number];

    if (meeting->flow != WS_FLOW_ALL) {
        ws_attendant_waits(graph, attendant, &from, &end);
        return latest_of(replay, from, end, attendant);
    }
    if (replay->latest_ns[number] == INT64_MIN)
        replay->latest_ns[number] = latest_of(replay, meeting->first, meeting->end, WS_NOTHING);
    return replay->latest_ns[number];
}

static int64_t moment_ns(const struct replay *replay, const struct ws_need *need)
{
    int64_t moment = need->kind == WS_NEED_MEETING ? meeting_ns(replay, need->on)
                     : need->of_exit               ? replay->out->exit_ns[need->on]
                                                   : enter_ns(replay, need->on);

    return moment - need->early_ns;
}

/* When all that a step needs is there; holds the next one back by what is deferred. */
static int64_t ready_ns(const struct replay *replay, uint32_t number)
{
    const struct ws_graph *graph = replay->graph;
    const struct ws_step *step = &graph->steps[number];
    int64_t *hold_ns = &replay->hold_ns[step->lane], ready = *hold_ns;

    *hold_ns = INT64_MIN;
    for (uint32_t i = step->first_need; i < step[1].first_need; i++) {
        enum ws_need_change change = replay->change->needs ? replay->change->needs[i] : WS_NEED_KEPT;
        int64_t moment;
        if (change == WS_NEED_DROPPED)
            continue;
        moment = moment_ns(replay, &graph->needs[i]);
        if (change == WS_NEED_EARLIER)
            moment -= graph->needs[i].compute_ns;
        if (change == WS_NEED_DEFERRED)
            *hold_ns = moment > *hold_ns ? moment : *hold_ns;
        else
            ready = moment > ready ? moment : ready;
    }
    return ready;
}

static void replay_step(const struct replay *replay, uint32_t number)
{
    const struct ws_step *step = &replay->graph->steps[number];
    const struct ws_replay_change *change = replay->change;
    int64_t enter = enter_ns(replay, number), ready = ready_ns(replay, number);
    int64_t own = step->own_ns, local = step->local_ns, less = change->less_ns ? change->less_ns[number] : 0;

    if (change->gone && change->gone[number])
        own = local = 0;
    own = own > less ? own - less : 0;
    local = local > less ? local - less : 0;
    replay->out->enter_ns[number] = enter;
    replay->out->exit_ns[number] = enter + local;
    if (ready > enter && ready + own > enter + local)
        replay->out->exit_ns[number] = ready + own;
}

/* When the run had begun and its last rank ended. */
static int64_t wall_ns(const struct replay *replay)
{
    const struct ws_graph *graph = replay->graph;
    int64_t end_ns = graph->begin_ns;

    for (uint32_t l = 0; l < graph->lane_count; l++) {
        const struct ws_lane *lane = &graph->lanes[l];
        int64_t tail_ns = lane->last == WS_NOTHING ? 0 : lane->end_ns - graph->steps[lane->last].exit_ns;
        int64_t lane_end_ns =
            lane->last == WS_NOTHING ? lane->end_ns : replay->out->exit_ns[lane->last] + (tail_ns > 0 ? tail_ns : 0);
        lane_end_ns = replay->hold_ns[l] > lane_end_ns ? replay->hold_ns[l] : lane_end_ns;
        end_ns = lane_end_ns > end_ns ? lane_end_ns : end_ns;
    }
    return end_ns - graph->begin_ns;
}

void ws_replay(const struct ws_graph *graph, const struct ws_replay_change *change, struct ws_replayed *replayed)
{
    struct replay replay = {.graph = graph, .change = change, .out = replayed};

    replayed->enter_ns = ws_alloc_array((size_t)graph->step_count + 1, sizeof(int64_t));
    replayed->exit_ns = ws_alloc_array((size_t)graph->step_count + 1, sizeof(int64_t));
    replay.hold_ns = ws_alloc_array((size_t)graph->lane_count + 1, sizeof(int64_t));
    replay.latest_ns = ws_alloc_array((size_t)graph->meeting_count + 1, sizeof(int64_t));
    for (uint32_t l = 0; l < graph->lane_count; l++)
        replay.hold_ns[l] = INT64_MIN;
    for (uint32_t m = 0; m < graph->meeting_count; m++)
        replay.latest_ns[m] = INT64_MIN;
    for (uint32_t s = 0; s < graph->step_count; s++)
        replay_step(&replay, s);
    replayed->wall_ns = wall_ns(&replay);
    free(replay.hold_ns);
    free(replay.latest_ns);
}

int64_t ws_replay_wall_ns(const struct ws_graph *graph, const struct ws_replay_change *change)
{
    struct ws_replayed replayed;
    int64_t wall;

    ws_replay(graph, change, &replayed);
    wall = replayed.wall_ns;
    ws_replayed_free(&replayed);
    return wall;
}

void ws_replayed_free(struct ws_replayed *replayed)
{
    free(replayed->enter_ns);
    free(replayed->exit_ns);
    memset(replayed, 0, sizeof *replayed);
}
