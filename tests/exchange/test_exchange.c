/* Who sent how much to whom: made-up traces whose matrix is known. */
#include "made_up.h"

#define WORLD WS_COMM_WORLD_ID
#define VALUES(...) ((const int64_t[]){__VA_ARGS__})

static void send(int64_t to, int64_t tag, int64_t bytes)
{
    made_call("MPI_Send", "send", 100, VALUES(to, tag, WORLD, bytes));
}

static struct ws_sum sum_of(const struct ws_exchange *exchange, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < exchange->pair_count; i++)
        if (exchange->pairs[i].from == from && exchange->pairs[i].to == to)
            return exchange->pairs[i].sum;
    return (struct ws_sum){0};
}

static void assert_pair(const struct ws_exchange *exchange, uint32_t from, uint32_t to, uint64_t messages,
                        uint64_t bytes)
{
    struct ws_sum sum = sum_of(exchange, from, to);

    if (sum.messages != messages || sum.bytes != bytes)
        fail_msg("%u to %u: %lu messages, %lu bytes; expected %lu, %lu", from, to, sum.messages, sum.bytes,
                 messages, bytes);
}

static struct ws_sum row_of(const struct ws_exchange *exchange, enum ws_exchange_by by, const char *name,
                            uint32_t number)
{
    size_t count;
    struct ws_row *rows = ws_exchange_rows(exchange, by, false, &count);
    struct ws_sum sum = {0};

    for (size_t i = 0; i < count; i++)
        if (name ? strcmp(rows[i].name, name) == 0 : rows[i].number == number)
            sum = rows[i].sum;
    free(rows);
    return sum;
}

static void messages_count_where_they_are_sent(void **state)
{
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    made_place(0, 3);
    send(1, 7, 64);
    send(1, 7, 0);
    send(2, 8, 1000);
    send(0, 8, 5); /* to itself: a message like any other */
    made_end();
    made_place(1, 3);
    made_call("MPI_Recv", "recv", 100, VALUES(0, 7, WORLD, 64));
    made_call("MPI_Isend", "send", 100, VALUES(0, 7, WORLD, 100, 0xA0));
    made_call("MPI_Isend", "send", 100, VALUES(0, 7, WORLD, 100, 0xB0)); /* never completed */
    made.now_ns += 100;
    encode_call(&made.e, (uint32_t)ws_tracegen_function(&made.schema, "MPI_Request_free"), made.now_ns - 10,
                made.now_ns);
    for (size_t i = 0; i < made.kb.trace_rule_count; i++)
        if (made.kb.trace_rules[i]->role == WS_ROLE_FREE)
            encode_record(&made.e, ws_tracegen_record(&made.schema, made.kb.trace_rules[i]),
                          &(uint64_t){0xA0}, 8);
    made_end();
    made_place(2, 3);
    made_end();
    exchange = made_read(NULL);
    assert_int_equal(exchange.places, 3);
    assert_string_equal(exchange.place, "rank");
    assert_int_equal(exchange.pair_count, 4);
    assert_pair(&exchange, 0, 0, 1, 5);
    assert_pair(&exchange, 0, 1, 2, 64);
    assert_pair(&exchange, 0, 2, 1, 1000);
    assert_pair(&exchange, 1, 0, 1, 100);
    assert_int_equal(exchange.received[0].bytes, 105);
    assert_int_equal(exchange.received[1].bytes, 64);
    assert_int_equal(exchange.received[2].messages, 1);
    assert_int_equal(exchange.sent[0].bytes, 1069);
    assert_int_equal(exchange.kinds[WS_TRANSFER_MESSAGE].messages, 5);
    assert_int_equal(exchange.sum.bytes, 1169);
    assert_int_equal(exchange.recording.incomplete, 1);
    assert_int_equal(row_of(&exchange, WS_BY_TYPE, "tag 8", 0).bytes, 1005);
    assert_int_equal(row_of(&exchange, WS_BY_FUNCTION, "MPI_Isend", 0).messages, 1);
    assert_int_equal(row_of(&exchange, WS_BY_SIZE, NULL, ws_size_class(64)).messages, 2);
    assert_int_equal(row_of(&exchange, WS_BY_SIZE, NULL, 0).messages, 1);
    made_finish(&exchange);
}

static void one_sided_operations_have_their_direction(void **state)
{
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    made_place(0, 2);
    made_call("MPI_Put", "rma", 100, VALUES(3, 1, 100, 0));
    made_call("MPI_Get", "rma", 100, VALUES(3, 1, 30, 0));
    made_call("MPI_Accumulate", "rma", 100, VALUES(3, 1, 8, 0));
    made_call("MPI_Fetch_and_op", "rma", 100, VALUES(3, 1, 4, 4, 0));
    made_call("MPI_Fetch_and_op", "rma", 100, VALUES(3, 1, 4, 0, 0)); /* MPI_NO_OP gives nothing */
    made_call("MPI_Compare_and_swap", "rma", 100, VALUES(3, 1, 4, 8, 0));
    made_end();
    made_place(1, 2);
    made_end();
    exchange = made_read(NULL);
    assert_pair(&exchange, 0, 1, 4, 100 + 8 + 4 + 8);
    assert_pair(&exchange, 1, 0, 4, 30 + 4 + 4 + 4);
    assert_int_equal(exchange.kinds[WS_TRANSFER_PUT].bytes, 100);
    assert_int_equal(exchange.kinds[WS_TRANSFER_GET].bytes, 30);
    assert_int_equal(exchange.kinds[WS_TRANSFER_ATOMIC].bytes, 8 + 4 + 8 + 4 + 4 + 4);
    made_finish(&exchange);
}

/* Of a broadcast of 10 bytes by rank 2, a reduction of 20 to rank 0, an exchange of 30 from each to each. */
static void collectives_among_all(void **state)
{
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    for (uint32_t r = 0; r < 3; r++) {
        made_place(r, 3);
        made_call("MPI_Bcast", "broadcast", 100, VALUES(WORLD, 3, 2, r == 2, 10));
        made_call("MPI_Reduce", "reduce", 100, VALUES(WORLD, 3, 0, r == 0, 20));
        made_call("MPI_Allgather", "nxn", 100, VALUES(WORLD, 3, 30));
        made_call("MPI_Alltoall", "nxn", 100, VALUES(WORLD, 3, 3 * 5));
        made_call("MPI_Scan", "scan", 100, VALUES(WORLD, 3, 7, r + 1));
        made_call("MPI_Reduce_scatter", "nxn", 100, VALUES(WORLD, 3, 600, 100 * (r + 1)));
        made_call("MPI_Barrier", "barrier", 100, VALUES(WORLD, 3));
        made_end();
    }
    exchange = made_read(NULL);
    assert_pair(&exchange, 0, 1, 4, 30 + 5 + 7 + 200);
    assert_pair(&exchange, 0, 2, 4, 30 + 5 + 7 + 300);
    assert_pair(&exchange, 1, 0, 4, 20 + 30 + 5 + 100);
    assert_pair(&exchange, 1, 2, 4, 30 + 5 + 7 + 300);
    assert_pair(&exchange, 2, 0, 5, 10 + 20 + 30 + 5 + 100);
    assert_pair(&exchange, 2, 1, 4, 10 + 30 + 5 + 200);
    assert_int_equal(exchange.pair_count, 6);
    assert_int_equal(exchange.received[0].bytes, 20 + 30 + 5 + 100 + 10 + 20 + 30 + 5 + 100);
    assert_int_equal(exchange.received[1].bytes, 30 + 5 + 7 + 200 + 10 + 30 + 5 + 200);
    assert_int_equal(exchange.sent[1].bytes, 20 + 30 + 5 + 100 + 30 + 5 + 7 + 300);
    assert_int_equal(exchange.kinds[WS_TRANSFER_COLLECTIVE].bytes, exchange.sum.bytes);
    made_finish(&exchange);
}

/* A communicator of ranks 3, 1 and one of another world, in this order; parts of a vector; one nobody
 * defined. */
static void collectives_among_some(void **state)
{
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    for (uint32_t r = 0; r < 4; r++) {
        made_place(r, 4);
        if (r % 2) {
            made_comm(5, 3, (const int32_t[]){3, 1, -1});
            made_call("MPI_Allreduce", "nxn", 100, VALUES(5, 2, 50));
            made_call("MPI_Alltoallv", "nxn", 100, VALUES(5, 2, 9));
            made_record("MPI_Alltoallv", "part", VALUES(5, 0, 1, 4));
            made_record("MPI_Alltoallv", "part", VALUES(5, 1, 2, 2));
        }
        if (r == 0) {
            made_call("MPI_Allreduce", "nxn", 100, VALUES(77, 2, 11)); /* not defined */
            made_call("MPI_Alltoallv", "nxn", 100, VALUES(WORLD, 4, 9));
            made_record("MPI_Alltoallv", "part", VALUES(WORLD, 2, 900, 4)); /* more than there are */
            made_record("MPI_Alltoallv", "part", VALUES(WORLD, -5, -1, 4)); /* less than none */
        }
        made_end();
    }
    exchange = made_read(NULL);
    assert_pair(&exchange, 1, 3, 2, 50 + 4);
    assert_pair(&exchange, 3, 1, 2, 50 + 2);
    assert_pair(&exchange, 0, 2, 1, 4);
    assert_pair(&exchange, 0, 3, 1, 4);
    assert_int_equal(exchange.pair_count, 4);
    assert_int_equal(exchange.elsewhere.messages, 4);
    assert_int_equal(exchange.elsewhere.bytes, 50 + 50 + 2 + 2);
    assert_int_equal(exchange.unplaced.bytes, 11);
    assert_int_equal(exchange.received[3].bytes, 54 + 4);
    made_finish(&exchange);
}

/* The parts of a persistent exchange count each time that it is started; the function is the one that made
 * it. */
static void persistent_vectors_count_each_time(void **state)
{
    const char *made_by = "MPI_Alltoallv_init";
    struct ws_exchange exchange;
    size_t restart = 0, completion = 0;

    (void)state;
    made_begin();
    for (size_t i = 0; i < made.schema.record_count; i++) {
        restart = made.schema.records[i].role == WS_ROLE_RESTART ? i : restart;
        completion = strcmp(made.schema.records[i].name, "completion_as_started") == 0 ? i : completion;
    }
    made_place(0, 3);
    made_call(made_by, "nxn", 100, VALUES(WORLD, 3, 9, 0xA0));
    made_record(made_by, "part", VALUES(WORLD, 1, 1, 4, 0xA0));
    made_record(made_by, "part", VALUES(WORLD, 2, 1, 5, 0xA0));
    for (int i = 0; i < 3; i++) {
        encode_call(&made.e, (uint32_t)ws_tracegen_function(&made.schema, "MPI_Start"), made.now_ns + 10,
                    made.now_ns + 20);
        encode_record(&made.e, restart, &(uint64_t){0xA0}, 8);
        encode_call(&made.e, (uint32_t)ws_tracegen_function(&made.schema, "MPI_Wait"), made.now_ns + 30,
                    made.now_ns + 40);
        encode_record(&made.e, completion, &(uint64_t){0xA0}, 8);
        made.now_ns += 40;
    }
    made_end();
    for (uint32_t r = 1; r < 3; r++) {
        made_place(r, 3);
        made_end();
    }
    exchange = made_read(NULL);
    assert_pair(&exchange, 0, 1, 3, 12);
    assert_pair(&exchange, 0, 2, 3, 15);
    assert_int_equal(row_of(&exchange, WS_BY_FUNCTION, made_by, 0).bytes, 27);
    made_finish(&exchange);
}

static void made_three_phases(void)
{
    made_begin();
    for (uint32_t r = 0; r < 2; r++) {
        made_place_on(r, 2, r ? "beta" : "alpha");
        send(!r, 1, 1);
        made_control(WS_CONTROL_PHASE, 0, "solve");
        send(!r, 1, 10);
        send(!r, 1, 20);
        made_control(WS_CONTROL_PHASE, 0, "write");
        made_call("MPI_Allreduce", "nxn", 1000, VALUES(WORLD, 2, 300));
        made_control(WS_CONTROL_PHASE, 0, "solve");
        send(!r, 1, 40);
        made_end_at(4000);
    }
}

static void time_goes_in_phases_and_slots(void **state)
{
    const struct ws_exchange_options options = {.slots = 3}; /* 1000, 2000, 3000 to 4000 */
    struct ws_exchange exchange;

    (void)state;
    made_three_phases();
    exchange = made_read(&options);
    assert_int_equal(exchange.slot_count, 3);
    assert_int_equal(exchange.slots[1].begin_ns, 1001); /* a slot has as many ns as hold the rest too */
    assert_int_equal(exchange.slots[0].sum.bytes, 2 * 31);
    assert_int_equal(exchange.slots[1].sum.bytes, 2 * 340);
    assert_int_equal(exchange.slots[1].kinds[WS_TRANSFER_COLLECTIVE].bytes, 600);
    assert_int_equal(exchange.slots[1].received[0], 340);
    assert_int_equal(exchange.slots[2].sum.messages, 0);
    assert_int_equal(exchange.phase_count, 3);
    assert_string_equal(exchange.phases[0].name, "");
    assert_string_equal(exchange.phases[1].name, "solve");
    assert_int_equal(exchange.phases[1].sum.bytes, 2 * 70);
    assert_int_equal(exchange.phases[1].received[1], 70);
    assert_int_equal(exchange.phases[2].sum.bytes, 600);
    assert_int_equal(exchange.node_count, 2);
    assert_string_equal(exchange.nodes[exchange.node_of[1]], "beta");
    assert_int_equal(row_of(&exchange, WS_BY_NODE, NULL, 0).bytes, 371);
    made_finish(&exchange);
}

static void only_what_was_asked_for(void **state)
{
    struct ws_exchange exchange;

    (void)state;
    made_three_phases();
    exchange = made_read(&(struct ws_exchange_options){.kinds = 1u << WS_TRANSFER_COLLECTIVE});
    assert_pair(&exchange, 0, 1, 1, 300);
    ws_exchange_free(&exchange);
    exchange = made_read(&(struct ws_exchange_options){.phase = "solve"});
    assert_pair(&exchange, 0, 1, 3, 70);
    ws_exchange_free(&exchange);
    exchange = made_read(&(struct ws_exchange_options){.phase = ""});
    assert_pair(&exchange, 0, 1, 1, 1);
    ws_exchange_free(&exchange);
    exchange = made_read(&(struct ws_exchange_options){.function = "MPI_Send"});
    assert_pair(&exchange, 1, 0, 4, 71);
    ws_exchange_free(&exchange);
    exchange = made_read(&(struct ws_exchange_options){.function = "MPI_Nothing"});
    assert_int_equal(exchange.pair_count, 0);
    made_finish(&exchange);
}

/* Five sends to rank 1 and three reductions to nobody knows whom were counted only; so was an exchange of
 * parts. */
static void counted_calls_have_their_pairs_where_these_are_known(void **state)
{
    static const struct {
        const char *function, *type;
        uint64_t calls, bytes;
        int64_t values[8];
    } counted[] = {
        {"MPI_Send", "send", 5, 5000, {1, 7, WORLD, 0}}, {"MPI_Reduce", "reduce", 3, 60, {WORLD, 0, 0, 0, 0}},
        {"MPI_Allreduce", "nxn", 2, 80, {WORLD, 0, 0}},  {"MPI_Alltoallv", "nxn", 1, 9, {WORLD, 0, 0}},
        {"MPI_Recv", "recv", 4, 9999, {1, 7, WORLD, 0}},
    };
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    made_place(0, 3);
    made_control(WS_CONTROL_SAMPLE, 1, "");
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        made_control(WS_CONTROL_REPEAT, counted[i].calls, "");
        made_control(WS_CONTROL_LONGEST, 20, "");
        made_control(WS_CONTROL_BYTES, counted[i].bytes, "");
        made_call(counted[i].function, counted[i].type, 100, counted[i].values);
    }
    made_end();
    for (uint32_t r = 1; r < 3; r++) {
        made_place(r, 3);
        made_end();
    }
    exchange = made_read(NULL);
    assert_pair(&exchange, 0, 1, 5 + 2, 5000 + 80);
    assert_pair(&exchange, 0, 2, 2, 80);
    assert_int_equal(exchange.pair_count, 2);
    assert_int_equal(row_of(&exchange, WS_BY_SIZE, NULL, ws_size_class(1000)).messages, 5);
    assert_int_equal(exchange.unplaced.messages, 3 + 1);
    assert_int_equal(exchange.unplaced.bytes, 60 + 9);
    assert_int_equal(exchange.recording.counted_calls, 15);
    made_finish(&exchange);
}

static void sums_stay_within_what_can_be_told(void **state)
{
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    made_place(0, 2);
    send(1, 0, INT64_MAX);
    send(1, 0, INT64_MAX);
    send(1, 0, -1); /* 2^64 - 1 in the file: read as 2^63 - 1 */
    send(99, 0, 5); /* there is no such rank */
    send(-2, 0, 5);
    made_end();
    made_place(1, 2);
    made_call("MPI_Allreduce", "nxn", 100, VALUES(WORLD, 2, INT64_MAX));
    made_end();
    exchange = made_read(NULL);
    assert_pair(&exchange, 0, 1, 3, INT64_MAX);
    assert_int_equal(exchange.sum.bytes, INT64_MAX);
    assert_int_equal(exchange.elsewhere.messages, 1);
    assert_int_equal(exchange.warning_count, 1);
    assert_non_null(strstr(exchange.warnings[0], "2^63"));
    assert_int_equal(ws_exchange_imbalance(&exchange).most_percent, 100);
    made_finish(&exchange);
}

/* A ring and a reduction of 1024 ranks: two million pairs are known without a table of them while reading. */
static void a_thousand_places(void **state)
{
    const uint32_t places = 1024;
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    for (uint32_t r = 0; r < places; r++) {
        made_place(r, places);
        send((r + 1) % places, 0, 1000);
        made_call("MPI_Allreduce", "nxn", 100, VALUES(WORLD, places, 8));
        made_call("MPI_Allreduce", "nxn", 100, VALUES(WORLD, places, 8));
        made_end();
    }
    exchange = made_read(NULL);
    assert_false(exchange.pairs_left_out);
    assert_int_equal(exchange.pair_count, places * (places - 1));
    assert_pair(&exchange, 5, 6, 3, 1016);
    assert_pair(&exchange, 6, 5, 2, 16);
    assert_pair(&exchange, 1023, 0, 3, 1016);
    assert_int_equal(exchange.received[77].bytes, 1000 + 2 * 8 * (places - 1));
    assert_int_equal(exchange.sum.bytes, (uint64_t)places * (1000 + 2 * 8 * (places - 1)));
    made_finish(&exchange);
}

/* Of more pairs than can be listed those of messages are, and the sums hold all. */
static void too_many_pairs_are_left_out(void **state)
{
    const uint32_t places = 4000;
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    for (uint32_t r = 0; r < places; r++) {
        made_place(r, places);
        if (r == 3)
            send(4, 0, 1000);
        made_call("MPI_Allreduce", "nxn", 100, VALUES(WORLD, places, 8));
        made_end();
    }
    exchange = made_read(NULL);
    assert_true(exchange.pairs_left_out);
    assert_int_equal(exchange.pair_count, 1);
    assert_pair(&exchange, 3, 4, 1, 1000);
    assert_int_equal(exchange.received[4].bytes, 1000 + 8 * (places - 1));
    assert_int_equal(exchange.received[3999].bytes, 8 * (places - 1));
    assert_int_equal(exchange.sent[3999].messages, places - 1);
    assert_int_equal(exchange.warning_count, 1);
    made_finish(&exchange);
}

/* Whatever bytes are changed, there is a profile or an error; what is told adds up. */
static void damaged_streams_do_no_harm(void **state)
{
    struct ws_exchange exchange = {0};
    char path[128], *bytes;
    size_t length;

    (void)state;
    made_three_phases();
    made_place(0, 2);
    made_comm(5, 2, (const int32_t[]){1, 0});
    made_call("MPI_Alltoallv", "nxn", 100, VALUES(5, 2, 9));
    made_record("MPI_Alltoallv", "part", VALUES(5, 0, 1, 4));
    made_call("MPI_Get", "rma", 100, VALUES(3, 1, 30, 0));
    made_end();
    snprintf(path, sizeof path, "%s/ctf/rank-0.thread-0", made.folder);
    bytes = ws_file_read(path, 1 << 20, &length, NULL);
    srand(1);
    for (int i = 0; i < 500; i++) {
        size_t at = 100 + (size_t)rand() % (length - 100);
        char before = bytes[at];
        uint64_t moved = 0;
        bytes[at] = (char)rand();
        assert_int_equal(ws_file_write(path, bytes, length, NULL), 0);
        bytes[at] = before;
        if (ws_exchange_read(made.folder, &made.kb, &(struct ws_exchange_options){0}, &exchange, NULL) != 0)
            continue;
        for (uint32_t p = 0; p < exchange.places; p++)
            moved += exchange.received[p].bytes;
        assert_true(moved == exchange.sum.bytes || exchange.warning_count);
        ws_exchange_free(&exchange);
    }
    free(bytes);
    made_finish(&exchange);
}

static void nothing_was_moved(void **state)
{
    struct ws_exchange exchange;

    (void)state;
    made_begin();
    made_place(0, 1);
    made_end();
    exchange = made_read(NULL);
    assert_int_equal(exchange.pair_count, 0);
    assert_int_equal(exchange.sum.messages, 0);
    assert_int_equal(ws_exchange_imbalance(&exchange).most_percent, 0);
    made_finish(&exchange);
}

static void size_classes(void **state)
{
    (void)state;
    assert_int_equal(ws_size_class(0), 0);
    assert_int_equal(ws_size_class(1), 1);
    assert_int_equal(ws_size_class(4095), 12);
    assert_int_equal(ws_size_class(4096), 13);
    assert_int_equal(ws_size_least(13), 4096);
    assert_int_equal(ws_size_most(13), 8191);
    assert_int_equal(ws_size_most(ws_size_class(INT64_MAX)), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_count_where_they_are_sent),
        cmocka_unit_test(one_sided_operations_have_their_direction),
        cmocka_unit_test(collectives_among_all),
        cmocka_unit_test(collectives_among_some),
        cmocka_unit_test(persistent_vectors_count_each_time),
        cmocka_unit_test(time_goes_in_phases_and_slots),
        cmocka_unit_test(only_what_was_asked_for),
        cmocka_unit_test(counted_calls_have_their_pairs_where_these_are_known),
        cmocka_unit_test(sums_stay_within_what_can_be_told),
        cmocka_unit_test(a_thousand_places),
        cmocka_unit_test(too_many_pairs_are_left_out),
        cmocka_unit_test(damaged_streams_do_no_harm),
        cmocka_unit_test(nothing_was_moved),
        cmocka_unit_test(size_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
