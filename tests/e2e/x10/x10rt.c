#define _GNU_SOURCE
#include "x10rt.h"

#include "transport.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { MESSAGE, PUT, GET, GOT, OPERATION, GIVE, TAKE };
struct packet {
    enum kind kind;
    uint32_t from, type, length, more; /* more: bytes behind the message's */
    uint64_t address, value;
    uint32_t instance, what, root, unused;
    char bytes[]; /* where the struct ends */
};

static int here = -1, places;
static void *receivers[1024];
static uint32_t receiver_count;
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
/* What this level moved, as X10RT_RXTX=1 prints it: messages and bytes. */
static uint64_t sent[2], put[2], got[2], received[2];

static void count(uint64_t of[2], uint64_t bytes)
{
    __atomic_fetch_add(&of[0], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&of[1], bytes, __ATOMIC_RELAXED);
}

/* ---- packets ---- */

static bool handle_next(void);

static void post(uint32_t to, struct packet packet, const void *bytes, const void *more)
{
    char *whole = malloc(sizeof packet + packet.length + packet.more);

    packet.from = (uint32_t)here;
    memcpy(whole, &packet, sizeof packet);
    if (packet.length)
        memcpy(whole + sizeof packet, bytes, packet.length);
    if (packet.more)
        memcpy(whole + sizeof packet + packet.length, more, packet.more);
    while (!transport_send((int)to, whole, sizeof packet + packet.length + packet.more))
        if (!handle_next())
            sched_yield();
    free(whole);
}

static void collect(const struct packet *packet);
static void deliver(const struct packet *packet);

static void handle(struct packet *packet)
{
    x10rt_msg_params p = {(uint32_t)here, (x10rt_msg_type)packet->type, packet->bytes, packet->length};
    const void *more = packet->bytes + packet->length;

    switch (packet->kind) {
    case MESSAGE:
        count(received, packet->length);
        ((x10rt_handler *)receivers[packet->type])(&p);
        break;
    case PUT:
        memcpy((void *)packet->address, more, packet->more);
        ((x10rt_notifier *)receivers[packet->type])(&p, packet->more);
        break;
    case GET:
        post(packet->from,
             (struct packet){.kind = GOT, .type = packet->type, .length = packet->length, .address = packet->address,
                             .more = packet->what},
             packet->bytes, (const void *)packet->value);
        break;
    case GOT:
        memcpy((void *)packet->address, more, packet->more);
        ((x10rt_notifier *)receivers[packet->type])(&p, packet->more);
        break;
    case OPERATION:
        __atomic_fetch_add((uint64_t *)packet->address, packet->value, __ATOMIC_RELAXED);
        break;
    case GIVE:
        collect(packet);
        break;
    case TAKE:
        deliver(packet);
        break;
    }
}

/* False: nothing has come. */
static bool handle_next(void)
{
    struct packet *packet = malloc(PACKET_MOST);
    size_t length;

    pthread_mutex_lock(&reading);
    length = transport_take(packet);
    pthread_mutex_unlock(&reading);
    if (length)
        handle(packet);
    free(packet);
    return length > 0;
}

int x10rt_probe(void)
{
    while (handle_next())
        continue;
    return 0;
}

int x10rt_blocking_probe(void)
{
    if (!handle_next())
        transport_wait();
    return x10rt_probe();
}

/* ---- places ---- */

int x10rt_init(int *argc, char ***argv)
{
    (void)argc;
    transport_begin(*argv, &here, &places);
    return 0;
}

uint32_t x10rt_here(void)
{
    return (uint32_t)here;
}

uint32_t x10rt_nplaces(void)
{
    return (uint32_t)places;
}

uint32_t x10rt_nhosts(void)
{
    return (uint32_t)places;
}

static x10rt_msg_type add_receiver(void *receiver)
{
    receivers[receiver_count] = receiver;
    return (x10rt_msg_type)receiver_count++;
}

x10rt_msg_type x10rt_register_msg_receiver(x10rt_handler *handler, void *pre, void *after, const char *cubin,
                                           const char *kernel)
{
    (void)pre, (void)after, (void)cubin, (void)kernel;
    return add_receiver((void *)handler);
}

x10rt_msg_type x10rt_register_put_receiver(x10rt_notifier *notifier, void *cuda)
{
    (void)cuda;
    return add_receiver((void *)notifier);
}

x10rt_msg_type x10rt_register_get_receiver(x10rt_notifier *notifier, void *cuda)
{
    (void)cuda;
    return add_receiver((void *)notifier);
}

static void meet(void);

/* Nobody sends before all can handle. */
void x10rt_registration_complete(void)
{
    meet();
}

void x10rt_finalize(void)
{
    meet();
    if (getenv("X10RT_RXTX"))
        fprintf(stderr, "Place: %d msg_rx: %llu/%llu msg_tx: %llu/%llu put_tx: %llu/%llu get_rx: %llu/%llu\n", here,
                (unsigned long long)received[1], (unsigned long long)received[0], (unsigned long long)sent[1],
                (unsigned long long)sent[0], (unsigned long long)put[1], (unsigned long long)put[0],
                (unsigned long long)got[1], (unsigned long long)got[0]);
    transport_end();
}

/* ---- from one place to another ---- */

void x10rt_send_msg(x10rt_msg_params *p)
{
    count(sent, p->len);
    post(p->dest_place, (struct packet){.kind = MESSAGE, .type = p->type, .length = p->len}, p->msg, NULL);
}

void x10rt_send_put(x10rt_msg_params *p, void *from, void *to, uint32_t length)
{
    count(put, (uint64_t)p->len + length);
    post(p->dest_place,
         (struct packet){.kind = PUT, .type = p->type, .length = p->len, .more = length, .address = (uint64_t)to},
         p->msg, from);
}

void x10rt_send_get(x10rt_msg_params *p, void *from, void *to, uint32_t length)
{
    count(got, length);
    post(p->dest_place,
         (struct packet){.kind = GET, .type = p->type, .length = p->len, .address = (uint64_t)to,
                         .value = (uint64_t)from, .what = length},
         p->msg, NULL);
}

void x10rt_remote_op(uint32_t place, uint64_t address, int op, unsigned long long value)
{
    (void)op;
    post(place, (struct packet){.kind = OPERATION, .address = address, .value = value}, NULL, NULL);
}

/* Inside the library it calls itself by another way, as X10's does. */
void x10rt_remote_ops(x10rt_remote_op_params *ops, size_t number)
{
    for (size_t i = 0; i < number; i++)
        post(ops[i].dest, (struct packet){.kind = OPERATION, .address = ops[i].dest_buf, .value = ops[i].value}, NULL,
             NULL);
}

/* ---- collectives: all give to place 0, which gives to all ---- */

enum { BARRIER, BCAST, SCATTER, GATHER, ALLTOALL, REDUCE, ALLREDUCE };
#define MOST_INSTANCES 256

static struct {
    void *into;
    x10rt_done *done;
    void *arg;
} mine[MOST_INSTANCES];
static struct {
    struct packet *given[64];
    int count;
} all[MOST_INSTANCES];
static uint32_t instances;
static pthread_mutex_t collecting = PTHREAD_MUTEX_INITIALIZER;

static struct packet *copy_of(const struct packet *packet)
{
    struct packet *copy = malloc(sizeof *packet + packet->length);

    memcpy(copy, packet, sizeof *packet + packet->length);
    return copy;
}

/* What a place takes of what all gave. */
static void take_part(uint32_t instance, uint32_t place, char *into, uint32_t *length)
{
    struct packet **given = all[instance].given;
    const struct packet *own = given[0];
    uint32_t share = own->length / (uint32_t)places;

    *length = 0;
    if (own->what == BCAST || own->what == SCATTER) {
        const struct packet *root = given[own->root];
        share = root->length / (own->what == SCATTER ? (uint32_t)places : 1);
        memcpy(into, root->bytes + (own->what == SCATTER ? share * place : 0), *length = share);
    } else if (own->what == GATHER && place == own->root) {
        for (int i = 0; i < places; i++, *length += own->length)
            memcpy(into + *length, given[i]->bytes, own->length);
    } else if (own->what == ALLTOALL) {
        for (int i = 0; i < places; i++, *length += share)
            memcpy(into + *length, given[i]->bytes + share * place, share);
    } else if (own->what == ALLREDUCE || (own->what == REDUCE && place == own->root)) {
        memset(into, 0, *length = own->length);
        for (int i = 0; i < places; i++)
            for (uint32_t k = 0; k < own->length / 8; k++)
                ((int64_t *)(void *)into)[k] += ((const int64_t *)(const void *)given[i]->bytes)[k];
    }
}

static struct packet *answer_for(uint32_t instance, uint32_t place)
{
    struct packet *answer = calloc(1, PACKET_MOST);

    answer->kind = TAKE;
    answer->instance = instance;
    take_part(instance, place, answer->bytes, &answer->length);
    return answer;
}

static void collect(const struct packet *packet)
{
    struct packet *answers[64] = {NULL};
    uint32_t instance = packet->instance;

    pthread_mutex_lock(&collecting);
    all[instance].given[packet->from] = copy_of(packet);
    if (++all[instance].count == places) {
        for (uint32_t i = 0; i < (uint32_t)places; i++)
            answers[i] = answer_for(instance, i);
        for (int i = 0; i < places; i++)
            free(all[instance].given[i]);
        all[instance].count = 0;
    }
    pthread_mutex_unlock(&collecting);
    for (uint32_t i = (uint32_t)places; i-- > 0;) {
        if (answers[i] && i > 0)
            post(i, *answers[i], answers[i]->bytes, NULL);
        else if (answers[i])
            deliver(answers[i]);
        free(answers[i]);
    }
}

static void deliver(const struct packet *packet)
{
    uint32_t instance = packet->instance;

    if (packet->length)
        memcpy(mine[instance].into, packet->bytes, packet->length);
    if (mine[instance].done)
        mine[instance].done(mine[instance].arg);
}

static void give(uint32_t what, uint32_t root, const void *bytes, size_t length, void *into, x10rt_done *done,
                 void *arg)
{
    uint32_t instance = instances++ % MOST_INSTANCES;
    struct packet packet = {.kind = GIVE, .what = what, .root = root, .length = (uint32_t)length, .instance = instance};

    mine[instance].into = into;
    mine[instance].done = done;
    mine[instance].arg = arg;
    if (here > 0) {
        post(0, packet, bytes, NULL);
    } else {
        struct packet *own = malloc(sizeof packet + length);
        memcpy(own, &packet, sizeof packet);
        if (length)
            memcpy(own->bytes, bytes, length);
        collect(own);
        free(own);
    }
}

void x10rt_one_setter(void *arg)
{
    *(int *)arg = 1;
}

static void meet(void)
{
    volatile int met = 0;

    give(BARRIER, 0, NULL, 0, NULL, x10rt_one_setter, (void *)&met);
    while (!met)
        if (!handle_next())
            transport_wait();
}

uint32_t x10rt_team_sz(uint32_t team)
{
    (void)team;
    return (uint32_t)places;
}

void x10rt_barrier(uint32_t team, uint32_t role, x10rt_done *done, void *arg)
{
    (void)team, (void)role;
    give(BARRIER, 0, NULL, 0, NULL, done, arg);
}

bool x10rt_bcast(uint32_t team, uint32_t role, uint32_t root, const void *from, void *into, size_t el, size_t number,
                 x10rt_done *failed, x10rt_done *done, void *arg)
{
    (void)team, (void)failed;
    give(BCAST, root, from, role == root ? el * number : 0, into, done, arg);
    return true;
}

void x10rt_scatter(uint32_t team, uint32_t role, uint32_t root, const void *from, void *into, size_t el, size_t number,
                   x10rt_done *done, void *arg)
{
    (void)team;
    give(SCATTER, root, from, role == root ? el * number * (size_t)places : 0, into, done, arg);
}

void x10rt_gather(uint32_t team, uint32_t role, uint32_t root, const void *from, void *into, size_t el, size_t number,
                  x10rt_done *done, void *arg)
{
    (void)team, (void)role;
    give(GATHER, root, from, el * number, into, done, arg);
}

void x10rt_alltoall(uint32_t team, uint32_t role, const void *from, void *into, size_t el, size_t number,
                    x10rt_done *done, void *arg)
{
    (void)team, (void)role;
    give(ALLTOALL, 0, from, el * number * (size_t)places, into, done, arg);
}

void x10rt_reduce(uint32_t team, uint32_t role, uint32_t root, const void *from, void *into, int op, int dtype,
                  size_t number, x10rt_done *done, void *arg)
{
    (void)team, (void)role, (void)op, (void)dtype;
    give(REDUCE, root, from, 8 * number, into, done, arg);
}

bool x10rt_allreduce(uint32_t team, uint32_t role, const void *from, void *into, int op, int dtype, size_t number,
                     x10rt_done *failed, x10rt_done *done, void *arg)
{
    (void)team, (void)role, (void)op, (void)dtype, (void)failed;
    give(ALLREDUCE, 0, from, 8 * number, into, done, arg);
    return true;
}
