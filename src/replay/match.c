#include "replay/match.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Within one node's clock two readings may differ by so much. */
#define CLOCK_NS 1000

struct wanted { /* a need and the step that has it */
    uint32_t step;
    struct ws_need need;
};
struct matching {
    struct ws_replay_collected *collected;
    struct ws_graph *graph;
    struct wanted *wanted;
    size_t count, capacity;
    struct ws_map sides[2]; /* by key: sends and posts; starts and completes, the latest -> side + 1 */
    uint64_t buffered;      /* bytes of the longest message that did not wait for its receiver */
};

/* ---- meetings ---- */

static int by_meeting_and_rank(const void *left, const void *right)
{
    const struct ws_attendant *a = left, *b = right;

    return a->meeting != b->meeting ? ws_three_way(a->meeting, b->meeting)
           : a->rank != b->rank     ? ws_three_way(a->rank, b->rank)
                                    : ws_three_way(a->step, b->step);
}

static int64_t came_ns(const struct ws_graph *graph, uint32_t attendant)
{
    return graph->steps[graph->attendants[attendant].step].enter_ns;
}

static void gather_meetings(struct ws_graph *graph)
{
    if (graph->attendant_count)
        qsort(graph->attendants, graph->attendant_count, sizeof *graph->attendants, by_meeting_and_rank);
    for (uint32_t i = 0; i < graph->attendant_count; i++) {
        struct ws_meeting *meeting = &graph->meetings[graph->attendants[i].meeting];
        if (meeting->end == 0)
            meeting->first = meeting->last = i;
        meeting->end = i + 1;
        if (came_ns(graph, i) > came_ns(graph, meeting->last))
            meeting->last = i;
    }
    for (uint32_t m = 0; m < graph->meeting_count; m++) {
        struct ws_meeting *meeting = &graph->meetings[m];
        uint32_t rank = meeting->root;
        meeting->root = WS_NOTHING;
        for (uint32_t i = meeting->first; rank != WS_NOTHING && i < meeting->end; i++)
            if (graph->attendants[i].rank == rank)
                meeting->root = i;
    }
}

void ws_attendant_waits(const struct ws_graph *graph, uint32_t attendant, uint32_t *from, uint32_t *end)
{
    const struct ws_meeting *meeting = &graph->meetings[graph->attendants[attendant].meeting];
    bool is_root = attendant == meeting->root;

    *from = meeting->first;
    *end = meeting->end;
    if (meeting->flow == WS_FLOW_PREFIX) {
        *end = attendant;
    } else if (meeting->flow == WS_FLOW_FROM_ROOT) {
        *from = meeting->root == WS_NOTHING ? meeting->first : meeting->root;
        *end = meeting->root == WS_NOTHING || is_root ? *from : *from + 1;
    } else if (meeting->flow == WS_FLOW_TO_ROOT && !is_root) {
        *end = *from;
    }
}

/* ---- needs ---- */

/* The attendant that came last of those for whom this one waits; WS_NOTHING: it waits for nobody. */
static uint32_t awaited(const struct ws_graph *graph, uint32_t attendant)
{
    const struct ws_meeting *meeting = &graph->meetings[graph->attendants[attendant].meeting];
    uint32_t from, end, last = WS_NOTHING;

    if (meeting->flow == WS_FLOW_ALL)
        return meeting->last == attendant ? WS_NOTHING : meeting->last;
    ws_attendant_waits(graph, attendant, &from, &end);
    for (uint32_t i = from; i < end; i++)
        if (i != attendant && (last == WS_NOTHING || came_ns(graph, i) > came_ns(graph, last)))
            last = i;
    return last;
}

uint32_t ws_need_step(const struct ws_graph *graph, const struct ws_need *need)
{
    return need->kind == WS_NEED_MEETING ? graph->attendants[awaited(graph, need->on)].step : need->on;
}

int64_t ws_need_moment_ns(const struct ws_graph *graph, const struct ws_need *need)
{
    if (need->kind == WS_NEED_MEETING)
        return came_ns(graph, awaited(graph, need->on)) - need->early_ns;
    return (need->of_exit ? graph->steps[need->on].exit_ns : graph->steps[need->on].enter_ns) - need->early_ns;
}

static void want(struct matching *matching, uint32_t step, struct ws_need need)
{
    WS_PUSH(matching->wanted, matching->count, matching->capacity) = (struct wanted){step, need};
}

/* Whether the step can wait for the moment: it is there before it ends, but for the error of the clocks, and the
 * other lane has come so far in the order of steps.  Counts what cannot be where the operation requires it. */
static bool want_moment(struct matching *matching, uint32_t step, struct ws_need need, bool required)
{
    const struct ws_graph *graph = matching->graph;
    const struct ws_step *on = &graph->steps[need.on];
    int64_t early_ns = (need.of_exit ? on->exit_ns : on->enter_ns) - graph->steps[step].exit_ns;
    uint32_t known = need.of_exit ? need.on : on->before;

    if (on->lane == graph->steps[step].lane)
        return false;
    if (early_ns > CLOCK_NS + graph->info->clock_error_ns || (known != WS_NOTHING && known >= step)) {
        matching->graph->disordered += required;
        return false;
    }
    need.early_ns = early_ns > 0 ? early_ns : 0;
    want(matching, step, need);
    return true;
}

/* ---- messages ---- */

static struct ws_side *counterpart(const struct matching *matching, unsigned map, uint64_t key)
{
    uint64_t found = ws_map_get(&matching->sides[map], key);

    return found ? &matching->collected->sides[found - 1] : NULL;
}

static bool is_receive(const struct ws_side *side)
{
    return side->means == WS_MEANS_RECV;
}

/* No MPI lets messages of so many bytes wait for their receiver. */
#define ALWAYS_BUFFERED 1024

/* A send that ended before its receive was posted was buffered, and so is all that is shorter. */
static void find_buffered(struct matching *matching)
{
    const struct ws_replay_collected *collected = matching->collected;

    matching->buffered = ALWAYS_BUFFERED;
    for (size_t i = 0; i < collected->side_count; i++) {
        const struct ws_side *receive = &collected->sides[i];
        const struct ws_side *send = is_receive(receive) ? counterpart(matching, 0, receive->key) : NULL;
        if (send && send->done != WS_NOTHING && !send->synchronous && send->bytes > matching->buffered &&
            matching->graph->steps[send->done].exit_ns < matching->graph->steps[receive->start].enter_ns)
            matching->buffered = send->bytes;
    }
}

static void match_receive(struct matching *matching, const struct ws_side *receive)
{
    const struct ws_side *send = counterpart(matching, 0, receive->key);

    if (!send) {
        matching->graph->unmatched++;
        return;
    }
    want_moment(matching, receive->done,
                (struct ws_need){.on = send->start, .event = receive->event, .kind = WS_NEED_MESSAGE,
                                 .buffered = !send->synchronous && send->bytes <= matching->buffered,
                                 .compute_ns = send->compute_ns},
                true);
    if (is_receive(receive) && send->done != WS_NOTHING && (send->synchronous || send->bytes > matching->buffered))
        want_moment(matching, send->done,
                    (struct ws_need){.on = receive->start, .event = send->event, .kind = WS_NEED_RECEIVER,
                                     .compute_ns = receive->compute_ns},
                    send->synchronous);
}

/* ---- access to memory ---- */

/* Which call of an origin waits for the exposure is the MPI's choice: the moment decides. */
static void match_access(struct matching *matching, const struct ws_side *access)
{
    const struct ws_side *post = counterpart(matching, 0, access->key);

    if (post)
        want_moment(matching, access->done,
                    (struct ws_need){.on = post->start, .event = access->event, .kind = WS_NEED_EXPOSURE,
                                     .compute_ns = post->compute_ns},
                    false);
    else if (access->means == WS_MEANS_START)
        matching->graph->unmatched++;
}

static void match_exposure(struct matching *matching, const struct ws_side *wait)
{
    const struct ws_side *complete = counterpart(matching, 1, wait->key);

    if (complete)
        want_moment(matching, wait->done,
                    (struct ws_need){.on = complete->start, .event = wait->event, .kind = WS_NEED_COMPLETION,
                                     .compute_ns = complete->compute_ns},
                    true);
    else
        matching->graph->unmatched++;
}

static void match_sides(struct matching *matching)
{
    const struct ws_replay_collected *collected = matching->collected;

    for (size_t i = 0; i < collected->side_count; i++) {
        enum ws_means means = collected->sides[i].means;
        if (means == WS_MEANS_SEND || means == WS_MEANS_POST)
            ws_map_put(&matching->sides[0], collected->sides[i].key, i + 1);
        else if (means == WS_MEANS_COMPLETE)
            ws_map_put(&matching->sides[1], collected->sides[i].key, i + 1);
    }
    find_buffered(matching);
    for (size_t i = 0; i < collected->side_count; i++) {
        const struct ws_side *side = &collected->sides[i];
        if (side->means == WS_MEANS_RECV || side->means == WS_MEANS_PROBE)
            match_receive(matching, side);
        else if (side->means == WS_MEANS_EXPOSURE_WAIT)
            match_exposure(matching, side);
        else if (side->means != WS_MEANS_SEND && side->means != WS_MEANS_POST)
            match_access(matching, side);
    }
}

/* ---- locks ---- */

/* The ends of holding one target's memory, in the order of time: by whom, and whether nobody else could. */
struct holding {
    uint32_t step, lane;
    bool exclusive;
};
struct target {
    struct holding ended[16]; /* the latest */
    size_t count;
    struct ws_map held; /* lane -> step of its lock << 1 | exclusive, + 1 */
};

/* A lock waits for the latest holder before it that does not go together with it. */
static void match_lock(struct matching *matching, const struct target *target, const struct ws_locking *lock)
{
    for (size_t i = target->count; i-- > 0 && target->count - i <= 16;) {
        const struct holding *before = &target->ended[i % 16];
        if (before->lane == lock->lane || !(before->exclusive || lock->exclusive))
            continue;
        want_moment(matching, lock->step,
                    (struct ws_need){.on = before->step, .event = lock->event, .kind = WS_NEED_LOCK, .of_exit = true},
                    false);
        return;
    }
}

static void match_locking(struct matching *matching, struct target *target, const struct ws_locking *locking)
{
    if (!locking->ends) {
        match_lock(matching, target, locking);
        ws_map_put(&target->held, locking->lane, ((uint64_t)locking->step << 1 | locking->exclusive) + 1);
        return;
    }
    target->ended[target->count++ % 16] = (struct holding){
        locking->step, locking->lane, ((ws_map_get(&target->held, locking->lane) - 1) & 1) != 0};
}

static void match_locks(struct matching *matching)
{
    const struct ws_replay_collected *collected = matching->collected;
    struct target *targets = NULL;
    size_t count = 0, capacity = 0;
    struct ws_map known = {0};

    for (size_t i = 0; i < collected->locking_count; i++) {
        struct ws_map_entry *entry = ws_map_reach(&known, collected->lockings[i].key);
        if (!entry->value) {
            WS_PUSH(targets, count, capacity) = (struct target){0};
            entry->value = count;
        }
        match_locking(matching, &targets[entry->value - 1], &collected->lockings[i]);
    }
    for (size_t i = 0; i < count; i++)
        ws_map_free(&targets[i].held);
    free(targets);
    ws_map_free(&known);
}

/* ---- collective operations ---- */

static void match_attendant(struct matching *matching, uint32_t number)
{
    struct ws_graph *graph = matching->graph;
    const struct ws_attendant *attendant = &graph->attendants[number];
    uint32_t last = attendant->done == WS_NOTHING ? WS_NOTHING : awaited(graph, number), before;
    int64_t early_ns;

    if (last == WS_NOTHING)
        return;
    before = graph->steps[graph->attendants[last].step].before;
    early_ns = came_ns(graph, last) - graph->steps[attendant->done].exit_ns;
    if (early_ns > CLOCK_NS + graph->info->clock_error_ns || (before != WS_NOTHING && before >= attendant->done)) {
        graph->disordered++;
        return;
    }
    want(matching, attendant->done,
         (struct ws_need){.on = number, .event = attendant->event, .kind = WS_NEED_MEETING,
                          .compute_ns = graph->attendants[last].compute_ns, .early_ns = early_ns > 0 ? early_ns : 0});
}

static void match_meetings(struct matching *matching)
{
    for (uint32_t i = 0; i < matching->graph->attendant_count; i++)
        match_attendant(matching, i);
}

/* ---- all ---- */

static int by_step(const void *left, const void *right)
{
    const struct wanted *a = left, *b = right;

    return a->step != b->step ? ws_three_way(a->step, b->step) : ws_three_way(a->need.event, b->need.event);
}

static void lay_out(struct matching *matching)
{
    struct ws_graph *graph = matching->graph;
    size_t next = 0;

    if (matching->count)
        qsort(matching->wanted, matching->count, sizeof *matching->wanted, by_step);
    graph->needs = ws_alloc_array(matching->count + 1, sizeof *graph->needs);
    graph->steps = ws_realloc_array(graph->steps, (size_t)graph->step_count + 1, sizeof *graph->steps);
    memset(&graph->steps[graph->step_count], 0, sizeof *graph->steps);
    for (uint32_t s = 0; s <= graph->step_count; s++) {
        graph->steps[s].first_need = (uint32_t)next;
        for (; next < matching->count && matching->wanted[next].step == s; next++)
            graph->needs[next] = matching->wanted[next].need;
    }
    graph->need_count = (uint32_t)matching->count;
}

/* ---- own times ---- */

/* How long the calls of one function take that need not wait. */
struct usual {
    uint64_t count;
    int64_t total_ns;
};

/* Whether it waited for a message that was still to travel when it was sent, so that its own time has that in it. */
static bool awaits_travel(const struct ws_graph *graph, uint32_t number)
{
    const struct ws_step *step = &graph->steps[number];

    for (uint32_t i = step->first_need; i < step[1].first_need; i++)
        if (graph->needs[i].kind == WS_NEED_MESSAGE && graph->needs[i].buffered &&
            ws_need_moment_ns(graph, &graph->needs[i]) > step->enter_ns)
            return true;
    return false;
}

static struct usual *usual_of(struct usual **list, size_t *count, size_t *capacity, struct ws_map *known,
                              const char *function)
{
    struct ws_map_entry *entry = ws_map_reach(known, (uint64_t)(uintptr_t)function);

    if (!entry->value) {
        WS_PUSH(*list, *count, *capacity) = (struct usual){0};
        entry->value = *count;
    }
    return &(*list)[entry->value - 1];
}

static void find_own_times(struct ws_graph *graph)
{
    struct usual *list = NULL;
    size_t count = 0, capacity = 0;
    struct ws_map known = {0};

    for (uint32_t s = 0; s < graph->step_count; s++) {
        struct ws_step *step = &graph->steps[s];
        int64_t wait_ns = ws_step_wait_ns(graph, s);
        step->own_ns = step->local_ns = step->exit_ns - step->enter_ns - wait_ns;
        if (wait_ns == 0 && step->first_need < step[1].first_need) {
            struct usual *usual = usual_of(&list, &count, &capacity, &known, step->function);
            usual->total_ns = ws_add_ns(usual->total_ns, step->own_ns);
            usual->count++;
        }
    }
    for (uint32_t s = 0; s < graph->step_count; s++) {
        struct ws_step *step = &graph->steps[s];
        const struct usual *usual;
        int64_t usual_ns;
        if (!awaits_travel(graph, s))
            continue;
        usual = usual_of(&list, &count, &capacity, &known, step->function);
        usual_ns = usual->count ? usual->total_ns / (int64_t)usual->count : 0;
        step->local_ns = usual_ns < step->own_ns ? usual_ns : step->own_ns;
    }
    free(list);
    ws_map_free(&known);
}

void ws_replay_match(struct ws_replay_collected *collected)
{
    struct matching matching = {.collected = collected, .graph = collected->graph};

    gather_meetings(collected->graph);
    match_sides(&matching);
    match_locks(&matching);
    match_meetings(&matching);
    lay_out(&matching);
    find_own_times(collected->graph);
    free(matching.wanted);
    ws_map_free(&matching.sides[0]);
    ws_map_free(&matching.sides[1]);
}
