#include "replay/delays.h"

#include "trace/map.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define CALLS_BACK 256 /* that are compared on either side */

const char *const ws_cause_kind_names[WS_CAUSE_KINDS] = {"computation", "io", "call", "wavefront"};

struct spent { /* by both on the same thing: a computation between the same calls, the same call */
    enum ws_cause_kind kind;
    uint32_t from, to; /* steps of the delayer */
    int64_t by_delayer_ns, by_waiter_ns;
};
struct slot {
    uint64_t stamp, key; /* free unless the stamp is that of the wait at hand */
    uint32_t spent;
};
#define SLOTS 4096 /* more than twice the pieces on both sides */

struct target { /* of a part of a cost: a cause, or a need that passes it on */
    bool passes_on;
    uint32_t number;
    double weight;
};
struct search {
    struct ws_delays *delays;
    const struct ws_waiting *waiting;
    const struct ws_graph *graph;
    struct ws_map known; /* cause -> its number + 1 */
    size_t cause_capacity, cost_capacity;
    struct slot slots[SLOTS];
    uint64_t stamp;
    struct spent spent[SLOTS / 2];
    size_t spent_count;
    struct { /* the delayer's own waits */
        uint32_t need;
        int64_t ns;
    } waits[CALLS_BACK + 1];
    size_t wait_count;
    int64_t waited_ns; /* by the waiter before */
    struct target targets[SLOTS / 2 + CALLS_BACK + 1];
    size_t target_count;
};

/* ---- what both did ---- */

/* After MurmurHash3's finalizer, as the keys of a graph. */
static uint64_t mix(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ key >> 29;
}

static uint64_t call_key(const struct ws_graph *graph, uint64_t key, uint32_t step)
{
    if (step == WS_NOTHING)
        return mix(key, 1);
    key = mix(key, (uint64_t)graph->steps[step].site);
    return mix(key, (uint64_t)(uintptr_t)graph->steps[step].function);
}

uint64_t ws_cause_key(const struct ws_graph *graph, enum ws_cause_kind kind, uint32_t from, uint32_t to)
{
    uint64_t key = mix(UINT64_C(0x9e3779b97f4a7c15), kind);

    return call_key(graph, kind == WS_CAUSE_COMPUTATION ? call_key(graph, key, from) : key, to);
}

static struct spent *spent_on(struct search *search, enum ws_cause_kind kind, uint32_t from, uint32_t to)
{
    uint64_t key = ws_cause_key(search->graph, kind, from, to);
    size_t at = (size_t)key % SLOTS;

    while (search->slots[at].stamp == search->stamp && search->slots[at].key != key)
        at = (at + 1) % SLOTS;
    if (search->slots[at].stamp != search->stamp) {
        search->slots[at] = (struct slot){search->stamp, key, (uint32_t)search->spent_count};
        search->spent[search->spent_count++] = (struct spent){.kind = kind, .from = from, .to = to};
    }
    return &search->spent[search->slots[at].spent];
}

struct walk { /* backwards over a thread's time */
    struct search *search;
    bool of_delayer;
    int64_t from_ns, until_ns; /* the part that counts */
};

/* The part of a stretch of time that counts. */
static int64_t within(const struct walk *walk, int64_t begin_ns, int64_t end_ns)
{
    begin_ns = begin_ns > walk->from_ns ? begin_ns : walk->from_ns;
    end_ns = end_ns < walk->until_ns ? end_ns : walk->until_ns;
    return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

static void add(struct walk *walk, enum ws_cause_kind kind, uint32_t from, uint32_t to, int64_t ns)
{
    struct spent *spent;

    if (ns == 0)
        return;
    spent = spent_on(walk->search, kind, from, to);
    if (walk->of_delayer)
        spent->by_delayer_ns += ns;
    else
        spent->by_waiter_ns += ns;
}

static int64_t left_ns(const struct ws_graph *graph, uint32_t step)
{
    const struct ws_step *its = &graph->steps[step];

    return its->before == WS_NOTHING ? graph->lanes[its->lane].begin_ns : graph->steps[its->before].exit_ns;
}

static void add_call(struct walk *walk, uint32_t number)
{
    struct search *search = walk->search;
    const struct ws_step *step = &search->graph->steps[number];
    int64_t waited_until_ns = step->enter_ns + search->waiting->wait_ns[number];
    int64_t waited_ns = within(walk, step->enter_ns, waited_until_ns);

    add(walk, step->io ? WS_CAUSE_IO : WS_CAUSE_CALL, WS_NOTHING, number,
        within(walk, waited_until_ns, step->exit_ns));
    if (!walk->of_delayer) {
        search->waited_ns += waited_ns;
    } else if (waited_ns > 0) {
        search->waits[search->wait_count].need = search->waiting->binding[number];
        search->waits[search->wait_count++].ns = waited_ns;
    }
}

/* The computation before a step, the call before that, and so on; with_call: the step itself first. */
static void walk_back(struct walk *walk, uint32_t step, bool with_call)
{
    const struct ws_graph *graph = walk->search->graph;

    for (size_t i = 0; i < CALLS_BACK && step != WS_NOTHING; i++) {
        uint32_t before = graph->steps[step].before;
        if (with_call)
            add_call(walk, step);
        add(walk, WS_CAUSE_COMPUTATION, before, step,
            within(walk, left_ns(graph, step), graph->steps[step].enter_ns));
        if (left_ns(graph, step) <= walk->from_ns)
            return;
        step = before;
        with_call = true;
    }
}

/* The end of the call before which no more is looked at; INT64_MIN: all is. */
static int64_t horizon_ns(const struct ws_graph *graph, uint32_t step, int64_t from_ns)
{
    for (size_t i = 0; i < CALLS_BACK; i++) {
        if (step == WS_NOTHING || graph->steps[step].enter_ns <= from_ns)
            return INT64_MIN;
        step = graph->steps[step].before;
    }
    return step == WS_NOTHING ? INT64_MIN : graph->steps[step].exit_ns;
}

/* What the delayer and the waiter did since they met.  Both are looked at from the same moment on, so that
 * the one's surplus is what the other waited. */
static void compare(struct search *search, uint32_t step, uint32_t need)
{
    const struct ws_graph *graph = search->graph;
    uint32_t other = search->waiting->other[need];
    int64_t from_ns = search->waiting->since_ns[need], enter_ns = graph->steps[step].enter_ns;
    int64_t first_ns = horizon_ns(graph, step, from_ns), second_ns = horizon_ns(graph, other, from_ns);
    struct walk walk = {.search = search, .of_delayer = true};

    from_ns = first_ns > from_ns ? first_ns : from_ns;
    from_ns = second_ns > from_ns ? second_ns : from_ns;
    walk.from_ns = from_ns < enter_ns ? from_ns : enter_ns;
    walk.until_ns = search->waiting->moment_ns[need];
    search->stamp++;
    search->spent_count = search->wait_count = 0;
    search->waited_ns = 0;
    walk_back(&walk, other, graph->needs[need].of_exit);
    walk.of_delayer = false;
    walk.until_ns = enter_ns;
    walk_back(&walk, step, false);
}

/* ---- who answers for how much ---- */

static uint32_t new_cause(struct search *search, const struct ws_cause *cause)
{
    struct ws_delays *delays = search->delays;
    size_t columns = delays->columns, needed = (delays->cause_count + 1) * columns;

    WS_PUSH(delays->causes, delays->cause_count, search->cause_capacity) = *cause;
    if (needed > search->cost_capacity) {
        search->cost_capacity = 2 * needed;
        delays->costs = ws_realloc_array(delays->costs, search->cost_capacity, sizeof *delays->costs);
    }
    memset(&delays->costs[needed - columns], 0, columns * sizeof *delays->costs);
    return (uint32_t)delays->cause_count - 1;
}

static uint32_t cause_of(struct search *search, enum ws_cause_kind kind, uint32_t lane, uint32_t from,
                         uint32_t to)
{
    uint32_t rank = search->graph->lanes[lane].rank;
    uint64_t key = mix(ws_cause_key(search->graph, kind, from, to), rank);
    struct ws_map_entry *entry = ws_map_reach(&search->known, key);
    const struct ws_cause cause = {
        .kind = kind, .rank = rank, .from = from, .to = to, .wavefront = WS_NOTHING, .through = WS_NOTHING};

    if (!entry->value)
        entry->value = new_cause(search, &cause) + 1;
    return (uint32_t)entry->value - 1;
}

static uint32_t cause_of_wavefront(struct search *search, uint32_t number)
{
    const struct ws_wavefront *wavefront = &search->delays->wavefronts->list[number];
    struct ws_map_entry *entry = ws_map_reach(&search->known, mix(UINT64_C(0x5741564546524f4e), number));
    const struct ws_cause cause = {.kind = WS_CAUSE_WAVEFRONT,
                                   .rank = search->graph->lanes[wavefront->first_lane].rank,
                                   .from = wavefront->receive,
                                   .to = wavefront->send,
                                   .wavefront = number,
                                   .through = WS_NOTHING};

    if (!entry->value)
        entry->value = new_cause(search, &cause) + 1;
    return (uint32_t)entry->value - 1;
}

static void aim(struct search *search, bool passes_on, uint32_t number, double weight)
{
    search->targets[search->target_count++] = (struct target){passes_on, number, weight};
}

/* Of the time that the delayer has spent more on one activity, each place gets its share. */
static void aim_at_places(struct search *search, uint32_t lane, enum ws_cause_kind kind)
{
    double surplus = 0, positive = 0;

    for (size_t i = 0; i < search->spent_count; i++) {
        const struct spent *spent = &search->spent[i];
        double more = (double)(spent->by_delayer_ns - spent->by_waiter_ns);
        if (spent->kind != kind)
            continue;
        surplus += more;
        positive += more > 0 ? more : 0;
    }
    for (size_t i = 0; i < search->spent_count && surplus > 0; i++) {
        const struct spent *spent = &search->spent[i];
        double more = (double)(spent->by_delayer_ns - spent->by_waiter_ns);
        if (spent->kind == kind && more > 0)
            aim(search, false, cause_of(search, kind, lane, spent->from, spent->to),
                surplus * more / positive);
    }
}

static void aim_at_waits(struct search *search)
{
    double waited = 0, surplus;

    for (size_t i = 0; i < search->wait_count; i++)
        waited += (double)search->waits[i].ns;
    surplus = waited - (double)search->waited_ns;
    for (size_t i = 0; i < search->wait_count && surplus > 0; i++)
        aim(search, true, search->waits[i].need, surplus * (double)search->waits[i].ns / waited);
}

static void find_targets(struct search *search, uint32_t step, uint32_t need)
{
    uint32_t wavefront = search->delays->wavefronts->of_step[step], other = search->waiting->other[need];
    uint32_t lane = search->graph->steps[other].lane;

    search->target_count = 0;
    if (wavefront != WS_NOTHING && need == search->waiting->binding[step]) {
        aim(search, false, cause_of_wavefront(search, wavefront), 1);
        return;
    }
    compare(search, step, need);
    aim_at_places(search, lane, WS_CAUSE_COMPUTATION);
    aim_at_places(search, lane, WS_CAUSE_IO);
    aim_at_places(search, lane, WS_CAUSE_CALL);
    aim_at_waits(search);
    if (search->target_count == 0) /* where nothing tells: what came just before it */
        aim(search, false,
            cause_of(search, WS_CAUSE_COMPUTATION, lane, search->graph->steps[other].before, other), 1);
}

/* ---- costs ---- */

static void note_way(struct search *search, const struct target *target, uint32_t need, int64_t ns)
{
    struct ws_delays *delays = search->delays;
    struct ws_cause *cause = target->passes_on ? NULL : &delays->causes[target->number];
    uint32_t *through = cause ? &cause->through : &delays->through[target->number];
    int64_t *through_ns = cause ? &cause->through_ns : &delays->through_ns[target->number];

    if (ns > *through_ns) {
        *through_ns = ns;
        *through = need;
    }
}

static void give(struct search *search, const struct target *target, uint32_t need, size_t column, int64_t ns)
{
    struct ws_delays *delays = search->delays;
    int64_t *to = target->passes_on
                      ? &delays->wait_costs[target->number * delays->columns + delays->goes_to[column]]
                      : &delays->costs[target->number * delays->columns + column];

    *to = ws_add_ns(*to, ns);
    if (ns > 0)
        note_way(search, target, need, ns);
}

/* In whole nanoseconds, of which none is lost: each target gets up to its share of the sum so far. */
static void share_out(struct search *search, uint32_t need, size_t column)
{
    int64_t *cost_ns = &search->delays->wait_costs[need * search->delays->columns + column], given_ns = 0;
    double whole = 0, so_far = 0;

    for (size_t i = 0; i < search->target_count; i++)
        whole += search->targets[i].weight;
    for (size_t i = 0; i < search->target_count; i++) {
        int64_t until_ns;
        so_far += search->targets[i].weight;
        until_ns = i + 1 == search->target_count ? *cost_ns : ws_round((double)*cost_ns * (so_far / whole));
        until_ns = until_ns > *cost_ns ? *cost_ns : until_ns < given_ns ? given_ns : until_ns;
        give(search, &search->targets[i], need, column, until_ns - given_ns);
        given_ns = until_ns;
    }
    *cost_ns = 0;
}

static void settle_need(struct search *search, uint32_t step, uint32_t need)
{
    struct ws_delays *delays = search->delays;
    bool any = false;

    for (size_t i = 0; i < delays->columns; i++)
        any |= delays->wait_costs[need * delays->columns + i] > 0;
    if (!any)
        return;
    find_targets(search, step, need);
    for (size_t i = 0; i < delays->columns; i++)
        if (delays->wait_costs[need * delays->columns + i] > 0)
            share_out(search, need, i);
}

void ws_delays_init(struct ws_delays *delays, const struct ws_waiting *waiting,
                    const struct ws_wavefronts *wavefronts, size_t columns, const size_t *goes_to)
{
    size_t needs = (size_t)waiting->graph->need_count + 1;

    memset(delays, 0, sizeof *delays);
    delays->waiting = waiting;
    delays->wavefronts = wavefronts;
    delays->columns = columns;
    delays->goes_to = goes_to;
    delays->wait_costs = ws_alloc_array(needs * columns, sizeof *delays->wait_costs);
    delays->through = ws_alloc_array(needs, sizeof *delays->through);
    delays->through_ns = ws_alloc_array(needs, sizeof *delays->through_ns);
    for (size_t i = 0; i < needs; i++)
        delays->through[i] = WS_NOTHING;
}

/* A wait of the delayer lies before the wait that it causes, in the order of the steps: so backwards, each
 * need has all that it is passed when its turn comes. */
void ws_delays_find(struct ws_delays *delays)
{
    struct search *search = ws_alloc(sizeof *search);

    search->delays = delays;
    search->waiting = delays->waiting;
    search->graph = delays->waiting->graph;
    for (uint32_t s = search->graph->step_count; s-- > 0;)
        for (uint32_t i = search->graph->steps[s].first_need; i < search->graph->steps[s + 1].first_need; i++)
            settle_need(search, s, i);
    ws_map_free(&search->known);
    free(search);
}

void ws_delays_free(struct ws_delays *delays)
{
    free(delays->wait_costs);
    free(delays->through);
    free(delays->through_ns);
    free(delays->causes);
    free(delays->costs);
    memset(delays, 0, sizeof *delays);
}
