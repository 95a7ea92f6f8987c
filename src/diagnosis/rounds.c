#include "diagnosis/rounds.h"

#include "diagnosis/unmatched.h"
#include "diagnosis/wire.h"
#include "trace/merge.h"
#include "util/alloc.h"
#include "util/pack.h"

#include <stdlib.h>

/* Events read ahead by all members together, and at least by each: a few megabytes, which make the work of a
 * round worth more than the agreeing. */
#define ALL_AHEAD 65536
#define LEAST_AHEAD 16384

/* An event that waits for its round. */
struct waiting {
    struct ws_event *event;
    uint32_t *units; /* on this member, in the arena of the round; NULL: none */
    size_t unit_count;
};
/* An event of this round for this member. */
struct arrival {
    const struct ws_event *event;
    const uint32_t *units; /* unaligned */
    size_t unit_count;
};
/* What came of one member, in order. */
struct source {
    struct ws_wire_in wire;
    struct arrival *list;
    size_t count, capacity, next;
};
struct work {
    struct ws_rounds *rounds;
    struct ws_wire_types types;
    struct waiting *queue; /* read and not yet sent, in order */
    size_t first, count, capacity;
    size_t ahead; /* to read ahead */
    size_t sent;  /* of the queue, in this round */
    bool ended;   /* the trace is read to its end */
    uint32_t mark;
    struct ws_wire_out *wires; /* [member] */
    struct ws_text *parts, *received;
    struct source *sources;   /* [member] */
    struct arrival *arrivals; /* all of them, in the order of the trace */
    struct ws_merge by_end;   /* of the sources of which something is left */
    int64_t *lows;            /* no arrival from here on begins before */
    size_t arrival_count, arrival_capacity;
    uint32_t *units;       /* room for the units of one event */
    struct ws_arena arena; /* of the round */
    struct ws_unmatched unmatched;
    int64_t until_ns; /* events that end before are of this round */
    int64_t low_ns;   /* no event of a later round begins before */
};

/* ---- reading ahead ---- */

static struct ws_event *copy_of(const struct work *work, const struct ws_event *event)
{
    size_t slots = work->rounds->partition->kb->types[event->type]->slot_count;
    size_t size = sizeof *event + slots * sizeof *event->value;

    return memcpy(ws_alloc(size), event, size);
}

static void make_room(struct work *work)
{
    if (work->first == 0)
        return;
    memmove(work->queue, work->queue + work->first, (work->count - work->first) * sizeof *work->queue);
    work->count -= work->first;
    work->first = 0;
}

/* Enough for this round: so many events, and all that end together with the first, so that it can go. */
static bool enough(const struct work *work)
{
    const struct ws_event *first;

    if (work->count - work->first < work->ahead)
        return false;
    first = work->queue[work->first].event;
    return ws_trace_next_end_ns(work->rounds->trace) > first->value[WS_ATTR_END].i;
}

static int read_ahead(struct work *work, struct ws_error *error)
{
    make_room(work);
    while (!work->ended && !enough(work)) {
        const struct ws_event *event;
        int got = ws_trace_next(work->rounds->trace, &event, error);
        if (got < 0)
            return -1;
        if (got == 0) {
            work->ended = true;
        } else if (work->rounds->partition->route_counts[event->type]) {
            struct ws_event *copy = copy_of(work, event);
            copy->mark = work->mark++;
            WS_PUSH(work->queue, work->count, work->capacity) = (struct waiting){.event = copy};
        }
    }
    return 0;
}

/* ---- agreeing ---- */

static bool is_due(const struct work *work, const struct ws_event *event)
{
    return work->until_ns == INT64_MAX || event->value[WS_ATTR_END].i < work->until_ns;
}

/* Up to when all have read, and whether somebody failed. */
static int agree(struct work *work, int result, struct ws_error *error)
{
    int64_t values[] = {result, work->ended ? INT64_MAX : ws_trace_next_end_ns(work->rounds->trace)};

    ws_team_least(work->rounds->team, values, 2);
    work->until_ns = values[1];
    return values[0] == 0 ? 0 : ws_team_agree(work->rounds->team, result, error);
}

/* What this member has still to send in later rounds begins no earlier. */
static int64_t low_of_rest(const struct work *work)
{
    int64_t low_ns = work->ended ? INT64_MAX : ws_trace_low_ns(work->rounds->trace);

    for (size_t i = work->sent; i < work->count; i++) {
        int64_t t_ns = work->queue[i].event->value[WS_ATTR_T].i;
        low_ns = t_ns < low_ns ? t_ns : low_ns;
    }
    return low_ns;
}

/* ---- sending ---- */

/* The units of the event on one member; gives their number. */
static size_t units_on(const struct work *work, const struct ws_event *event, uint32_t member,
                       const uint32_t *places, uint32_t *units)
{
    const struct ws_partition *partition = work->rounds->partition;
    size_t count = 0;

    for (size_t r = 0; r < partition->route_counts[event->type]; r++)
        if (places[r] == member)
            units[count++] = partition->routes[event->type][r].unit;
    return count;
}

static void send_event(struct work *work, struct waiting *waiting)
{
    struct ws_rounds *rounds = work->rounds;
    const struct ws_event *event = waiting->event;
    size_t routes = rounds->partition->route_counts[event->type];
    uint32_t *places = work->units, *units = work->units + rounds->partition->unit_count;

    for (size_t r = 0; r < routes; r++)
        places[r] = ws_partition_place(rounds->partition, &rounds->partition->routes[event->type][r], event,
                                       rounds->owners);
    for (size_t r = 0; r < routes; r++) {
        uint32_t member = places[r];
        size_t count;
        bool before = false;
        for (size_t i = 0; i < r; i++)
            before |= places[i] == member;
        if (before)
            continue;
        count = units_on(work, event, member, places, units);
        if (member != rounds->team->rank) {
            ws_wire_put(&work->wires[member], &work->types, rounds->trace, event, units, count,
                        &work->parts[member]);
        } else {
            waiting->units = ws_arena_alloc(&work->arena, count * sizeof *units);
            waiting->unit_count = count;
            memcpy(waiting->units, units, count * sizeof *units);
        }
    }
}

static void send_due(struct work *work)
{
    struct ws_team *team = work->rounds->team;

    for (uint32_t m = 0; m < team->size; m++)
        ws_text_clear(&work->parts[m]);
    for (work->sent = work->first; work->sent < work->count; work->sent++) {
        if (!is_due(work, work->queue[work->sent].event))
            break;
        send_event(work, &work->queue[work->sent]);
    }
    work->low_ns = low_of_rest(work);
    ws_team_least(team, &work->low_ns, 1);
    ws_team_exchange(team, work->parts, work->received);
}

/* ---- what arrives ---- */

static void take_own(struct work *work, struct source *source)
{
    for (size_t i = work->first; i < work->sent; i++) {
        const struct waiting *waiting = &work->queue[i];
        if (waiting->units)
            WS_PUSH(source->list, source->count, source->capacity) =
                (struct arrival){waiting->event, waiting->units, waiting->unit_count};
    }
}

static int take_from(struct work *work, uint32_t member, struct ws_error *error)
{
    struct source *source = &work->sources[member];
    struct ws_unpack in = ws_unpack_begin(&work->received[member]);
    struct ws_wire_event next;
    int got;

    do {
        next.event = ws_wire_room(&work->types, &work->arena);
        got = ws_wire_take(&source->wire, &work->types, work->rounds->trace, &in, &next);
        if (got > 0)
            WS_PUSH(source->list, source->count, source->capacity) =
                (struct arrival){next.event, next.units, next.unit_count};
    } while (got > 0);
    return got == 0 ? 0 : ws_fail(error, WS_ENVIRONMENT, "what member %u sends makes no sense", member);
}

static int take_all(struct work *work, struct ws_error *error)
{
    const struct ws_team *team = work->rounds->team;
    int result = 0;

    for (uint32_t m = 0; m < team->size && result == 0; m++) {
        work->sources[m].count = work->sources[m].next = 0;
        if (m == team->rank)
            take_own(work, &work->sources[m]);
        else
            result = take_from(work, m, error);
    }
    return result;
}

/* ---- the order of the trace ---- */

/* Of what a member sent, what is not yet merged. */
static const struct ws_event *next_of(const struct source *source)
{
    return source->list[source->next].event;
}

/* Events of one rank come from one member, in order: end and rank decide, and a member's ranks are greater
 * than those of the members before it. */
static void merge(struct work *work)
{
    struct ws_merge *merging = &work->by_end;

    work->arrival_count = 0;
    for (uint32_t m = 0; m < work->rounds->team->size; m++) {
        struct source *source = &work->sources[m];
        if (source->count)
            ws_merge_add(merging, next_of(source)->value[WS_ATTR_END].i, source);
    }
    while (merging->count > 0) {
        struct source *source = ws_merge_first(merging);
        WS_PUSH(work->arrivals, work->arrival_count, work->arrival_capacity) = source->list[source->next++];
        if (source->next == source->count)
            ws_merge_remove(merging);
        else
            ws_merge_delay(merging, next_of(source)->value[WS_ATTR_END].i);
    }
}

/* lows[i] is about the arrivals behind the i-th, too. */
static void find_lows(struct work *work)
{
    int64_t low_ns = work->low_ns;

    work->lows = ws_realloc_array(work->lows, work->arrival_count, sizeof *work->lows);
    for (size_t i = work->arrival_count; i-- > 0;) {
        int64_t t_ns = work->arrivals[i].event->value[WS_ATTR_T].i;
        work->lows[i] = low_ns;
        low_ns = t_ns < low_ns ? t_ns : low_ns;
    }
}

/* ---- feeding ---- */

static int feed(struct work *work, size_t number, struct ws_error *error)
{
    const struct arrival *arrival = &work->arrivals[number];

    for (size_t i = 0; i < arrival->unit_count; i++) {
        struct ws_engine *engine = NULL;
        uint32_t unit;
        memcpy(&unit, arrival->units + i, sizeof unit);
        if (unit < work->rounds->partition->unit_count)
            engine = work->rounds->engines[unit];
        if (!engine)
            return ws_fail(error, WS_ENVIRONMENT, "an event came to a member that does not want it");
        if (engine->ops->feed(engine, arrival->event, work->lows[number], error) != 0)
            return -1;
    }
    return 0;
}

static int feed_all(struct work *work, struct ws_error *error)
{
    int result = take_all(work, error);

    if (result == 0) {
        merge(work);
        find_lows(work);
    }
    for (size_t i = 0; i < work->arrival_count && result == 0; i++)
        result = feed(work, i, error);
    return result;
}

static void drop_sent(struct work *work)
{
    for (size_t i = work->first; i < work->sent; i++)
        free(work->queue[i].event);
    work->first = work->sent;
    ws_arena_free(&work->arena);
}

/* ---- all of it ---- */

static int run_rounds(struct work *work, struct ws_error *error)
{
    struct ws_rounds *rounds = work->rounds;
    int result = 0;

    work->until_ns = INT64_MIN;
    while (work->until_ns != INT64_MAX) {
        if (result == 0)
            result = read_ahead(work, error);
        if (agree(work, result, error) != 0)
            return -1;
        send_due(work);
        result = feed_all(work, error);
        drop_sent(work);
        if (rounds->after && rounds->after(rounds->context, work->low_ns, work->until_ns, error) != 0)
            result = -1;
    }
    return ws_team_agree(rounds->team, result, error);
}

static int create_engines(struct work *work, struct ws_error *error)
{
    struct ws_rounds *rounds = work->rounds;
    const struct ws_partition *partition = rounds->partition;
    struct ws_sink sink = rounds->sink;
    int result = 0;

    ws_unmatched_init(&work->unmatched, partition, &sink);
    rounds->engines = ws_alloc_array(partition->unit_count, sizeof *rounds->engines);
    for (size_t u = 0; u < partition->unit_count && result == 0; u++) {
        const struct ws_unit *unit = &partition->units[u];
        if (unit->whole && unit->member % rounds->team->size != rounds->team->rank)
            continue;
        rounds->engines[u] = rounds->ops->create(partition->kb, unit->scopes, &work->unmatched.sink, error);
        result = rounds->engines[u] ? 0 : -1;
    }
    return ws_team_agree(rounds->team, result, error);
}

static int finish_engines(struct work *work, struct ws_engine_stats *sums, struct ws_error *error)
{
    struct ws_rounds *rounds = work->rounds;
    int result = 0;

    for (size_t u = 0; u < rounds->partition->unit_count && result == 0; u++) {
        struct ws_engine *engine = rounds->engines[u];
        struct ws_engine_stats stats = {0};
        if (!engine)
            continue;
        result = engine->ops->finish(engine, &stats, error);
        sums->composites += stats.composites;
        sums->clock_violations += stats.clock_violations;
        sums->unmatched += stats.unmatched;
        sums->most_live += stats.most_live;
    }
    return ws_team_agree(rounds->team, result, error);
}

static void add_up(struct work *work, struct ws_engine_stats *sums)
{
    int64_t values[] = {(int64_t)sums->composites, (int64_t)sums->clock_violations, (int64_t)sums->most_live,
                        work->mark};

    ws_team_sum(work->rounds->team, values, 4);
    sums->composites = (uint64_t)values[0];
    sums->clock_violations = (uint64_t)values[1];
    sums->most_live = (uint64_t)values[2];
    sums->events = (uint64_t)values[3];
    sums->unmatched =
        ws_unmatched_count(&work->unmatched, sums->unmatched, work->rounds->team, work->rounds->owners);
}

static void begin(struct work *work, struct ws_rounds *rounds)
{
    uint32_t size = rounds->team->size;

    *work = (struct work){.rounds = rounds, .ahead = rounds->ahead};
    if (!work->ahead)
        work->ahead = ALL_AHEAD / size > LEAST_AHEAD ? ALL_AHEAD / size : LEAST_AHEAD;
    ws_wire_types_init(&work->types, rounds->partition->kb);
    work->wires = ws_alloc_array(size, sizeof *work->wires);
    work->parts = ws_alloc_array(size, sizeof *work->parts);
    work->received = ws_alloc_array(size, sizeof *work->received);
    work->sources = ws_alloc_array(size, sizeof *work->sources);
    work->units = ws_alloc_array(2 * rounds->partition->unit_count, sizeof *work->units);
}

static void end(struct work *work)
{
    for (size_t i = work->first; i < work->count; i++)
        free(work->queue[i].event);
    for (uint32_t m = 0; m < work->rounds->team->size; m++) {
        ws_wire_out_free(&work->wires[m]);
        ws_wire_in_free(&work->sources[m].wire);
        ws_text_free(&work->parts[m]);
        ws_text_free(&work->received[m]);
        free(work->sources[m].list);
    }
    free(work->queue);
    free(work->wires);
    free(work->parts);
    free(work->received);
    free(work->sources);
    free(work->arrivals);
    ws_merge_free(&work->by_end);
    free(work->lows);
    free(work->units);
    ws_arena_free(&work->arena);
    ws_unmatched_free(&work->unmatched);
    ws_wire_types_free(&work->types);
}

int ws_rounds_run(struct ws_rounds *rounds, struct ws_engine_stats *stats, struct ws_error *error)
{
    struct work work;
    int result;

    *stats = (struct ws_engine_stats){0};
    begin(&work, rounds);
    result = create_engines(&work, error);
    if (result == 0)
        result = run_rounds(&work, error);
    if (result == 0)
        result = finish_engines(&work, stats, error);
    if (result == 0)
        add_up(&work, stats);
    ws_rounds_free(rounds);
    end(&work);
    return result;
}

void ws_rounds_free(struct ws_rounds *rounds)
{
    for (size_t u = 0; rounds->engines && u < rounds->partition->unit_count; u++)
        if (rounds->engines[u])
            rounds->engines[u]->ops->destroy(rounds->engines[u]);
    free(rounds->engines);
    rounds->engines = NULL;
}
