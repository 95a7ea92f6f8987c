#include "replay/collect.h"

#include "diagnosis/diagnosis.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define WS_MOST_STEPS (UINT32_MAX - 1)

/* ---- keys ---- */

/* After MurmurHash3's finalizer: keys of a few numbers, 64 bits wide, so that unlike ones do not meet. */
static uint64_t mix(uint64_t key, int64_t value)
{
    key = (key ^ (uint64_t)value) * UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 29;
}

static uint64_t key_of(const int64_t *values, size_t count)
{
    uint64_t key = UINT64_C(0x9e3779b97f4a7c15);

    for (size_t i = 0; i < count; i++)
        key = mix(key, values[i]);
    return key;
}

/* ---- steps ---- */

static uint32_t lane_at(struct ws_replay_collected *collected, uint32_t rank, uint32_t thread)
{
    struct ws_graph *graph = collected->graph;
    uint64_t key = (uint64_t)rank << 32 | thread;
    uint64_t known = ws_map_get(&collected->lane_of, key);

    if (known)
        return (uint32_t)known - 1;
    WS_PUSH(graph->lanes, graph->lane_count, collected->lane_capacity) =
        (struct ws_lane){rank, thread, WS_NOTHING, graph->info->rank[rank].begin_ns, graph->info->rank[rank].end_ns};
    ws_map_put(&collected->lane_of, key, graph->lane_count);
    return graph->lane_count - 1;
}

static uint32_t lane_of(struct ws_replay_collected *collected, const struct ws_event *event)
{
    return lane_at(collected, (uint32_t)event->value[WS_ATTR_PROCESS].i,
                   (uint32_t)((uint64_t)event->value[WS_ATTR_CALL].i >> 32));
}

static void add_step(struct ws_replay_collected *collected, const struct ws_event *event)
{
    struct ws_graph *graph = collected->graph;
    uint32_t number = lane_of(collected, event);
    struct ws_lane *lane = &graph->lanes[number];
    struct ws_step step = {.enter_ns = event->value[WS_ATTR_T].i,
                           .exit_ns = event->value[WS_ATTR_END].i,
                           .site = event->value[WS_ATTR_SITE].i,
                           .function = event->value[WS_ATTR_FUNCTION].s,
                           .lane = number,
                           .before = lane->last};
    int64_t least_ns = lane->last == WS_NOTHING ? lane->begin_ns : graph->steps[lane->last].exit_ns;

    step.enter_ns = step.enter_ns < least_ns ? least_ns : step.enter_ns; /* nested calls, damage */
    step.enter_ns = step.enter_ns > graph->end_ns ? graph->end_ns : step.enter_ns;
    step.exit_ns = step.exit_ns > graph->end_ns ? graph->end_ns : step.exit_ns;
    step.exit_ns = step.exit_ns < step.enter_ns ? step.enter_ns : step.exit_ns;
    lane->last = graph->step_count;
    WS_PUSH(graph->steps, graph->step_count, collected->step_capacity) = step;
}

/* ---- what two do together ---- */

static uint64_t side_key(const struct ws_meaning *meaning, const struct ws_event *event)
{
    int64_t me = event->value[WS_ATTR_PROCESS].i, other;
    bool receives = meaning->means == WS_MEANS_RECV || meaning->means == WS_MEANS_PROBE;
    bool exposes = meaning->means == WS_MEANS_POST || meaning->means == WS_MEANS_EXPOSURE_WAIT;
    bool message = receives || meaning->means == WS_MEANS_SEND;

    other = ws_known(meaning, event, message ? WS_KNOWN_PEER : exposes ? WS_KNOWN_ORIGIN : WS_KNOWN_TARGET, -1);
    return key_of((const int64_t[]){message, receives || exposes ? other : me, receives || exposes ? me : other,
                                    ws_known(meaning, event, message ? WS_KNOWN_COMM : WS_KNOWN_WINDOW, 0),
                                    ws_known(meaning, event, WS_KNOWN_TAG, 0), ws_known(meaning, event, WS_KNOWN_N, 0)},
                  6);
}

static uint64_t start_key(const struct ws_event *event)
{
    return (uint64_t)event->value[WS_ATTR_PROCESS].i << 32 | event->mark;
}

/* Where the operation that ends with this event began; WS_NOTHING: with it.  Takes the note away. */
static uint32_t take_start(struct ws_replay_collected *collected, const struct ws_event *event)
{
    uint64_t noted = event->mark ? ws_map_get(&collected->started, start_key(event)) : 0;

    if (noted)
        ws_map_remove(&collected->started, start_key(event));
    return noted ? (uint32_t)noted - 1 : WS_NOTHING;
}

static void note_start(struct ws_replay_collected *collected, const struct ws_event *event, size_t what)
{
    if (event->mark)
        ws_map_put(&collected->started, start_key(event), what + 1);
}

/* The event's side, as it is known when its operation begins (done WS_NOTHING) or has ended. */
static struct ws_side side_of(const struct ws_meaning *meaning, const struct ws_event *event, uint32_t step)
{
    return (struct ws_side){.key = side_key(meaning, event),
                            .bytes = (uint64_t)ws_known(meaning, event, WS_KNOWN_BYTES, 0),
                            .compute_ns = event->value[WS_ATTR_COMPUTE].i,
                            .start = step,
                            .done = WS_NOTHING,
                            .event = WS_NOTHING,
                            .means = meaning->means,
                            .synchronous = ws_known(meaning, event, WS_KNOWN_SYNCHRONOUS, 0) != 0};
}

/* A send is there when it starts, whatever becomes of it; whom a receive receives from is only known when it has. */
static void start_side(struct ws_replay_collected *collected, const struct ws_meaning *meaning, const struct ws_event *event,
                       uint32_t step)
{
    if (meaning->means != WS_MEANS_SEND) {
        note_start(collected, event, step);
        return;
    }
    note_start(collected, event, collected->side_count);
    WS_PUSH(collected->sides, collected->side_count, collected->side_capacity) = side_of(meaning, event, step);
}

static void end_side(struct ws_replay_collected *collected, const struct ws_meaning *meaning, const struct ws_event *event,
                     uint32_t step, uint32_t number)
{
    uint32_t start = take_start(collected, event);
    struct ws_side *side;

    if (meaning->means == WS_MEANS_RMA && !ws_known(meaning, event, WS_KNOWN_EXPOSED, 0))
        return;
    if (meaning->means == WS_MEANS_SEND && start != WS_NOTHING) {
        side = &collected->sides[start];
    } else {
        side = &WS_PUSH(collected->sides, collected->side_count, collected->side_capacity);
        *side = side_of(meaning, event, start == WS_NOTHING ? step : start);
    }
    side->done = step;
    side->event = number;
}

/* ---- what many do together ---- */

static uint32_t meeting_of(struct ws_replay_collected *collected, const struct ws_meaning *meaning, const struct ws_event *event)
{
    struct ws_graph *graph = collected->graph;
    int64_t values[] = {event->type & ~WS_TRACE_STARTED, ws_known(meaning, event, WS_KNOWN_COMM, 0),
                        meaning->means == WS_MEANS_WINDOW ? 0 : ws_known(meaning, event, WS_KNOWN_WINDOW, 0),
                        ws_known(meaning, event, WS_KNOWN_SIZE, 0), ws_known(meaning, event, WS_KNOWN_N, 0)};
    struct ws_map_entry *entry = ws_map_reach(&collected->meeting_of, key_of(values, 5));

    if (entry->value)
        return (uint32_t)entry->value - 1;
    entry->value = graph->meeting_count + 1;
    WS_PUSH(graph->meetings, graph->meeting_count, collected->meeting_capacity) =
        (struct ws_meeting){.root = WS_NOTHING, .flow = meaning->flow};
    return graph->meeting_count - 1;
}

static uint32_t attend(struct ws_replay_collected *collected, const struct ws_meaning *meaning, const struct ws_event *event,
                       uint32_t step)
{
    struct ws_graph *graph = collected->graph;
    uint32_t meeting = meeting_of(collected, meaning, event);

    if (ws_known(meaning, event, WS_KNOWN_IS_ROOT, 0))
        graph->meetings[meeting].root = (uint32_t)event->value[WS_ATTR_PROCESS].i; /* its rank, until they are sorted */
    WS_PUSH(graph->attendants, graph->attendant_count, collected->attendant_capacity) =
        (struct ws_attendant){meeting, (uint32_t)event->value[WS_ATTR_PROCESS].i, step, WS_NOTHING, WS_NOTHING,
                              event->value[WS_ATTR_COMPUTE].i};
    return graph->attendant_count - 1;
}

static void leave(struct ws_replay_collected *collected, const struct ws_meaning *meaning, const struct ws_event *event,
                  uint32_t step, uint32_t number)
{
    uint32_t attendant = take_start(collected, event);

    if (attendant == WS_NOTHING)
        attendant = attend(collected, meaning, event, step);
    collected->graph->attendants[attendant].done = step;
    collected->graph->attendants[attendant].event = number;
}

/* ---- events ---- */

static void add_locking(struct ws_replay_collected *collected, const struct ws_meaning *meaning, const struct ws_event *event,
                        uint32_t step, uint32_t number)
{
    WS_PUSH(collected->lockings, collected->locking_count, collected->locking_capacity) = (struct ws_locking){
        .key = key_of((const int64_t[]){ws_known(meaning, event, WS_KNOWN_WINDOW, 0),
                                        ws_known(meaning, event, WS_KNOWN_TARGET, 0)},
                      2),
        .lane = collected->graph->steps[step].lane,
        .step = step,
        .event = number,
        .exclusive = ws_known(meaning, event, WS_KNOWN_EXCLUSIVE, 1) != 0,
        .ends = meaning->means == WS_MEANS_UNLOCK};
}

static void add_started(struct ws_replay_collected *collected, const struct ws_event *event, uint32_t step)
{
    const struct ws_meaning *meaning = &collected->meanings[event->type & ~WS_TRACE_STARTED];

    if (meaning->flow != WS_FLOW_NONE)
        note_start(collected, event, attend(collected, meaning, event, step));
    else if (meaning->means == WS_MEANS_SEND || meaning->means == WS_MEANS_RECV)
        start_side(collected, meaning, event, step);
}

static void add_ended(struct ws_replay_collected *collected, const struct ws_event *event, uint32_t step, uint32_t number)
{
    const struct ws_meaning *meaning = &collected->meanings[event->type];

    collected->graph->steps[step].io |= meaning->means == WS_MEANS_FILE;
    if (meaning->flow != WS_FLOW_NONE) {
        leave(collected, meaning, event, step, number);
        return;
    }
    switch (meaning->means) {
    case WS_MEANS_LOCK:
    case WS_MEANS_UNLOCK:
        add_locking(collected, meaning, event, step, number);
        break;
    case WS_MEANS_SEND:
    case WS_MEANS_RECV:
    case WS_MEANS_PROBE:
    case WS_MEANS_RMA:
    case WS_MEANS_POST:
    case WS_MEANS_START:
    case WS_MEANS_COMPLETE:
    case WS_MEANS_EXPOSURE_WAIT:
        end_side(collected, meaning, event, step, number);
        break;
    default:
        break;
    }
}

static void add_event(struct ws_replay_collected *collected, const struct ws_event *event)
{
    struct ws_graph *graph = collected->graph;
    uint32_t step;

    if (event->type == WS_TRACE_CALL) {
        add_step(collected, event);
        return;
    }
    step = graph->lanes[lane_of(collected, event)].last;
    if (event->type & WS_TRACE_STARTED) {
        if (step != WS_NOTHING)
            add_started(collected, event, step);
        return;
    }
    WS_PUSH(graph->event_steps, graph->event_count, collected->event_capacity) = step;
    if (step != WS_NOTHING)
        add_ended(collected, event, step, graph->event_count - 1);
}

#define PROGRESS_EVENTS 65536 /* between two calls of `progress` */

static void tell_progress(const struct ws_replay_collected *collected, const struct ws_event *event)
{
    const struct ws_graph_watcher *watcher = collected->watcher;

    if (watcher && watcher->progress && collected->graph->event_count % PROGRESS_EVENTS == 0)
        watcher->progress(ws_share_before(collected->graph->info, event->value[WS_ATTR_END].i), watcher->context);
}

int ws_replay_collect(struct ws_replay_collected *collected, uint32_t most, struct ws_error *error)
{
    struct ws_graph *graph = collected->graph;
    const struct ws_event *event;
    int got;

    most = most ? most : WS_MOST_STEPS;
    collected->meanings = ws_meanings_make(&graph->schema);
    ws_trace_tell_calls(graph->trace);
    for (uint32_t r = 0; r < graph->info->ranks; r++)
        if (graph->info->rank[r].present)
            lane_at(collected, r, 0);
    while ((got = ws_trace_next(graph->trace, &event, error)) > 0) {
        int64_t rank = event->value[WS_ATTR_PROCESS].i;
        if (rank < 0 || rank >= graph->info->ranks)
            continue;
        if ((event->type == WS_TRACE_CALL && graph->step_count >= most) || graph->event_count >= WS_MOST_STEPS)
            return 1;
        add_event(collected, event);
        tell_progress(collected, event);
    }
    return got;
}

void ws_replay_collected_free(struct ws_replay_collected *collected)
{
    free(collected->meanings);
    free(collected->sides);
    free(collected->lockings);
    ws_map_free(&collected->lane_of);
    ws_map_free(&collected->started);
    ws_map_free(&collected->meeting_of);
}
