/* Writes a legal trace of any size without running MPI, for benchmarks and tests:
 *     make_trace DIR KB RANKS EVENTS [all|ping-pong|halo|collective]
 * KB is kb/mpi.  Time goes in rounds.  In each, the ranks of a pair play an 8-byte ping-pong, all exchange
 * halos with four neighbours (every eighth receive takes the message from anyone), and all reduce.  When a
 * rank comes to a part of a round is a function of its number and the round's, so that ranks are written one
 * after the other. */
#include "../tests/trace/stream_encoder.h"
#include "rules/kb.h"
#include "tracegen/tracegen.h"

#include <inttypes.h>

#define START_NS UINT64_C(1000000000)
#define ROUND_NS 100000
#define MOST_LATE_NS 10000
#define NEIGHBOURS 4
#define HANDLES UINT64_C(0x7f0012340000)

struct maker {
    struct ws_schema schema;
    uint32_t ranks;
    uint64_t rounds;
    bool ping_pong, halo, collective;
    size_t send, recv, send_start, recv_start, completion, as_started, nxn; /* kinds of records */
    struct encoder e;
    uint32_t rank;
    uint64_t round, now;
};

struct __attribute__((packed)) message {
    int32_t peer, tag;
    uint32_t comm;
    uint64_t bytes, request;
};
#define MESSAGE_BYTES offsetof(struct message, request)

static uint64_t hash(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return value ^ value >> 29;
}

/* When a rank comes to a part of the round. */
static uint64_t arrival(const struct maker *m, uint32_t rank, unsigned part)
{
    return START_NS + m->round * ROUND_NS + part * 30000 +
           hash(rank + (m->round * 4 + part) * UINT64_C(1000003)) % MOST_LATE_NS;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint16_t function(const struct maker *m, const char *name)
{
    for (size_t i = 0; i < m->schema.function_count; i++)
        if (strcmp(m->schema.functions[i], name) == 0)
            return (uint16_t)i;
    fprintf(stderr, "make_trace: the rules do not know %s\n", name);
    exit(1);
}

/* A call of the present rank, which begins when the one before is over. */
static void call(struct maker *m, uint32_t site, uint64_t begin, uint64_t end)
{
    begin = later(begin, m->now);
    m->now = later(begin + 20, end);
    encode_call(&m->e, site, begin, m->now);
}

static void message(struct maker *m, size_t kind, uint32_t peer, int32_t tag, uint64_t request)
{
    struct message fields = {(int32_t)peer, tag, WS_COMM_WORLD_ID, 8, request};

    encode_record(&m->e, kind, &fields, request ? sizeof fields : MESSAGE_BYTES);
}

enum { SEND, RECV, ISEND, IRECV, WAITALL, ALLREDUCE, SITES };

static void ping_pong(struct maker *m, uint32_t first_site)
{
    uint32_t peer = m->rank ^ 1;
    bool pings = m->rank < peer;
    uint64_t ping = arrival(m, pings ? m->rank : peer, 0), pong;

    if (peer >= m->ranks)
        return;
    pong = later(arrival(m, pings ? peer : m->rank, 0), ping) + 1000;
    if (pings) {
        call(m, first_site + SEND, ping, ping + 300);
        message(m, m->send, peer, 1, 0);
        call(m, first_site + RECV, ping + 400, pong + 500);
        message(m, m->recv, peer, 1, 0);
    } else {
        call(m, first_site + RECV, arrival(m, m->rank, 0), later(ping, arrival(m, m->rank, 0)) + 500);
        message(m, m->recv, peer, 1, 0);
        call(m, first_site + SEND, pong, pong + 300);
        message(m, m->send, peer, 1, 0);
    }
}

static uint32_t neighbour(const struct maker *m, int direction)
{
    static const int steps[NEIGHBOURS] = {1, -1, 8, -8};

    return (uint32_t)(((int64_t)m->rank + steps[direction] + 8 * (int64_t)m->ranks) % m->ranks);
}

static void halo(struct maker *m, uint32_t first_site)
{
    uint64_t begin = arrival(m, m->rank, 1), last = begin;
    bool from_anyone = m->round % 2 == 0; /* the first of the receives */

    for (int k = 0; k < NEIGHBOURS; k++) {
        call(m, first_site + IRECV, begin + (uint64_t)k * 200, 0);
        message(m, m->recv_start, from_anyone && k == 0 ? (uint32_t)-2 : neighbour(m, k), 10 + (k ^ 1),
                HANDLES + (uint64_t)k * 256);
        last = later(last, arrival(m, neighbour(m, k), 1));
    }
    for (int k = 0; k < NEIGHBOURS; k++) {
        call(m, first_site + ISEND, begin + 1000 + (uint64_t)k * 200, 0);
        message(m, m->send_start, neighbour(m, k), 10 + k, HANDLES + (uint64_t)(NEIGHBOURS + k) * 256);
    }
    call(m, first_site + WAITALL, begin + 2000, last + 3000);
    for (int k = 0; k < 2 * NEIGHBOURS; k++) {
        struct __attribute__((packed)) {
            uint64_t request;
            int32_t source, tag;
            uint64_t bytes;
            uint8_t cancelled;
        } fields = {HANDLES + (uint64_t)k * 256, (int32_t)neighbour(m, k % NEIGHBOURS), 10 + (k ^ 1), 8, 0};
        if (from_anyone && k == 0)
            encode_record(&m->e, m->completion, &fields, sizeof fields);
        else
            encode_record(&m->e, m->as_started, &fields, sizeof fields.request);
    }
}

static void collective(struct maker *m, uint32_t first_site)
{
    struct __attribute__((packed)) {
        uint32_t comm;
        int32_t size;
        uint64_t bytes;
    } fields = {WS_COMM_WORLD_ID, (int32_t)m->ranks, 8};

    call(m, first_site + ALLREDUCE, arrival(m, m->rank, 2),
         START_NS + m->round * ROUND_NS + 2 * 30000 + MOST_LATE_NS + 2000);
    encode_record(&m->e, m->nxn, &fields, sizeof fields);
}

/* The places in the program, which is this one. */
static uint32_t define_sites(struct maker *m, const char *module)
{
    static const char *const functions[SITES] = {"MPI_Send",  "MPI_Recv",    "MPI_Isend",
                                                 "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce"};
    uint32_t first = (uint32_t)m->schema.function_count;

    for (uint32_t i = 0; i < SITES; i++) {
        uint16_t index = function(m, functions[i]);
        uint32_t site = first + i;
        uint64_t offset = 0x1000 + 16 * i;
        char fields[512];
        memcpy(fields, &site, 4);
        memcpy(fields + 4, &index, 2);
        memcpy(fields + 6, &offset, 8);
        snprintf(fields + 14, sizeof fields - 14, "%s", module);
        encode_built_in(&m->e, WS_RECORD_SITE, START_NS - 10, fields, 14 + strlen(fields + 14) + 1);
    }
    return first;
}

static void write_begin(struct maker *m)
{
    struct __attribute__((packed)) {
        uint32_t pid, size;
        uint64_t cost_ps;
        char texts[32];
    } fields = {m->rank + 1, m->ranks, 40000, "node\0Made up 1.0\0/made/up"};

    encode_built_in(&m->e, WS_RECORD_BEGIN, START_NS - 100, &fields,
                    16 + sizeof "node\0Made up 1.0\0/made/up");
}

static int write_rank(struct maker *m, const char *directory, const uint8_t uuid[16])
{
    uint64_t flush_ns = 0;
    uint32_t site;
    char path[4096];

    snprintf(path, sizeof path, "%s/ctf/rank-%u.thread-0", directory, m->rank);
    m->e = encoder_new(&m->schema, uuid, m->rank, 0);
    if (!(m->e.file = fopen(path, "wb"))) {
        perror(path);
        return -1;
    }
    m->now = START_NS;
    write_begin(m);
    site = define_sites(m, "/made/up");
    for (m->round = 0; m->round < m->rounds; m->round++) {
        if (m->ping_pong)
            ping_pong(m, site);
        if (m->halo)
            halo(m, site);
        if (m->collective)
            collective(m, site);
    }
    encode_built_in(&m->e, WS_RECORD_END, m->now + 1000, &flush_ns, sizeof flush_ns);
    encoder_finish(&m->e);
    if (fclose(m->e.file) == 0)
        return 0;
    perror(path);
    return -1;
}

static size_t kind(const struct maker *m, const char *name)
{
    for (size_t i = 0; i < m->schema.record_count; i++)
        if (strcmp(m->schema.records[i].name, name) == 0)
            return i;
    fprintf(stderr, "make_trace: the rules write no %s\n", name);
    exit(1);
}

static void find_kinds(struct maker *m)
{
    m->send = kind(m, "send");
    m->recv = kind(m, "recv");
    m->send_start = kind(m, "send_start");
    m->recv_start = kind(m, "recv_start");
    m->completion = kind(m, "completion");
    m->as_started = kind(m, "completion_as_started");
    m->nxn = kind(m, "nxn");
}

static int make(const char *directory, const char *kb_folder, struct maker *m, struct ws_error *error)
{
    struct ws_kb kb = {0};
    uint8_t uuid[16];

    if (ws_kb_load(&kb, kb_folder, NULL, 0, NULL, error) != 0 ||
        ws_schema_from_kb(&kb, &m->schema, error) != 0 || ws_trace_create(directory, &m->schema, error) != 0)
        return -1;
    ws_kb_free(&kb);
    find_kinds(m);
    for (size_t i = 0, at = 0; i < 16; i++, at += 2) {
        at += m->schema.uuid[at] == '-';
        sscanf(m->schema.uuid + at, "%2hhx", &uuid[i]);
    }
    for (m->rank = 0; m->rank < m->ranks; m->rank++)
        if (write_rank(m, directory, uuid) != 0)
            return ws_fail(error, WS_ENVIRONMENT, "%s: cannot be written", directory);
    ws_schema_free(&m->schema);
    return 0;
}

int main(int argc, char **argv)
{
    const char *pattern = argc > 5 ? argv[5] : "all";
    bool all = strcmp(pattern, "all") == 0;
    struct maker m = {0};
    struct ws_error error = {0};
    uint64_t a_round;

    if (argc < 5)
        return fprintf(stderr, "make_trace DIR KB RANKS EVENTS [all|ping-pong|halo|collective]\n"), 2;
    m.ranks = (uint32_t)strtoul(argv[3], NULL, 10);
    m.ping_pong = all || strcmp(pattern, "ping-pong") == 0;
    m.halo = all || strcmp(pattern, "halo") == 0;
    m.collective = all || strcmp(pattern, "collective") == 0;
    a_round = 2 * m.ping_pong + 2 * NEIGHBOURS * m.halo + m.collective;
    if (m.ranks < 2 || a_round == 0)
        return fprintf(stderr, "make_trace: two ranks at least, and a pattern that there is\n"), 2;
    m.rounds = strtoull(argv[4], NULL, 10) / (a_round * m.ranks) + 1;
    if (make(argv[1], argv[2], &m, &error) != 0)
        return fprintf(stderr, "make_trace: %s\n", error.text), 1;
    printf("%" PRIu64 " events\n", m.rounds * a_round * m.ranks);
    return 0;
}
