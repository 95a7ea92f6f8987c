// Programs as the X10 compiler would make them of X10 sources: closures that are sent to other places, and run there.
// Which one: the first argument.
#include "network.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>
#include <vector>

using x10aux::deserialization_buffer;
using x10aux::NetworkDispatcher;

static int here, places;
static int arrived; // closures that were run here

static void send(x10aux::serialization_id_t id, int place, const void *bytes, size_t length)
{
    std::vector<char> message(length);
    memcpy(message.data(), bytes, length < 8 ? length : 8);
    x10rt_msg_params p = {(uint32_t)place, NetworkDispatcher::getMsgType(id), message.data(), (uint32_t)length};
    x10rt_send_msg(&p);
}

static void wait_until(volatile int &value, int wanted)
{
    while (value < wanted)
        x10rt_blocking_probe();
}

static void barrier()
{
    volatile int met = 0;
    x10rt_barrier(0, (uint32_t)here, x10rt_one_setter, (void *)&met);
    wait_until(const_cast<volatile int &>(met), 1);
}

// What all closures here are: a number that comes with them, and something to do.
#define CLOSURE(NAME, ACTION)                                                                              \
    class NAME : public x10::lang::Reference {                                                             \
    public:                                                                                                \
        int value;                                                                                         \
        void run() { ACTION; }                                                                             \
        static x10::lang::Reference *_deserialize(deserialization_buffer &buf)                             \
        {                                                                                                  \
            NAME *closure = new NAME;                                                                      \
            memcpy(&closure->value, buf.bytes, sizeof closure->value);                                     \
            return closure;                                                                                \
        }                                                                                                  \
        static const x10aux::serialization_id_t _network_id;                                               \
    };                                                                                                     \
    const x10aux::serialization_id_t NAME::_network_id =                                                   \
        NetworkDispatcher::addNetworkDeserializer(NAME::_deserialize, x10aux::CLOSURE_KIND_ASYNC_CLOSURE);

namespace x10 { namespace xrx {
CLOSURE(Finish__count, __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED))
} }

// HelloWholeWorld on 4 places: to each place 3 messages, 74 bytes; from each 1 of 32.  The answer is sent in the
// handler, within a call of x10rt_blocking_probe.
CLOSURE(HelloWholeWorld__closure__1, {
    int one = 1;
    printf("hello from %d\n", here);
    fflush(stdout);
    send(x10::xrx::Finish__count::_network_id, 0, &one, 32);
})

static void hello()
{
    for (int k = 1; here == 0 && k < places; k++) {
        send(x10::xrx::Finish__count::_network_id, k, &k, 20);
        send(HelloWholeWorld__closure__1::_network_id, k, &k, 36);
        send(x10::xrx::Finish__count::_network_id, k, &k, 18);
    }
    wait_until(arrived, here == 0 ? places - 1 : 2);
}

// NQueensDist 8 on 4 places: to each place 6 messages, 392 bytes; from each 3, 92 bytes.
static int solutions;

static int queens(int row, int columns, int left, int right)
{
    int found = 0;
    if (row == 8)
        return 1;
    for (int free = ~(columns | left | right) & 255, bit; free; free &= free - 1) {
        bit = free & -free;
        found += queens(row + 1, columns | bit, (left | bit) << 1 & 255, (right | bit) >> 1);
    }
    return found;
}

CLOSURE(NQueensDist__result, {
    __atomic_fetch_add(&solutions, value, __ATOMIC_RELAXED);
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
})
CLOSURE(NQueensDist__closure__2, {
    int bit = 1 << value;
    int found = queens(1, bit, bit << 1 & 255, bit >> 1);
    send(NQueensDist__result::_network_id, 0, &found, 28);
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
})

static void nqueens()
{
    int one = 1;
    for (int k = 1; here == 0 && k < places; k++) {
        for (int i = 0; i < 4; i++)
            send(x10::xrx::Finish__count::_network_id, k, &one, 48);
        for (int column = 2 * k; column < 2 * k + 2; column++)
            send(NQueensDist__closure__2::_network_id, k, &column, 100);
    }
    for (int column = 0; here == 0 && column < 2; column++)
        solutions += queens(1, 1 << column, 1 << column << 1 & 255, 1 << column >> 1);
    wait_until(arrived, here == 0 ? 2 * (places - 1) : 6);
    if (here > 0)
        send(x10::xrx::Finish__count::_network_id, 0, &one, 36);
    else
        wait_until(arrived, 3 * (places - 1));
    if (here == 0)
        printf("solutions %d\n", solutions);
}

// Three threads of each place send 200 messages to each other place.
static void *chatter(void *)
{
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < places; k++)
            if (k != here)
                send(x10::xrx::Finish__count::_network_id, k, &i, 8 + i);
    return 0;
}

static void threads()
{
    pthread_t workers[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&workers[i], 0, chatter, 0);
    wait_until(arrived, 3 * 200 * (places - 1));
    for (int i = 0; i < 3; i++)
        pthread_join(workers[i], 0);
}

// Puts, gets and remote operations between neighbours, whose memory's address comes by a message.
static uint64_t neighbour; // where its memory is
static int64_t memory[1024];
static volatile int done;

CLOSURE(OneSided__address, { abort(); })
static void put_done(deserialization_buffer &, x10aux::x10_int)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
}
static void get_done(deserialization_buffer &, x10aux::x10_int)
{
    done = 1;
}
static const x10aux::serialization_id_t put_id = NetworkDispatcher::addPutFunctions(put_done, 0);
static const x10aux::serialization_id_t get_id = NetworkDispatcher::addGetFunctions(get_done, 0);

static void one_sided()
{
    int next = (here + 1) % places;
    uint64_t all[16], own = (uint64_t)memory;
    volatile int met = 0;
    int64_t copy[16] = {0}, mine[32];
    x10rt_gather(0, (uint32_t)here, 0, &own, all, 8, 1, x10rt_one_setter, (void *)&met);
    wait_until(met, 1);
    met = 0;
    x10rt_bcast(0, (uint32_t)here, 0, all, all, 8, (size_t)places, 0, x10rt_one_setter, (void *)&met);
    wait_until(met, 1);
    neighbour = all[next];
    for (int i = 0; i < 32; i++)
        mine[i] = here;
    char head[12] = "put";
    x10rt_msg_params put = {(uint32_t)next, NetworkDispatcher::getMsgType(put_id), head, sizeof head};
    x10rt_send_put(&put, mine, (void *)neighbour, sizeof mine);
    wait_until(arrived, 1);
    barrier();
    x10rt_msg_params get = {(uint32_t)next, NetworkDispatcher::getMsgType(get_id), head, 4};
    x10rt_send_get(&get, (void *)neighbour, copy, sizeof copy);
    wait_until(done, 1);
    for (int i = 0; i < 5; i++)
        x10rt_remote_op((uint32_t)next, neighbour + 512, 0, 2);
    x10rt_remote_op_params ops[3];
    for (int i = 0; i < 3; i++)
        ops[i] = (x10rt_remote_op_params){(unsigned)next, 0, neighbour + 512, 1};
    x10rt_remote_ops(ops, 3);
    barrier();
    printf("place %d: put %ld, got %ld, added %ld\n", here, (long)memory[0], (long)copy[0], (long)memory[64]);
}

static void collectives()
{
    int64_t own[4] = {here, 1, 2, 3}, from[64], into[64] = {0};
    volatile int met = 0;
    for (int i = 0; i < 64; i++)
        from[i] = here;
    x10rt_scatter(0, (uint32_t)here, 1, from, into, 8, 4, x10rt_one_setter, (void *)&met);
    wait_until(met, 1);
    met = 0;
    x10rt_alltoall(0, (uint32_t)here, from, into, 8, 3, x10rt_one_setter, (void *)&met);
    wait_until(met, 1);
    met = 0;
    x10rt_reduce(0, (uint32_t)here, 2, own, into, 0, 6, 4, x10rt_one_setter, (void *)&met);
    wait_until(met, 1);
    met = 0;
    x10rt_allreduce(0, (uint32_t)here, own, into, 0, 6, 4, 0, x10rt_one_setter, (void *)&met);
    wait_until(met, 1);
    if (here == 0)
        printf("sum %ld\n", (long)into[0]);
}

// Place 1 dies in the midst of sending; the others are ended.
static void die()
{
    for (int i = 0; i < 1000; i++)
        send(x10::xrx::Finish__count::_network_id, (here + 1) % places, &i, 16);
    barrier();
    if (here == 1)
        abort();
    wait_until(arrived, 1 << 30);
}

// Place 0 asks after 200 ms.  Place 1 answers within its call of x10rt_blocking_probe, and again after 100 ms there.
CLOSURE(Question, {
    int one = 1;
    send(x10::xrx::Finish__count::_network_id, 0, &one, 8);
    usleep(100000);
    send(x10::xrx::Finish__count::_network_id, 0, &one, 8);
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
})

static void question()
{
    if (here == 0) {
        usleep(200000);
        send(Question::_network_id, 1, &here, 8);
    }
    wait_until(arrived, here == 0 ? 2 : 1);
}

// Place 1 waits four times for place 0, which works 100 ms each time; then place 0 sends it many small pieces.
static void late()
{
    for (int i = 0; i < 4; i++) {
        if (here == 0) {
            usleep(100000);
            send(x10::xrx::Finish__count::_network_id, 1, &i, 16);
            wait_until(arrived, i + 1);
        } else if (here == 1) {
            wait_until(arrived, i + 1);
            send(x10::xrx::Finish__count::_network_id, 0, &i, 16);
        }
    }
    for (int i = 0; here == 0 && i < 320; i++)
        send(x10::xrx::Finish__count::_network_id, 1, &i, 16);
    if (here == 1)
        wait_until(arrived, 324);
    barrier();
}

// Place 0 puts 64 numbers one by one where one put would do.
static void pieces()
{
    uint64_t own = (uint64_t)memory, all[16];
    volatile int met = 0;
    x10rt_gather(0, (uint32_t)here, 0, &own, all, 8, 1, x10rt_one_setter, (void *)&met);
    wait_until(met, 1);
    for (int64_t i = 0; here == 0 && i < 64; i++) {
        x10rt_msg_params put = {1, NetworkDispatcher::getMsgType(put_id), 0, 0};
        x10rt_send_put(&put, &i, (void *)(all[1] + 8 * (uint64_t)i), 8);
    }
    if (here == 1)
        wait_until(arrived, 64);
}

static int argument_count;
static char **arguments;

// X10 starts in a thread of its own.
static void *begin(void *)
{
    static const struct {
        const char *name;
        void (*run)();
    } programs[] = {{"hello", hello},         {"nqueens", nqueens},         {"threads", threads},
                    {"one-sided", one_sided}, {"collectives", collectives}, {"die", die},
                    {"question", question},   {"late", late},               {"pieces", pieces}};
    if (x10rt_init(&argument_count, &arguments) != 0)
        exit(1);
    here = (int)x10rt_here();
    places = (int)x10rt_nplaces();
    NetworkDispatcher::registerHandlers();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (argument_count > 1 && strcmp(arguments[1], programs[i].name) == 0)
            programs[i].run();
    fflush(stdout);
    x10rt_finalize();
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    argument_count = argc;
    arguments = argv;
    pthread_create(&thread, 0, begin, 0);
    pthread_join(thread, 0);
    return 0;
}
