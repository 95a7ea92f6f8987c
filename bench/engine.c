/* How fast the engines are on events in memory: `engine_speed [-n EVENTS] [-t TIMES] [-r RANKS]
 * [-x EXTRA] ENGINE ...`.
 * The events are those of ranks that pass messages to their neighbours and meet in collective operations; all
 * engines get the same, TIMES times, each time later.  EXTRA problem types with a rule on `message` are added
 * to those of kb/mpi.  The engine "by-hand" is no engine: it is a matcher written for two problems, to
 * compare with. */
#include "engine/engine.h"
#include "util/file.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- the events ---- */

struct traffic {
    const struct ws_kb *kb;
    struct ws_event **events;
    int64_t *low_ns; /* [event]: the least t of those behind */
    size_t count, capacity;
    uint32_t ranks;
    int64_t *now_ns, *before_ns; /* [rank] */
    const char **before;
    uint64_t seed;
    int64_t *sent; /* [rank]: messages to the right neighbour */
    int64_t meetings[4];
};

static uint64_t random_below(struct traffic *traffic, uint64_t bound)
{
    traffic->seed = traffic->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (traffic->seed >> 33) % bound;
}

static void set(const struct ws_event_type *type, struct ws_event *event, const char *name, int64_t value)
{
    int slot = ws_type_slot(type, name);
    if (slot >= 0)
        event->value[slot].i = value;
}

static struct ws_event *add(struct traffic *traffic, const char *name, const char *function, uint32_t rank,
                            int64_t t_ns, int64_t end_ns)
{
    const struct ws_event_type *type = ws_kb_type(traffic->kb, name);
    struct ws_event *event = ws_alloc(sizeof *event + type->slot_count * sizeof *event->value);

    event->type = type->index;
    event->value[WS_ATTR_T].i = event->value[WS_ATTR_POSTED].i = t_ns;
    event->value[WS_ATTR_D].i = end_ns - t_ns;
    event->value[WS_ATTR_END].i = end_ns;
    event->value[WS_ATTR_PROCESS].i = rank;
    event->value[WS_ATTR_SITE].i = event->value[WS_ATTR_POSTED_SITE].i = (int64_t)type->index;
    event->value[WS_ATTR_FUNCTION].s = event->value[WS_ATTR_POSTED_FUNCTION].s = function;
    event->value[WS_ATTR_COMPUTE].i = t_ns - traffic->now_ns[rank];
    event->value[WS_ATTR_BEFORE].s = traffic->before[rank] ? traffic->before[rank] : "";
    event->value[WS_ATTR_BEFORE_FUNCTION].s = event->value[WS_ATTR_BEFORE].s;
    event->value[WS_ATTR_BEFORE_D].i = traffic->before_ns[rank];
    for (size_t i = WS_ATTR_COUNT; i < type->slot_count; i++)
        if (type->slots[i].type == WS_TYPE_STRING)
            event->value[i].s = "";
    traffic->now_ns[rank] = end_ns;
    traffic->before[rank] = name;
    traffic->before_ns[rank] = end_ns - t_ns;
    WS_PUSH(traffic->events, traffic->count, traffic->capacity) = event;
    return event;
}

/* Each rank computes, sends to the right and receives from the left. */
static void exchange(struct traffic *traffic)
{
    const uint32_t ranks = traffic->ranks;
    const struct ws_event_type *send = ws_kb_type(traffic->kb, "send"),
                               *recv = ws_kb_type(traffic->kb, "recv");
    int64_t *posted_ns = ws_alloc_array(ranks, sizeof *posted_ns);
    int64_t bytes = (int64_t)random_below(traffic, 2) ? 512 : 40000;

    for (uint32_t r = 0; r < ranks; r++) {
        int64_t t_ns = traffic->now_ns[r] + 2000 + (int64_t)random_below(traffic, 2000);
        struct ws_event *event = add(traffic, "send", "MPI_Send", r, t_ns, t_ns + 300);
        posted_ns[r] = t_ns;
        set(send, event, "peer", (r + 1) % ranks);
        set(send, event, "tag", 7);
        set(send, event, "bytes", bytes);
        set(send, event, "n", ++traffic->sent[r]);
    }
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t left = (r + ranks - 1) % ranks;
        int64_t t_ns = traffic->now_ns[r] + (int64_t)random_below(traffic, 400);
        int64_t come_ns = posted_ns[left] + 350;
        struct ws_event *event =
            add(traffic, "recv", "MPI_Recv", r, t_ns, (t_ns > come_ns ? t_ns : come_ns) + 100);
        set(recv, event, "peer", left);
        set(recv, event, "tag", 7);
        set(recv, event, "bytes", bytes);
        set(recv, event, "n", traffic->sent[left]);
    }
    free(posted_ns);
}

static void meet(struct traffic *traffic, int kind)
{
    static const char *const types[] = {"barrier", "nxn", "reduce", "broadcast"};
    static const char *const functions[] = {"MPI_Barrier", "MPI_Allreduce", "MPI_Reduce", "MPI_Bcast"};
    const struct ws_event_type *type = ws_kb_type(traffic->kb, types[kind]);
    int64_t last_ns = INT64_MIN, *t_ns = ws_alloc_array(traffic->ranks, sizeof *t_ns);

    traffic->meetings[kind]++;
    for (uint32_t r = 0; r < traffic->ranks; r++) {
        t_ns[r] = traffic->now_ns[r] + 1000 + (int64_t)random_below(traffic, 1000);
        last_ns = t_ns[r] > last_ns ? t_ns[r] : last_ns;
    }
    for (uint32_t r = 0; r < traffic->ranks; r++) {
        struct ws_event *event = add(traffic, types[kind], functions[kind], r, t_ns[r],
                                     last_ns + 200 + (int64_t)random_below(traffic, 50));
        set(type, event, "size", traffic->ranks);
        set(type, event, "n", traffic->meetings[kind]);
        set(type, event, "bytes", 8);
        set(type, event, "is_root", r == 0);
    }
    free(t_ns);
}

static int by_end(const void *a, const void *b)
{
    const struct ws_event *x = *(struct ws_event *const *)a, *y = *(struct ws_event *const *)b;
    int64_t p = x->value[WS_ATTR_END].i, q = y->value[WS_ATTR_END].i;

    if (p != q)
        return p < q ? -1 : 1;
    p = x->value[WS_ATTR_PROCESS].i;
    q = y->value[WS_ATTR_PROCESS].i;
    return (p > q) - (p < q);
}

static size_t bytes_of(const struct traffic *traffic, const struct ws_event *event)
{
    return sizeof *event + traffic->kb->types[event->type]->slot_count * sizeof *event->value;
}

/* One behind the other in memory, since a reader gives them out while they are in the cache. */
static void pack(struct traffic *traffic)
{
    size_t bytes = 0;
    char *at;

    for (size_t i = 0; i < traffic->count; i++)
        bytes += bytes_of(traffic, traffic->events[i]);
    at = ws_alloc(bytes);
    for (size_t i = 0; i < traffic->count; i++) {
        size_t size = bytes_of(traffic, traffic->events[i]);
        memcpy(at, traffic->events[i], size);
        free(traffic->events[i]);
        traffic->events[i] = (struct ws_event *)at;
        at += size;
    }
}

/* Five steps of messages, then a collective operation. */
static void make_traffic(struct traffic *traffic, const struct ws_kb *kb, uint32_t ranks, size_t count)
{
    int64_t low_ns = INT64_MAX;
    int step = 0;

    *traffic = (struct traffic){.kb = kb, .ranks = ranks, .seed = 1};
    traffic->now_ns = ws_alloc_array(ranks, sizeof *traffic->now_ns);
    traffic->before_ns = ws_alloc_array(ranks, sizeof *traffic->before_ns);
    traffic->before = ws_alloc_array(ranks, sizeof *traffic->before);
    traffic->sent = ws_alloc_array(ranks, sizeof *traffic->sent);
    while (traffic->count < count) {
        exchange(traffic);
        if (++step % 5 == 0)
            meet(traffic, step / 5 % 4);
    }
    qsort(traffic->events, traffic->count, sizeof *traffic->events, by_end);
    pack(traffic);
    traffic->low_ns = ws_alloc_array(traffic->count, sizeof *traffic->low_ns);
    for (size_t i = traffic->count; i-- > 0;) {
        traffic->low_ns[i] = low_ns;
        if (traffic->events[i]->value[WS_ATTR_T].i < low_ns)
            low_ns = traffic->events[i]->value[WS_ATTR_T].i;
    }
}

/* ---- a matcher for late senders and barriers, by hand ---- */

struct message {
    int64_t sender, receiver, tag, comm, n; /* sender < 0: free */
    int64_t posted_ns, t_ns, d_ns;          /* of the side that is there */
    bool is_send;
};
struct meeting {
    int64_t comm, n, last_ns, size;
    int64_t *t_ns, *d_ns;
    int64_t count;
    bool used;
};
struct by_hand {
    struct message *messages;
    struct meeting meetings[64];
    size_t size, used;
    uint64_t findings;
    int64_t total_ns;
    int peer, tag, comm, n, recv_peer, recv_tag, recv_comm, recv_n, b_comm, b_size, b_n;
    uint32_t send, recv, barrier;
};

static uint64_t hash_message(const struct message *m)
{
    uint64_t h = (uint64_t)m->sender * UINT64_C(0x9E3779B97F4A7C15) +
                 (uint64_t)m->receiver * UINT64_C(0xC2B2AE3D27D4EB4F) +
                 (uint64_t)m->n * UINT64_C(0x165667B19E3779F9) + (uint64_t)m->tag * 31 +
                 (uint64_t)m->comm * 37;
    return h ^ h >> 29;
}

static bool same_message(const struct message *a, const struct message *b)
{
    return a->sender == b->sender && a->receiver == b->receiver && a->tag == b->tag && a->comm == b->comm &&
           a->n == b->n;
}

static void lose(struct by_hand *hand, int64_t wait_ns, int64_t most_ns)
{
    wait_ns = wait_ns < most_ns ? wait_ns : most_ns;
    if (wait_ns <= 0)
        return;
    hand->findings++;
    hand->total_ns += wait_ns;
}

static void take_out(struct by_hand *hand, size_t gap)
{
    size_t mask = hand->size - 1;

    for (size_t i = (gap + 1) & mask; hand->messages[i].sender >= 0; i = (i + 1) & mask)
        if (((i - hash_message(&hand->messages[i])) & mask) >= ((i - gap) & mask)) {
            hand->messages[gap] = hand->messages[i];
            gap = i;
        }
    hand->messages[gap].sender = -1;
    hand->used--;
}

static void put(struct by_hand *hand, const struct message *one);

static void grow(struct by_hand *hand)
{
    struct message *old = hand->messages;
    size_t old_size = hand->size;

    hand->size = old_size ? 2 * old_size : 1024;
    hand->messages = ws_alloc_array(hand->size, sizeof *hand->messages);
    for (size_t i = 0; i < hand->size; i++)
        hand->messages[i].sender = -1;
    hand->used = 0;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].sender >= 0)
            put(hand, &old[i]);
    free(old);
}

static void put(struct by_hand *hand, const struct message *one)
{
    size_t i;

    if (2 * (hand->used + 1) > hand->size)
        grow(hand);
    for (i = hash_message(one) & (hand->size - 1); hand->messages[i].sender >= 0;
         i = (i + 1) & (hand->size - 1))
        if (hand->messages[i].is_send != one->is_send && same_message(&hand->messages[i], one)) {
            const struct message *send = one->is_send ? one : &hand->messages[i];
            const struct message *recv = one->is_send ? &hand->messages[i] : one;
            lose(hand, send->posted_ns - recv->t_ns, recv->d_ns);
            take_out(hand, i);
            return;
        }
    hand->messages[i] = *one;
    hand->used++;
}

static void meet_by_hand(struct by_hand *hand, const struct ws_event *event)
{
    int64_t comm = event->value[hand->b_comm].i, n = event->value[hand->b_n].i,
            size = event->value[hand->b_size].i;
    struct meeting *meeting = NULL;

    for (size_t i = 0; i < 64 && !meeting; i++)
        if (hand->meetings[i].used && hand->meetings[i].comm == comm && hand->meetings[i].n == n)
            meeting = &hand->meetings[i];
    for (size_t i = 0; i < 64 && !meeting; i++)
        if (!hand->meetings[i].used) {
            meeting = &hand->meetings[i];
            if (meeting->size < size) {
                meeting->t_ns = ws_realloc_array(meeting->t_ns, (size_t)size, sizeof *meeting->t_ns);
                meeting->d_ns = ws_realloc_array(meeting->d_ns, (size_t)size, sizeof *meeting->d_ns);
            }
            *meeting = (struct meeting){comm, n, INT64_MIN, size, meeting->t_ns, meeting->d_ns, 0, true};
        }
    if (!meeting)
        return;
    meeting->t_ns[meeting->count] = event->value[WS_ATTR_T].i;
    meeting->d_ns[meeting->count++] = event->value[WS_ATTR_D].i;
    if (event->value[WS_ATTR_POSTED].i > meeting->last_ns)
        meeting->last_ns = event->value[WS_ATTR_POSTED].i;
    if (meeting->count < meeting->size)
        return;
    for (int64_t i = 0; i < meeting->count; i++)
        lose(hand, meeting->last_ns - meeting->t_ns[i], meeting->d_ns[i]);
    meeting->used = false;
}

static void feed_by_hand(struct by_hand *hand, const struct ws_event *event)
{
    const union ws_value *v = event->value;

    if (event->type == hand->send && v[hand->peer].i >= 0)
        put(hand, &(struct message){v[WS_ATTR_PROCESS].i, v[hand->peer].i, v[hand->tag].i, v[hand->comm].i,
                                    v[hand->n].i, v[WS_ATTR_POSTED].i, v[WS_ATTR_T].i, v[WS_ATTR_D].i, true});
    else if (event->type == hand->recv && v[hand->recv_peer].i >= 0)
        put(hand, &(struct message){v[hand->recv_peer].i, v[WS_ATTR_PROCESS].i, v[hand->recv_tag].i,
                                    v[hand->recv_comm].i, v[hand->recv_n].i, v[WS_ATTR_POSTED].i,
                                    v[WS_ATTR_T].i, v[WS_ATTR_D].i, false});
    else if (event->type == hand->barrier)
        meet_by_hand(hand, event);
}

static void begin_by_hand(struct by_hand *hand, const struct ws_kb *kb)
{
    const struct ws_event_type *send = ws_kb_type(kb, "send"), *recv = ws_kb_type(kb, "recv");
    const struct ws_event_type *barrier = ws_kb_type(kb, "barrier");

    *hand = (struct by_hand){.peer = ws_type_slot(send, "peer"),
                             .tag = ws_type_slot(send, "tag"),
                             .comm = ws_type_slot(send, "comm"),
                             .n = ws_type_slot(send, "n"),
                             .recv_peer = ws_type_slot(recv, "peer"),
                             .recv_tag = ws_type_slot(recv, "tag"),
                             .recv_comm = ws_type_slot(recv, "comm"),
                             .recv_n = ws_type_slot(recv, "n"),
                             .b_comm = ws_type_slot(barrier, "comm"),
                             .b_size = ws_type_slot(barrier, "size"),
                             .b_n = ws_type_slot(barrier, "n"),
                             .send = send->index,
                             .recv = recv->index,
                             .barrier = barrier->index};
    grow(hand);
}

/* ---- measuring ---- */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void count_finding(void *context, const struct ws_finding *finding)
{
    (void)finding;
    ++*(uint64_t *)context;
}

/* What the process holds now. */
static long memory_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all, resident = 0;

    if (file && fscanf(file, "%ld %ld", &all, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

struct run {
    const struct traffic *traffic;
    size_t extra, times;
};

static void report(const char *engine, const struct run *run, double seconds, uint64_t findings,
                   const struct ws_engine_stats *stats, long grown_kb)
{
    size_t events = run->traffic->count * run->times;

    printf("{\"engine\": \"%s\", \"ranks\": %u, \"extra\": %zu, \"events\": %zu, \"seconds\": %.4f, "
           "\"million_per_s\": %.3f, \"findings\": %" PRIu64 ", \"composites\": %" PRIu64
           ", \"most_held\": %" PRIu64 ", \"grown_kb\": %ld}\n",
           engine, run->traffic->ranks, run->extra, events, seconds, (double)events / seconds / 1e6, findings,
           stats->composites, stats->most_live, grown_kb);
    fflush(stdout);
}

/* The same again after all that was. */
static void shift(const struct traffic *traffic)
{
    int64_t span_ns = traffic->events[traffic->count - 1]->value[WS_ATTR_END].i + 1000;

    for (size_t i = 0; i < traffic->count; i++) {
        union ws_value *value = traffic->events[i]->value;
        value[WS_ATTR_T].i += span_ns;
        value[WS_ATTR_END].i += span_ns;
        value[WS_ATTR_POSTED].i += span_ns;
        if (traffic->low_ns[i] != INT64_MAX)
            traffic->low_ns[i] += span_ns;
    }
}

static void run_by_hand(const struct run *run)
{
    const struct traffic *traffic = run->traffic;
    struct ws_engine_stats stats = {0};
    struct by_hand hand;
    double seconds = 0;

    begin_by_hand(&hand, traffic->kb);
    for (size_t t = 0; t < run->times; t++) {
        double begin_s = now_s();
        for (size_t i = 0; i < traffic->count; i++)
            feed_by_hand(&hand, traffic->events[i]);
        seconds += now_s() - begin_s;
        shift(traffic);
    }
    report("by-hand", run, seconds, hand.findings, &stats, 0);
    free(hand.messages);
    for (size_t i = 0; i < 64; i++) {
        free(hand.meetings[i].t_ns);
        free(hand.meetings[i].d_ns);
    }
}

static int run_engine(const char *name, const struct run *run)
{
    const struct traffic *traffic = run->traffic;
    uint64_t findings = 0;
    const struct ws_sink sink = {.found = count_finding, .context = &findings};
    struct ws_engine_stats stats = {0};
    struct ws_error error = {0};
    const struct ws_engine_ops *ops = ws_engine_find(name, &error);
    struct ws_engine *engine = ops ? ops->create(traffic->kb, NULL, &sink, &error) : NULL;
    double seconds = 0;
    int result = engine ? 0 : -1;
    long before_kb = memory_kb();

    for (size_t t = 0; result == 0 && t < run->times; t++) {
        double begin_s = now_s();
        for (size_t i = 0; result == 0 && i < traffic->count; i++)
            result = ops->feed(engine, traffic->events[i], traffic->low_ns[i], &error);
        seconds += now_s() - begin_s;
        shift(traffic);
    }
    if (result == 0)
        result = ops->finish(engine, &stats, &error);
    if (result == 0)
        report(name, run, seconds, findings, &stats, memory_kb() - before_kb);
    else
        fprintf(stderr, "%s\n", error.text);
    if (engine)
        ops->destroy(engine);
    return result;
}

/* ---- extra problem types ---- */

/* Each its own condition on a message that rarely holds. */
static void write_extra(const char *folder, size_t number)
{
    struct ws_text path = {0}, rules = {0};
    struct ws_error error;

    ws_text_printf(&path, "%s/extra-%zu", folder, number);
    if (ws_make_folder(path.bytes, &error) != 0)
        exit(1);
    ws_text_printf(&path, "/extra-%zu.rules", number);
    switch (number % 5) {
    case 0: /* a problem rule on the common composite event */
        ws_text_printf(&rules,
                       "declare problem for message when bytes > %zu and send_posted > receive_t\n"
                       "parameters(name = \"x\", advice = \"x\", duration = send_posted - receive_t, waiting "
                       "= receiver, "
                       "cause = sender);\n",
                       100000 + number);
        break;
    case 1: /* a composite event of its own on it */
        ws_text_printf(
            &rules,
            "declare composite event late_%zu member(message as m)\n"
            "when m.send_posted > m.receive_t + %zu ms\n"
            "parameters(wait = clamp(m.send_posted - m.receive_t, 0, m.receive_d), receiver = m.recv);\n"
            "declare problem for late_%zu parameters(name = \"x\", advice = \"x\", duration = wait, "
            "waiting = receiver);\n",
            number, 1 + number % 50, number);
        break;
    case 2:
        ws_text_printf(&rules,
                       "declare problem for message when sender_before == \"window_%zu\" and bytes > 16\n"
                       "parameters(name = \"x\", advice = \"x\", duration = send_d, waiting = sender);\n",
                       number);
        break;
    case 3: /* no condition but a duration */
        ws_text_printf(
            &rules,
            "declare problem for message\n"
            "parameters(name = \"x\", advice = \"x\", duration = clamp(send_posted - receive_t - %zu ms, 0, "
            "receive_d), waiting = receiver, cause = sender);\n",
            1 + number % 70);
        break;
    default:
        ws_text_printf(
            &rules,
            "declare composite event slow_%zu member(message as m)\n"
            "when m.receive_d > %zu ms and m.synchronous\n"
            "parameters(wait = m.receive_d, receiver = m.recv);\n"
            "declare problem for slow_%zu parameters(name = \"x\", advice = \"x\", duration = wait, "
            "waiting = receiver);\n",
            number, 1 + number % 90, number);
    }
    if (ws_file_write(path.bytes, rules.bytes, rules.length, &error) != 0)
        exit(1);
    ws_text_free(&path);
    ws_text_free(&rules);
}

static int load(struct ws_kb *kb, const char *runtime, size_t extra)
{
    char folder[] = "/tmp/whyslow-bench.XXXXXX";
    const char *folders[] = {folder};
    struct ws_text mistakes = {0}, command = {0};
    struct ws_error error = {0};
    int result;

    if (!mkdtemp(folder))
        return -1;
    for (size_t i = 0; i < extra; i++)
        write_extra(folder, i);
    result = ws_kb_load(kb, runtime, folders, extra > 0, &mistakes, &error);
    if (result != 0)
        fprintf(stderr, "%s%s\n", ws_text_string(&mistakes), error.text);
    ws_text_printf(&command, "rm -rf %s", folder);
    if (system(command.bytes) != 0)
        fprintf(stderr, "%s is left over\n", folder);
    ws_text_free(&mistakes);
    ws_text_free(&command);
    return result;
}

int main(int argc, char **argv)
{
    const char *runtime = "kb/mpi";
    size_t count = 1000000;
    struct run run = {.times = 1};
    uint32_t ranks = 64;
    struct traffic traffic;
    struct ws_kb kb;
    int option;

    while ((option = getopt(argc, argv, "n:t:r:x:k:")) != -1)
        switch (option) {
        case 'n':
            count = strtoull(optarg, NULL, 10);
            break;
        case 't':
            run.times = strtoull(optarg, NULL, 10);
            break;
        case 'r':
            ranks = (uint32_t)strtoul(optarg, NULL, 10);
            break;
        case 'x':
            run.extra = strtoull(optarg, NULL, 10);
            break;
        case 'k':
            runtime = optarg;
            break;
        default:
            return 2;
        }
    if (load(&kb, runtime, run.extra) != 0)
        return 1;
    make_traffic(&traffic, &kb, ranks, count);
    run.traffic = &traffic;
    for (int i = optind; i < argc; i++) {
        if (strcmp(argv[i], "by-hand") == 0)
            run_by_hand(&run);
        else if (run_engine(argv[i], &run) != 0)
            return 1;
    }
    return 0;
}
