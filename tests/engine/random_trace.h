/* Random traces as MPI programs leave them, for the rules of kb/mpi: every type of simple event, messages
 * with numbers, non-blocking operations, collective operations on communicators of some ranks, epochs of
 * windows, ranks whose stream is lost, clocks that are a little off, ties. */
#ifndef WS_TESTS_RANDOM_TRACE_H
#define WS_TESTS_RANDOM_TRACE_H

#include "random_rules.h"

#define MOST_RANKS 6
#define MOST_COMMS 4
#define MOST_MADE 300

struct made { /* a trace in the making */
    const struct ws_kb *kb;
    struct random *random;
    struct ws_event **events;
    size_t count, most;
    size_t ranks;
    bool lost[MOST_RANKS];
    int64_t now[MOST_RANKS], calls[MOST_RANKS], before_d[MOST_RANKS];
    const char *before[MOST_RANKS];
    size_t members[MOST_COMMS]; /* sets of ranks; 0 is the world */
    size_t comms;
    int64_t numbers[64][MOST_COMMS][MOST_RANKS][MOST_RANKS][3]; /* by type, communicator, ranks, tag */
};

static int64_t small(struct made *made, size_t bound)
{
    return (int64_t)below(made->random, bound);
}

static void made_set(const struct ws_event_type *type, struct ws_event *event, const char *name,
                     int64_t value)
{
    int slot = ws_type_slot(type, name);
    if (slot >= 0)
        event->value[slot].i = value;
}

/* An operation that was posted at `posted` and completed by a call from t to end; unnamed values are random.
 */
static struct ws_event *made_add(struct made *made, const char *name, size_t rank, int64_t posted, int64_t t,
                                 int64_t end)
{
    static const char *const functions[] = {"MPI_Send", "MPI_Recv",   "MPI_Sendrecv",
                                            "MPI_Wait", "MPI_Gather", "MPI_Allreduce"};
    const struct ws_event_type *type = ws_kb_type(made->kb, name);
    struct ws_event *event = calloc(1, sizeof *event + type->slot_count * sizeof *event->value);

    event->type = type->index;
    for (size_t i = 0; i < type->slot_count; i++) {
        event->value[i].i = small(made, 3);
        if (type->slots[i].type == WS_TYPE_STRING)
            event->value[i].s = "";
        else if (type->slots[i].type == WS_TYPE_BOOLEAN)
            event->value[i].i = small(made, 2);
        else if (type->slots[i].type == WS_TYPE_REAL)
            event->value[i].r = (double)small(made, 3);
    }
    event->value[WS_ATTR_T].i = t;
    event->value[WS_ATTR_D].i = end - t;
    event->value[WS_ATTR_END].i = end;
    event->value[WS_ATTR_PROCESS].i = (int64_t)rank;
    event->value[WS_ATTR_POSTED].i = posted;
    event->value[WS_ATTR_FUNCTION].s = functions[small(made, 6)];
    event->value[WS_ATTR_POSTED_FUNCTION].s = event->value[WS_ATTR_FUNCTION].s;
    event->value[WS_ATTR_COMPUTE].i = t - made->now[rank] > 0 ? t - made->now[rank] : 0;
    event->value[WS_ATTR_BEFORE].s = made->before[rank] ? made->before[rank] : "";
    event->value[WS_ATTR_BEFORE_FUNCTION].s = made->before[rank] ? functions[small(made, 6)] : "";
    event->value[WS_ATTR_BEFORE_D].i = made->before_d[rank];
    event->value[WS_ATTR_CALL].i = made->calls[rank]++;
    made->before[rank] = type->name;
    made->before_d[rank] = end - t;
    if (end > made->now[rank])
        made->now[rank] = end;
    if (made->lost[rank] || made->count == made->most) {
        free(event);
        return NULL;
    }
    made->events[made->count++] = event;
    return event;
}

static int64_t made_begin(struct made *made, size_t rank)
{
    return made->now[rank] + small(made, 40);
}

static bool is_in(const struct made *made, size_t comm, size_t rank)
{
    return made->members[comm] >> rank & 1;
}

static size_t member_count(const struct made *made, size_t comm)
{
    return (size_t)__builtin_popcountll(made->members[comm]);
}

static size_t pick_member(struct made *made, size_t comm)
{
    size_t rank = below(made->random, made->ranks);

    while (!is_in(made, comm, rank))
        rank = (rank + 1) % made->ranks;
    return rank;
}

static int64_t count_on(struct made *made, const char *type, size_t comm, size_t a, size_t b, size_t tag)
{
    return ++made->numbers[ws_kb_type(made->kb, type)->index % 64][comm][a][b][tag];
}

/* One side of a message; posted some time before where it is non-blocking. */
static void message_side(struct made *made, const char *name, size_t rank, int64_t peer, size_t comm,
                         size_t tag, int64_t n, int64_t not_before)
{
    int64_t t = made_begin(made, rank), posted = chance(made->random, 40) ? t - small(made, 50) : t;
    int64_t end = (t > not_before ? t : not_before) + small(made, 10);
    struct ws_event *event = made_add(made, name, rank, posted, t, end);

    if (!event)
        return;
    made_set(ws_kb_type(made->kb, name), event, "peer", peer);
    made_set(ws_kb_type(made->kb, name), event, "comm", (int64_t)comm);
    made_set(ws_kb_type(made->kb, name), event, "tag", (int64_t)tag);
    made_set(ws_kb_type(made->kb, name), event, "bytes", chance(made->random, 50) ? 8 : 5000);
    made_set(ws_kb_type(made->kb, name), event, "n", n);
}

static void make_message(struct made *made, const char *send, const char *recv)
{
    size_t comm = below(made->random, made->comms), tag = below(made->random, 3);
    size_t sender = pick_member(made, comm), receiver = pick_member(made, comm);
    int64_t n = count_on(made, send, comm, sender, receiver, tag), sent = made->now[sender];
    bool nobody = chance(made->random, 5);

    if (chance(made->random, 95))
        message_side(made, send, sender, nobody ? -1 : (int64_t)receiver, comm, tag, n, 0);
    if (chance(made->random, 25) && strcmp(send, "send") == 0)
        message_side(made, "probe", receiver, (int64_t)sender, comm, tag, n, sent);
    if (chance(made->random, 95))
        message_side(made, recv, receiver, nobody ? -1 : (int64_t)sender, comm, tag, n,
                     chance(made->random, 90) ? sent : 0);
}

/* A collective operation of any type with `size` and `n`. */
static void make_collective(struct made *made, const struct ws_event_type *type)
{
    static const char *const objects[] = {"comm", "window", "file"};
    size_t comm = below(made->random, made->comms), root = pick_member(made, comm);
    int64_t n = count_on(made, type->name, comm, 0, 0, 0), last = 0;
    int64_t begin[MOST_RANKS];

    for (size_t r = 0; r < made->ranks; r++)
        if (is_in(made, comm, r)) {
            begin[r] = made_begin(made, r);
            last = begin[r] > last ? begin[r] : last;
        }
    for (size_t r = 0; r < made->ranks; r++) {
        struct ws_event *event;
        int64_t posted;
        if (!is_in(made, comm, r) || chance(made->random, 2))
            continue;
        posted = chance(made->random, 30) ? begin[r] - small(made, 30) : begin[r];
        event = made_add(made, type->name, r, posted, begin[r],
                         (chance(made->random, 80) ? last : begin[r]) + small(made, 6));
        if (!event)
            continue;
        for (size_t i = 0; i < 3; i++)
            made_set(type, event, objects[i], (int64_t)comm);
        made_set(type, event, "size", (int64_t)member_count(made, comm));
        made_set(type, event, "n", n);
        made_set(type, event, "root", (int64_t)root);
        made_set(type, event, "is_root", r == root);
    }
}

/* lock … unlock, or the four calls of an exposure. */
static void window_call(struct made *made, const char *name, size_t rank, const char *other_name,
                        size_t other, size_t window, int64_t n)
{
    int64_t t = made_begin(made, rank);
    struct ws_event *event = made_add(made, name, rank, t, t, t + small(made, 60));

    if (!event)
        return;
    made_set(ws_kb_type(made->kb, name), event, other_name, (int64_t)other);
    made_set(ws_kb_type(made->kb, name), event, "window", (int64_t)window);
    made_set(ws_kb_type(made->kb, name), event, "n", n);
}

static void make_epoch(struct made *made)
{
    size_t window = below(made->random, 2), origin = pick_member(made, window % made->comms);
    size_t target = pick_member(made, window % made->comms);
    int64_t n = count_on(made, "post", window % made->comms, origin, target, 0);

    if (chance(made->random, 50)) {
        window_call(made, "lock", origin, "target", target, window, 0);
        if (chance(made->random, 50))
            window_call(made, "flush", origin, "target", target, window, 0);
        window_call(made, "unlock", origin, "target", target, window, 0);
        return;
    }
    window_call(made, "post", target, "origin", origin, window, n);
    window_call(made, "start", origin, "target", target, window, n);
    if (chance(made->random, 60))
        window_call(made, "rma", origin, "target", target, window, n);
    window_call(made, "complete", origin, "target", target, window, n);
    if (chance(made->random, 95))
        window_call(made, "exposure_wait", target, "origin", origin, window, n);
}

/* What meets nobody; any type, with any values. */
static void make_other(struct made *made, const struct ws_event_type *type)
{
    size_t rank = below(made->random, made->ranks);
    int64_t t = made_begin(made, rank);

    made_add(made, type->name, rank, t - small(made, 20), t, t + small(made, 30));
}

static void make_step(struct made *made)
{
    const struct ws_event_type *type = made->kb->types[below(made->random, made->kb->simple_count)];
    size_t dice = below(made->random, 100);

    if (dice < 40)
        make_message(made, "send", "recv");
    else if (dice < 45 && ws_kb_type(made->kb, "partitioned_send"))
        make_message(made, "partitioned_send", "partitioned_recv");
    else if (dice < 65)
        make_epoch(made);
    else if (ws_type_slot(type, "size") >= 0 && ws_type_slot(type, "n") >= 0)
        make_collective(made, type);
    else if (dice < 75)
        make_other(made, type);
}

static int made_order(const void *a, const void *b)
{
    const struct ws_event *x = *(struct ws_event *const *)a, *y = *(struct ws_event *const *)b;
    int64_t p[2] = {x->value[WS_ATTR_END].i, x->value[WS_ATTR_PROCESS].i};
    int64_t q[2] = {y->value[WS_ATTR_END].i, y->value[WS_ATTR_PROCESS].i};

    for (int i = 0; i < 2; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return (x->value[WS_ATTR_CALL].i > y->value[WS_ATTR_CALL].i) -
           (x->value[WS_ATTR_CALL].i < y->value[WS_ATTR_CALL].i);
}

/* At most `most` events; gives how many. */
static size_t made_trace(const struct ws_kb *kb, struct random *random, struct ws_event **events, size_t most)
{
    struct made *made = calloc(1, sizeof *made);
    size_t count;

    made->kb = kb;
    made->random = random;
    made->events = events;
    made->most = most;
    made->ranks = 2 + below(random, MOST_RANKS - 1);
    made->comms = 1 + below(random, MOST_COMMS);
    made->members[0] = ((size_t)1 << made->ranks) - 1;
    for (size_t c = 1; c < made->comms; c++)
        made->members[c] = (1 + below(random, made->members[0])) | 1;
    if (chance(random, 20))
        made->lost[below(random, made->ranks)] = true;
    for (size_t r = 0; r < made->ranks; r++)
        made->now[r] = 1000 + small(made, 20);
    for (size_t i = 0; i < most && made->count < most; i++)
        make_step(made);
    count = made->count;
    free(made);
    qsort(events, count, sizeof *events, made_order);
    return count;
}

#endif
