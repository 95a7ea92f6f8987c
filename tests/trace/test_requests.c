/* Operations that one call starts and another completes, and the numbers of their channels. */
#include "stream_writer.h"

#define ANY (-2)

static struct writer w;

static int begin(void **state)
{
    set_up(state);
    w = writer_open(dir, 0, 0);
    write_begin(&w, 100, 4);
    return 0;
}

static struct reading finish(void)
{
    write_end(&w, 100000);
    writer_close(&w);
    return read_trace(dir);
}

static void start(uint64_t t, enum test_record kind, int32_t peer, int32_t tag, uint64_t request)
{
    write_call(&w, kind == SEND_START ? "MPI_Isend" : "MPI_Irecv", 0, t, t + 10);
    write_message(&w, kind, peer, tag, WS_COMM_WORLD_ID, request);
}

static void complete(uint64_t t, uint64_t request, int32_t source, int32_t tag)
{
    write_call(&w, "MPI_Wait", 0, t, t + 10);
    write_completion(&w, request, source, tag, 0);
}

static void blocking_is_its_own_start(void **state)
{
    (void)state;
    write_call(&w, "MPI_Send", 0, 200, 250);
    write_send(&w, 1, 7);
    write_call(&w, "MPI_Send", 0, 300, 310);
    write_send(&w, 1, 7);
    write_call(&w, "MPI_Send", 0, 320, 330);
    write_send(&w, 2, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    assert_int_equal(ATTR(r.events[0], T).i, 200);
    assert_int_equal(ATTR(r.events[0], D).i, 50);
    assert_int_equal(ATTR(r.events[0], END).i, 250);
    assert_int_equal(ATTR(r.events[0], POSTED).i, 200);
    assert_string_equal(ATTR(r.events[0], FUNCTION).s, "MPI_Send");
    assert_string_equal(ATTR(r.events[0], POSTED_FUNCTION).s, "MPI_Send");
    assert_int_equal(PARAM(r.events[0], 0).i, 1);
    assert_int_equal(PARAM(r.events[0], 3).i, 8);
    assert_int_equal(NUMBER(r.events[0]), 1);
    assert_int_equal(NUMBER(r.events[1]), 2);
    assert_int_equal(NUMBER(r.events[2]), 1); /* another channel */
    reading_free(&r);
}

static void completion_gives_time_and_start_gives_posting(void **state)
{
    (void)state;
    start(200, RECV_START, 1, 7, 0xA0);
    write_call(&w, "MPI_Wait", 0, 300, 400);
    write_completion(&w, 0xA0, 1, 7, 0);

    struct reading r = finish();
    assert_int_equal(r.count, 1);
    assert_int_equal(r.events[0]->type, T_RECV);
    assert_int_equal(ATTR(r.events[0], T).i, 300);
    assert_int_equal(ATTR(r.events[0], D).i, 100);
    assert_int_equal(ATTR(r.events[0], POSTED).i, 200);
    assert_string_equal(ATTR(r.events[0], FUNCTION).s, "MPI_Wait");
    assert_string_equal(ATTR(r.events[0], POSTED_FUNCTION).s, "MPI_Irecv");
    assert_int_equal(PARAM(r.events[0], 3).i, 16); /* what came, not what was asked for */
    reading_free(&r);
}

/* Two receives from anyone: the one posted second is completed first, by the first message of rank 2. */
static void wildcards_count_in_order_of_posting(void **state)
{
    (void)state;
    start(200, RECV_START, ANY, -1, 0xA0);
    start(220, RECV_START, ANY, -1, 0xB0);
    start(240, RECV_START, 2, 7, 0xC0);
    complete(300, 0xB0, 2, 7);
    complete(320, 0xC0, 2, 7);
    complete(340, 0xA0, 2, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    assert_int_equal(NUMBER(r.events[0]), 2); /* 0xB0 */
    assert_int_equal(NUMBER(r.events[1]), 3); /* 0xC0 */
    assert_int_equal(NUMBER(r.events[2]), 1); /* 0xA0 */
    assert_int_equal(PARAM(r.events[2], 0).i, 2);
    assert_int_equal(PARAM(r.events[2], 1).i, 7);
    reading_free(&r);
}

/* A receive from anyone that got rank 3's message takes no number of rank 2's channel. */
static void wildcards_count_on_the_channel_of_their_message(void **state)
{
    (void)state;
    start(200, RECV_START, ANY, 7, 0xA0);
    start(220, RECV_START, 2, 7, 0xB0);
    complete(300, 0xB0, 2, 7);
    complete(320, 0xA0, 3, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 2);
    assert_int_equal(NUMBER(r.events[0]), 1);
    assert_int_equal(NUMBER(r.events[1]), 1);
    reading_free(&r);
}

static void sources_are_ranks_of_the_communicator(void **state)
{
    (void)state;
    write_comm(&w, 150, 9, 2, (const int32_t[]){3, 1});
    write_call(&w, "MPI_Irecv", 0, 200, 210);
    write_message(&w, RECV_START, ANY, 7, 9, 0xA0);
    write_call(&w, "MPI_Irecv", 0, 220, 230);
    write_message(&w, RECV_START, ANY, 7, 77, 0xB0); /* never defined */
    write_call(&w, "MPI_Irecv", 0, 240, 250);
    write_message(&w, RECV_START, ANY, 7, WS_COMM_SELF_ID, 0xC0);
    complete(300, 0xA0, 0, 7);
    complete(320, 0xB0, 0, 7);
    complete(340, 0xC0, 0, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    assert_int_equal(PARAM(r.events[0], 0).i, 3);
    assert_int_equal(PARAM(r.events[1], 0).i, -2);
    assert_non_null(find_warning(r.trace, "communicators"));
    assert_int_equal(PARAM(r.events[2], 0).i, 0);
    reading_free(&r);
}

/* What does not fit into one packet is described in parts, and read twice. */
static void a_communicator_in_parts(void **state)
{
    (void)state;
    int32_t ranks[2 * WS_COMM_PART] = {
        [2] = 0, [WS_COMM_PART - 1] = 3, [WS_COMM_PART] = 5, [2 * WS_COMM_PART - 1] = 7};

    write_comm_from(&w, 150, 9, 0, WS_COMM_PART, ranks);
    write_comm_from(&w, 150, 8, 0, WS_COMM_PART, ranks); /* of which another one is the beginning */
    write_comm_from(&w, 150, 9, WS_COMM_PART, WS_COMM_PART, ranks + WS_COMM_PART);
    write_comm_from(&w, 150, 9, 2 * WS_COMM_PART, 2, (const int32_t[]){2, 4});
    write_comm_from(&w, 150, 9, 2 * WS_COMM_PART + 2, 1,
                    (const int32_t[]){6}); /* none: the last was not full */
    write_call(&w, "MPI_Irecv", 0, 200, 210);
    write_message(&w, RECV_START, ANY, 7, 9, 0xA0);
    write_call(&w, "MPI_Irecv", 0, 220, 230);
    write_message(&w, RECV_START, ANY, 7, 9, 0xB0);
    write_call(&w, "MPI_Irecv", 0, 240, 250);
    write_message(&w, RECV_START, ANY, 7, 8, 0xC0);
    complete(300, 0xA0, WS_COMM_PART, 7);
    complete(320, 0xB0, 2 * WS_COMM_PART + 1, 7);
    complete(340, 0xC0, WS_COMM_PART - 1, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    assert_int_equal(PARAM(r.events[0], 0).i, 5);
    assert_int_equal(PARAM(r.events[1], 0).i, 4);
    assert_int_equal(PARAM(r.events[2], 0).i, 3);
    assert_null(find_warning(r.trace, "communicators"));
    reading_free(&r);
}

static void waitall_gives_one_event_each(void **state)
{
    (void)state;
    start(200, SEND_START, 1, 7, 0xA0);
    start(220, RECV_START, 1, 7, 0xB0);
    write_call(&w, "MPI_Waitall", 0, 300, 400);
    write_completion(&w, 0xA0, 0, 0, 0);
    write_completion(&w, 0xB0, 1, 7, 0);

    struct reading r = finish();
    assert_int_equal(r.count, 2);
    assert_int_equal(r.events[0]->type, T_SEND);
    assert_int_equal(r.events[1]->type, T_RECV);
    assert_int_equal(PARAM(r.events[0], 3).i, 8); /* a send's parameters are those of its start */
    assert_int_equal(ATTR(r.events[0], CALL).i, ATTR(r.events[1], CALL).i);
    assert_int_equal(ATTR(r.events[0], D).i, 100);
    assert_int_equal(ATTR(r.events[1], D).i, 100);
    reading_free(&r);
}

static void persistent_requests_start_again_and_again(void **state)
{
    (void)state;
    write_call(&w, "MPI_Recv_init", 0, 150, 160);
    write_message(&w, RECV_INIT, 1, 7, WS_COMM_WORLD_ID, 0xA0);
    for (uint64_t t = 200; t < 500; t += 100) {
        write_call(&w, "MPI_Start", 0, t, t + 10);
        write_handle(&w, RESTART, 0xA0);
        complete(t + 50, 0xA0, 1, 7);
    }
    complete(600, 0xA0, -1, -1); /* inactive: MPI_Wait returns at once, nothing happened */
    write_call(&w, "MPI_Request_free", 0, 700, 710);
    write_handle(&w, FREE, 0xA0);
    complete(800, 0xA0, 1, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(NUMBER(r.events[i]), i + 1);
        assert_int_equal(ATTR(r.events[i], POSTED).i, 200 + 100 * i);
        assert_string_equal(ATTR(r.events[i], POSTED_FUNCTION).s, "MPI_Start");
    }
    assert_int_equal(ws_trace_info(r.trace)->incomplete, 0);
    reading_free(&r);
}

/* What one call makes of one request lives together: started, completed and counted as one. */
static void a_call_may_make_several_operations_of_a_request(void **state)
{
    (void)state;
    write_call(&w, "MPI_Send_init", 0, 150, 160);
    write_message(&w, SEND_INIT, 1, 7, WS_COMM_WORLD_ID, 0xA0);
    write_message(&w, SEND_INIT, 2, 7, WS_COMM_WORLD_ID, 0xA0);
    write_message(&w, SEND_INIT, 3, 7, WS_COMM_WORLD_ID, 0xA0);
    for (uint64_t t = 200; t < 400; t += 100) {
        write_call(&w, "MPI_Start", 0, t, t + 10);
        write_handle(&w, RESTART, 0xA0);
        complete(t + 50, 0xA0, -1, -1);
    }
    write_call(&w, "MPI_Isend", 0, 500, 510);
    write_message(&w, SEND_START, 1, 8, WS_COMM_WORLD_ID, 0xB0);
    write_message(&w, SEND_START, 2, 8, WS_COMM_WORLD_ID, 0xB0);
    complete(600, 0xB0, -1, -1);
    write_call(&w, "MPI_Start", 0, 700, 710);
    write_handle(&w, RESTART, 0xA0); /* never completed */

    struct reading r = finish();
    assert_int_equal(r.count, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(PARAM(r.events[i], 0).i, i < 6 ? 1 + i % 3 : i - 5);
        assert_int_equal(ATTR(r.events[i], T).i, i < 6 ? 250 + 100 * (i / 3) : 600);
        assert_int_equal(NUMBER(r.events[i]), i < 6 ? 1 + i / 3 : 1);
    }
    assert_int_equal(ws_trace_info(r.trace)->incomplete, 1);
    reading_free(&r);
}

static void cancelled_operations_take_no_number(void **state)
{
    (void)state;
    start(200, RECV_START, 1, 7, 0xA0);
    start(220, RECV_START, 1, 7, 0xB0);
    write_call(&w, "MPI_Wait", 0, 300, 310);
    write_completion(&w, 0xA0, -1, -1, 1);
    complete(320, 0xB0, 1, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 1);
    assert_int_equal(NUMBER(r.events[0]), 1);
    assert_int_equal(ATTR(r.events[0], POSTED).i, 220);
    reading_free(&r);
}

static void freed_sends_count_and_freed_receives_do_not(void **state)
{
    (void)state;
    start(200, SEND_START, 1, 7, 0xA0);
    write_call(&w, "MPI_Request_free", 0, 220, 225);
    write_handle(&w, FREE, 0xA0);
    start(230, RECV_START, 1, 7, 0xA0);
    write_call(&w, "MPI_Request_free", 0, 250, 255);
    write_handle(&w, FREE, 0xA0);
    start(260, RECV_START, 1, 7, 0xA0);
    complete(300, 0xA0, 1, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 2);
    assert_int_equal(r.events[0]->type, T_SEND);
    assert_int_equal(NUMBER(r.events[0]), 1);
    assert_string_equal(ATTR(r.events[0], FUNCTION).s, "MPI_Request_free");
    assert_int_equal(r.events[1]->type, T_RECV);
    assert_int_equal(NUMBER(r.events[1]), 1);
    reading_free(&r);
}

static void mprobe_posts_and_imrecv_carries_on(void **state)
{
    (void)state;
    write_call(&w, "MPI_Mprobe", 0, 200, 210);
    write_message(&w, RECV_START, 1, 7, WS_COMM_WORLD_ID, 0x1);
    write_call(&w, "MPI_Recv", 0, 220, 230);
    write_recv(&w, 1, 7);
    write_call(&w, "MPI_Imrecv", 0, 240, 250);
    write_continue(&w, 0x1, 0xA0);
    complete(300, 0xA0, 1, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 2);
    assert_int_equal(NUMBER(r.events[0]), 2); /* the receive in between */
    assert_int_equal(NUMBER(r.events[1]), 1); /* matched by Mprobe before it */
    assert_string_equal(ATTR(r.events[1], POSTED_FUNCTION).s, "MPI_Mprobe");
    reading_free(&r);
}

static void probe_tells_the_number_of_the_next_receive(void **state)
{
    (void)state;
    write_call(&w, "MPI_Recv", 0, 200, 210);
    write_recv(&w, 1, 7);
    write_call(&w, "MPI_Probe", 0, 220, 230);
    write_words(&w, PROBE, 1, 7, WS_COMM_WORLD_ID);
    write_call(&w, "MPI_Recv", 0, 240, 250);
    write_recv(&w, 1, 7);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    assert_int_equal(NUMBER(r.events[1]), 2);
    assert_int_equal(NUMBER(r.events[2]), 2);
    reading_free(&r);
}

static void rma_belongs_to_the_epoch_started_last(void **state)
{
    (void)state;
    for (uint64_t t = 200; t < 600; t += 100) {
        write_call(&w, "MPI_Put", 0, t, t + 10);
        write_words(&w, RMA, 5, 1, 0);
        write_call(&w, "MPI_Win_start", 0, t + 20, t + 30);
        write_words(&w, START, 5, 1, 0);
    }
    struct reading r = finish();
    assert_int_equal(r.count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(PARAM(r.events[i], 2).i, (i + 1) / 2);
    reading_free(&r);
}

/* MPICH gives all small sends the same handle of a request that is complete already. */
static void sends_may_share_a_handle(void **state)
{
    (void)state;
    start(200, SEND_START, 1, 7, 0xA0);
    start(220, SEND_START, 2, 7, 0xA0);
    start(240, SEND_START, 1, 7, 0xA0);
    write_call(&w, "MPI_Waitall", 0, 300, 310);
    for (int i = 0; i < 3; i++)
        write_completion(&w, 0xA0, 0, 0, 0);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    assert_int_equal(PARAM(r.events[0], 0).i, 1);
    assert_int_equal(PARAM(r.events[1], 0).i, 2);
    assert_int_equal(PARAM(r.events[2], 0).i, 1);
    assert_int_equal(NUMBER(r.events[2]), 2);
    reading_free(&r);
}

static void what_nobody_completes_is_incomplete(void **state)
{
    (void)state;
    start(200, RECV_START, 1, 7, 0xA0); /* completed by a call that was not recorded */
    start(220, RECV_START, 1, 7, 0xA0);
    complete(300, 0xA0, 1, 7);
    start(320, SEND_START, 1, 7, 0xB0); /* not before the end */

    struct reading r = finish();
    assert_int_equal(r.count, 1);
    assert_int_equal(NUMBER(r.events[0]), 1);
    assert_int_equal(ATTR(r.events[0], POSTED).i, 220);
    assert_int_equal(ws_trace_info(r.trace)->incomplete, 2);
    reading_free(&r);
}

/* Thread 0 waits for a send; the MPI frees the handle, thread 1 gets it for its own send and completes that
 * before thread 0 comes back from its wait. */
static void a_handle_passes_from_thread_to_thread(void **state)
{
    struct writer other = writer_open(dir, 0, 1);

    (void)state;
    start(200, SEND_START, 1, 7, 0xA0);
    write_call(&w, "MPI_Wait", 0, 300, 900);
    write_completion(&w, 0xA0, 0, 0, 0);
    write_call(&other, "MPI_Isend", 0, 400, 410);
    write_message(&other, SEND_START, 2, 8, WS_COMM_WORLD_ID, 0xA0);
    write_call(&other, "MPI_Wait", 0, 500, 510);
    write_completion(&other, 0xA0, 0, 0, 0);
    writer_close(&other);

    struct reading r = finish();
    assert_int_equal(r.count, 2);
    assert_int_equal(PARAM(r.events[0], 0).i, 2); /* thread 1's ends first */
    assert_int_equal(ATTR(r.events[0], POSTED).i, 400);
    assert_int_equal(PARAM(r.events[1], 0).i, 1);
    assert_int_equal(ATTR(r.events[1], POSTED).i, 200);
    assert_int_equal(ws_trace_info(r.trace)->incomplete, 0);
    reading_free(&r);
}

/* Thread 1 enters MPI_Irecv, thread 0 enters MPI_Wait and has its receive completed, and the handle goes to
 * thread 1, which comes back first.  By the calls' starts the new receive would be there before the old one
 * went; by their ends the same. */
static void a_handle_passes_to_a_call_that_began_before(void **state)
{
    struct writer other = writer_open(dir, 0, 1);

    (void)state;
    start(200, RECV_START, 1, 7, 0xA0);
    write_call(&w, "MPI_Wait", 0, 300, 900);
    write_completion(&w, 0xA0, 1, 7, 0);
    write_call(&other, "MPI_Irecv", 0, 290, 410);
    write_message(&other, RECV_START, 2, 8, WS_COMM_WORLD_ID, 0xA0);
    write_call(&other, "MPI_Wait", 0, 500, 510);
    write_completion(&other, 0xA0, 2, 8, 0);
    writer_close(&other);

    struct reading r = finish();
    assert_int_equal(r.count, 2);
    assert_int_equal(PARAM(r.events[0], 0).i, 2);
    assert_int_equal(ATTR(r.events[0], POSTED).i, 290);
    assert_int_equal(PARAM(r.events[1], 0).i, 1);
    assert_int_equal(ATTR(r.events[1], POSTED).i, 200);
    assert_int_equal(ws_trace_info(r.trace)->incomplete, 0);
    reading_free(&r);
}

/* While thread 0 is in MPI_Imrecv, the handle of its message goes to thread 1's Mprobe, and thread 0 gets the
 * handle that thread 1's MPI_Wait gave back in the meantime. */
static void messages_and_requests_pass_between_threads(void **state)
{
    struct writer other = writer_open(dir, 0, 1);

    (void)state;
    write_call(&w, "MPI_Mprobe", 0, 200, 210);
    write_message(&w, RECV_START, 1, 7, WS_COMM_WORLD_ID, 0x1);
    write_call(&w, "MPI_Imrecv", 0, 300, 900);
    write_continue(&w, 0x1, 0xA0);
    complete(1000, 0xA0, 1, 7);
    write_call(&other, "MPI_Irecv", 0, 220, 230);
    write_message(&other, RECV_START, 2, 8, WS_COMM_WORLD_ID, 0xA0);
    write_call(&other, "MPI_Mprobe", 0, 310, 320);
    write_message(&other, RECV_START, 3, 9, WS_COMM_WORLD_ID, 0x1);
    write_call(&other, "MPI_Waitall", 0, 400, 500);
    write_completion(&other, 0xA0, 2, 8, 0);
    write_completion(&other, 0x1, 3, 9, 0);
    writer_close(&other);

    struct reading r = finish();
    assert_int_equal(r.count, 3);
    assert_int_equal(ATTR(r.events[0], POSTED).i, 220);
    assert_int_equal(ATTR(r.events[1], POSTED).i, 310);
    assert_int_equal(ATTR(r.events[2], POSTED).i, 200);
    assert_int_equal(ws_trace_info(r.trace)->incomplete, 0);
    reading_free(&r);
}

static void one_thread_completes_what_another_started(void **state)
{
    struct writer other = writer_open(dir, 0, 1);

    (void)state;
    start(200, RECV_START, ANY, 7, 0xA0);
    write_call(&other, "MPI_Wait", 0, 220, 400);
    write_completion(&other, 0xA0, 3, 7, 0);
    writer_close(&other);

    struct reading r = finish();
    assert_int_equal(r.count, 1);
    assert_int_equal(PARAM(r.events[0], 0).i, 3);
    assert_int_equal(NUMBER(r.events[0]), 1);
    assert_int_equal(ATTR(r.events[0], CALL).i, INT64_C(1) << 32);
    reading_free(&r);
}

/* What a process may do with requests where each operation ends once: receives from anyone or someone,
 * persistent ones, sends that share a handle or have their own, completed in any order.  The last send may be
 * lost. */
static void do_something(unsigned seed, bool lose)
{
    enum { HANDLES = 8, SHARED = 0x5, PERSISTENT = 0x900 };
    struct {
        enum { NONE, RECV_NAMED, RECV_ANY, SEND_OWN } what;
        int32_t peer;
    } open[HANDLES] = {{0}};
    uint64_t t = 200;
    bool restarted = false;
    int shared = 0;

    srand(seed);
    start(t, RECV_INIT, ANY, 7, PERSISTENT);
    for (int step = 0; step < 400; step++) {
        int k = rand() % HANDLES, last = step > 350;
        t += 20;
        write_call(&w, "MPI_Wait", 0, t, t + 10);
        if (open[k].what == RECV_ANY || (open[k].what == RECV_NAMED && rand() % 4 == 0))
            write_completion(&w, 0xA0 + (uint64_t)k, open[k].peer, 7, 0);
        else if (open[k].what)
            write_handle(&w, AS_STARTED, 0xA0 + (uint64_t)k);
        if (open[k].what || last) {
            open[k].what = NONE;
            continue;
        }
        if (rand() % 4 == 0 && shared-- > 0)
            write_handle(&w, AS_STARTED, SHARED);
        shared = shared < 0 ? 0 : shared;
        if (rand() % 4 == 0 && restarted) {
            write_completion(&w, PERSISTENT, rand() % 4, 7, 0);
            restarted = false;
        }
        t += 20;
        write_call(&w, "MPI_Start", 0, t, t + 10);
        open[k].what = 1 + rand() % 3;
        open[k].peer = rand() % 4;
        write_message(&w, open[k].what == SEND_OWN ? SEND_START : RECV_START,
                      open[k].what == RECV_ANY ? ANY : open[k].peer, 7, WS_COMM_WORLD_ID, 0xA0 + (uint64_t)k);
        if (rand() % 4 == 0) {
            write_message(&w, SEND_START, rand() % 4, 7, WS_COMM_WORLD_ID, SHARED);
            shared++;
        }
        if (rand() % 4 == 0 && !restarted) {
            write_handle(&w, RESTART, PERSISTENT);
            restarted = true;
        }
    }
    for (int k = 0; k < HANDLES; k++, t += 20)
        if (open[k].what)
            complete(t + 20, 0xA0 + (uint64_t)k, open[k].peer, 7);
    for (; shared > 0; shared--)
        write_handle(&w, AS_STARTED, SHARED);
    if (restarted)
        write_completion(&w, PERSISTENT, 1, 7, 0);
    if (lose)
        start(t + 100, SEND_START, 1, 99, 0xF00);
}

/* With a lost operation every request is followed; without, only those whose end brings something. */
static void numbers_are_the_same_however_they_are_found(void **state)
{
    for (unsigned seed = 0; seed < 50; seed++) {
        struct reading quick, slow;
        do_something(seed, false);
        quick = finish();
        tear_down(state);
        begin(state);
        do_something(seed, true);
        slow = finish();
        assert_int_equal(ws_trace_info(quick.trace)->incomplete, 0);
        assert_int_equal(ws_trace_info(slow.trace)->incomplete, 1);
        assert_int_equal(quick.count, slow.count);
        assert_true(quick.count > 150);
        for (size_t i = 0; i < quick.count; i++) {
            assert_int_equal(quick.events[i]->type, slow.events[i]->type);
            assert_int_equal(PARAM(quick.events[i], 0).i, PARAM(slow.events[i], 0).i);
            assert_int_equal(ATTR(quick.events[i], POSTED).i, ATTR(slow.events[i], POSTED).i);
            assert_int_equal(NUMBER(quick.events[i]), NUMBER(slow.events[i]));
        }
        reading_free(&quick);
        reading_free(&slow);
        tear_down(state);
        begin(state);
    }
    struct reading rest = finish();
    reading_free(&rest);
}

/* Where the constant stands there was another value before, in a record that tells it. */
static void a_completion_may_have_constants(void **state)
{
    struct __attribute__((packed)) {
        uint64_t request;
        int32_t source;
        uint64_t bytes;
    } fields = {0xB0, 1, 24};

    (void)state;
    start(200, RECV_START, ANY, -1, 0xA0);
    start(220, RECV_START, ANY, -1, 0xB0);
    complete(300, 0xA0, 1, 9);
    write_call(&w, "MPI_Wait", 0, 320, 330);
    write_record(&w, TAGGED, &fields, sizeof fields);
    for (uint64_t t = 400; t < 800; t += 20) { /* it is not the last */
        write_call(&w, "MPI_Send", 0, t, t + 10);
        write_send(&w, 1, 9);
    }

    struct reading r = finish();
    assert_int_equal(r.count, 22);
    assert_int_equal(PARAM(r.events[0], 1).i, 9);
    assert_int_equal(PARAM(r.events[1], 1).i, 7);
    assert_int_equal(PARAM(r.events[1], 3).i, 24);
    assert_int_equal(NUMBER(r.events[0]), 1);
    assert_int_equal(NUMBER(r.events[1]), 1); /* of another channel */
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(blocking_is_its_own_start, begin, tear_down),
        cmocka_unit_test_setup_teardown(completion_gives_time_and_start_gives_posting, begin, tear_down),
        cmocka_unit_test_setup_teardown(wildcards_count_in_order_of_posting, begin, tear_down),
        cmocka_unit_test_setup_teardown(wildcards_count_on_the_channel_of_their_message, begin, tear_down),
        cmocka_unit_test_setup_teardown(sources_are_ranks_of_the_communicator, begin, tear_down),
        cmocka_unit_test_setup_teardown(a_communicator_in_parts, begin, tear_down),
        cmocka_unit_test_setup_teardown(waitall_gives_one_event_each, begin, tear_down),
        cmocka_unit_test_setup_teardown(persistent_requests_start_again_and_again, begin, tear_down),
        cmocka_unit_test_setup_teardown(a_call_may_make_several_operations_of_a_request, begin, tear_down),
        cmocka_unit_test_setup_teardown(cancelled_operations_take_no_number, begin, tear_down),
        cmocka_unit_test_setup_teardown(freed_sends_count_and_freed_receives_do_not, begin, tear_down),
        cmocka_unit_test_setup_teardown(mprobe_posts_and_imrecv_carries_on, begin, tear_down),
        cmocka_unit_test_setup_teardown(probe_tells_the_number_of_the_next_receive, begin, tear_down),
        cmocka_unit_test_setup_teardown(rma_belongs_to_the_epoch_started_last, begin, tear_down),
        cmocka_unit_test_setup_teardown(sends_may_share_a_handle, begin, tear_down),
        cmocka_unit_test_setup_teardown(what_nobody_completes_is_incomplete, begin, tear_down),
        cmocka_unit_test_setup_teardown(a_handle_passes_from_thread_to_thread, begin, tear_down),
        cmocka_unit_test_setup_teardown(a_handle_passes_to_a_call_that_began_before, begin, tear_down),
        cmocka_unit_test_setup_teardown(messages_and_requests_pass_between_threads, begin, tear_down),
        cmocka_unit_test_setup_teardown(one_thread_completes_what_another_started, begin, tear_down),
        cmocka_unit_test_setup_teardown(numbers_are_the_same_however_they_are_found, begin, tear_down),
        cmocka_unit_test_setup_teardown(a_completion_may_have_constants, begin, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
