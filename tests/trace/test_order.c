/* The order of events over ranks and threads, their attributes, and what is known about each rank. */
#include "stream_writer.h"

static void barrier(struct writer *w, uint64_t t, uint64_t end)
{
    write_call(w, "MPI_Barrier", 0, t, end);
    write_words(w, BARRIER, WS_COMM_WORLD_ID, 2, 0);
}

static void events_come_by_end_then_rank_then_thread(void **state)
{
    struct writer a = writer_open(dir, 0, 0), b = writer_open(dir, 1, 0), c = writer_open(dir, 0, 1);
    static const struct {
        int64_t end, process, thread;
    } expected[] = {{200, 1, 0}, {300, 0, 0}, {300, 0, 1}, {300, 1, 0}, {350, 0, 1}, {400, 0, 0}};

    (void)state;
    write_begin(&a, 100, 2);
    barrier(&a, 120, 300);
    barrier(&a, 310, 400);
    write_end(&a, 500);
    write_begin(&b, 100, 2);
    barrier(&b, 110, 200);
    barrier(&b, 210, 300);
    write_end(&b, 500);
    barrier(&c, 290, 300);
    barrier(&c, 340, 350);
    writer_close(&b);
    writer_close(&c);
    writer_close(&a);

    struct reading r = read_trace(dir);
    assert_int_equal(r.count, COUNT(expected));
    for (size_t i = 0; i < r.count; i++) {
        assert_int_equal(ATTR(r.events[i], END).i, expected[i].end);
        assert_int_equal(ATTR(r.events[i], PROCESS).i, expected[i].process);
        assert_int_equal(ATTR(r.events[i], CALL).i >> 32, expected[i].thread);
        assert_int_equal(r.events[i]->order, i);
        assert_int_equal(r.events[i]->mark, i);
    }
    reading_free(&r);
}

/* For exports: what else was recorded comes between the events. */
static void calls_and_starts_are_told_on_request(void **state)
{
    struct writer w = writer_open(dir, 0, 0);
    struct ws_schema want = test_schema();
    struct ws_error error;
    const struct ws_event *event;
    struct {
        uint32_t type, mark;
        int64_t t, peer;
    } seen[16];
    size_t count = 0;

    (void)state;
    write_begin(&w, 100, 1);
    for (int i = 0; i < 2; i++) {
        write_call(&w, "MPI_Irecv", 0, 230, 240);
        write_message(&w, RECV_START, (uint32_t)-2, 7, WS_COMM_WORLD_ID, 0xA0 + (uint64_t)i);
    }
    write_call(&w, "MPI_Waitall", 0, 300, 400);
    write_completion(&w, 0xA1, 0, 7, 0);
    write_completion(&w, 0xA0, 0, 7, 0);
    write_call(&w, "MPI_Send", 0, 470, 480);
    write_send(&w, 0, 7);
    write_end(&w, 500);
    writer_close(&w);

    struct ws_trace *trace = ws_trace_open(dir, &want, &error);
    ws_trace_tell_calls(trace);
    while (ws_trace_next(trace, &event, &error) == 1) {
        assert_true(count < COUNT(seen));
        seen[count].type = event->type;
        seen[count].mark = event->mark;
        seen[count].t = event->value[WS_ATTR_T].i;
        seen[count++].peer = event->type == WS_TRACE_CALL ? 0 : event->value[WS_ATTR_COUNT].i;
    }
    ws_trace_close(trace);
    ws_schema_free(&want);
    assert_int_equal(count, 9);
    assert_int_equal(seen[0].type, WS_TRACE_CALL);
    assert_int_equal(seen[1].type, WS_TRACE_STARTED | T_RECV);
    assert_int_equal(seen[1].mark, 1);
    assert_int_equal(seen[1].peer, -2);
    assert_int_equal(seen[2].type, WS_TRACE_CALL);
    assert_int_equal(seen[3].mark, 2);
    assert_int_equal(seen[4].type, WS_TRACE_CALL);
    assert_int_equal(seen[4].t, 300);
    assert_int_equal(seen[5].type, T_RECV);
    assert_int_equal(seen[5].mark, 2); /* completed before the first */
    assert_int_equal(seen[6].mark, 1);
    assert_int_equal(seen[6].peer, 0);
    assert_int_equal(seen[7].type, WS_TRACE_CALL);
    assert_int_equal(seen[8].type, T_SEND);
    assert_int_equal(seen[8].mark, 0);
}

static void attributes_tell_what_came_before(void **state)
{
    struct writer w = writer_open(dir, 0, 0);

    (void)state;
    write_begin(&w, 100, 1);
    write_call(&w, "MPI_Barrier", 0, 150, 200);
    write_words(&w, BARRIER, WS_COMM_WORLD_ID, 1, 0);
    write_call(&w, "MPI_Irecv", 0, 230, 240);
    write_message(&w, RECV_START, 0, 7, WS_COMM_WORLD_ID, 0xA0);
    write_call(&w, "MPI_Send", 0, 290, 300);
    write_send(&w, 0, 7);
    write_call(&w, "MPI_Waitall", 0, 300, 400);
    write_completion(&w, 0xA0, 0, 7, 0);
    write_call(&w, "MPI_Send", 0, 470, 480);
    write_send(&w, 0, 7);
    write_end(&w, 500);
    writer_close(&w);

    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 4);
    assert_int_equal(ATTR(r.events[0], COMPUTE).i, 50); /* since the process began */
    assert_string_equal(ATTR(r.events[0], BEFORE).s, "");
    assert_string_equal(ATTR(r.events[0], BEFORE_FUNCTION).s, "");
    assert_int_equal(ATTR(r.events[0], BEFORE_D).i, 0);
    assert_int_equal(ATTR(r.events[1], COMPUTE).i, 80); /* since MPI_Barrier: MPI_Irecv cannot wait */
    assert_string_equal(ATTR(r.events[1], BEFORE).s, "barrier");
    assert_string_equal(ATTR(r.events[1], BEFORE_FUNCTION).s, "MPI_Barrier");
    assert_int_equal(ATTR(r.events[1], BEFORE_D).i, 50);
    assert_int_equal(r.events[2]->type, T_RECV); /* of its start, MPI_Irecv */
    assert_int_equal(ATTR(r.events[2], COMPUTE).i, 30);
    assert_string_equal(ATTR(r.events[2], BEFORE).s, "barrier");
    assert_string_equal(ATTR(r.events[2], BEFORE_FUNCTION).s, "MPI_Barrier");
    assert_int_equal(ATTR(r.events[2], BEFORE_D).i, 50);
    assert_int_equal(ATTR(r.events[3], COMPUTE).i, 70); /* since MPI_Waitall */
    assert_string_equal(ATTR(r.events[3], BEFORE).s, "recv");
    assert_string_equal(ATTR(r.events[3], BEFORE_FUNCTION).s, "MPI_Waitall");
    assert_int_equal(ATTR(r.events[3], BEFORE_D).i, 100);
    reading_free(&r);
}

static void values_of_each_format(void **state)
{
    struct writer w = writer_open(dir, 0, 0);

    (void)state;
    write_begin(&w, 100, 1);
    write_call(&w, "MPI_Note", 0, 200, 210);
    write_note(&w, "a \"text\"", -0.5, -7, 1, INT64_MIN);
    write_call(&w, "MPI_Note", 0, 300, 310);
    write_note(&w, "", 1e300, INT64_MAX, 200, 1);
    write_end(&w, 500);
    writer_close(&w);

    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 2);
    assert_string_equal(PARAM(r.events[0], 0).s, "a \"text\"");
    assert_true(PARAM(r.events[0], 1).r == -0.5);
    assert_int_equal(PARAM(r.events[0], 2).i, -7);
    assert_int_equal(PARAM(r.events[0], 3).i, 1);
    assert_true(PARAM(r.events[0], 4).i == INT64_MIN);
    assert_int_equal(PARAM(r.events[0], 5).i, -42); /* not stored */
    assert_string_equal(PARAM(r.events[1], 0).s, "");
    assert_true(PARAM(r.events[1], 1).r == 1e300);
    assert_int_equal(PARAM(r.events[1], 3).i, 1);
    reading_free(&r);
}

static void low_is_never_above_what_still_comes(void **state)
{
    struct ws_schema schema = test_schema();
    struct writer w[3];
    struct ws_trace *trace;
    const struct ws_event *event;
    uint64_t t[3] = {1000, 1000, 1000};
    unsigned seed = 7;
    int64_t low = 0;

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        w[i] = writer_open(dir, i / 2, i % 2);
        for (int k = 0; k < 200; k++) {
            uint64_t begin = t[i] + (seed = seed * 1103515245 + 12345) % 50;
            t[i] = begin + (seed >> 8) % (k % 40 == 0 ? 5000 : 60);
            barrier(&w[i], begin, t[i]);
        }
        writer_close(&w[i]);
    }
    trace = ws_trace_open(dir, &schema, NULL);
    assert_non_null(trace);
    low = ws_trace_low_ns(trace);
    int64_t last = 0, lags = 0;
    while (ws_trace_next(trace, &event, NULL) == 1) {
        assert_true(ATTR(event, T).i >= low);
        assert_true(ATTR(event, END).i >= last);
        last = ATTR(event, END).i;
        assert_true(ws_trace_low_ns(trace) >= low);
        lags += low == ws_trace_low_ns(trace);
        low = ws_trace_low_ns(trace);
    }
    assert_true(lags < 590);
    assert_true(ws_trace_low_ns(trace) == INT64_MAX); /* nothing comes */
    ws_trace_close(trace);
    ws_schema_free(&schema);
}

static void ranks_are_described(void **state)
{
    struct writer a = writer_open(dir, 0, 0), b = writer_open(dir, 2, 0), c = writer_open(dir, 2, 1);
    const struct ws_trace_info *info;

    (void)state;
    write_begin_on(&a, 100, 4, "left");
    barrier(&a, 200, 300);
    write_end(&a, 500);
    write_begin_on(&b, 100, 4, "right");
    barrier(&b, 200, 250);
    b.e.header.events_discarded = 12;
    c.e.packet_bytes = 300; /* several packets */
    for (uint64_t t = 300; t < 1300; t += 10) {
        write_call(&c, "MPI_Waitall", 0, t, t + 5);
        write_completion(&c, 1, 0, 0, 0);
        write_completion(&c, 2, 0, 0, 0);
    }
    assert_true(c.e.header.sequence > 2);
    writer_close(&a);
    writer_close(&b);
    writer_close(&c);

    struct reading r = read_trace(dir);
    info = ws_trace_info(r.trace);
    assert_int_equal(r.count, 2);
    assert_int_equal(info->ranks, 4);
    assert_string_equal(info->library, "Test MPI 1.0");
    assert_string_equal(info->executable, "/opt/app");
    assert_true(info->rank[0].present && info->rank[0].finished);
    assert_string_equal(info->rank[0].host, "left");
    assert_int_equal(info->rank[0].begin_ns, 100);
    assert_int_equal(info->rank[0].end_ns, 500);
    assert_int_equal(info->rank[0].call_ns, 100);
    assert_int_equal(info->rank[0].cost_ns, 50 + 7);
    assert_false(info->rank[1].present);
    assert_string_equal(info->rank[1].host, "");
    assert_true(info->rank[2].present && !info->rank[2].finished);
    assert_int_equal(info->rank[2].end_ns, 1295);
    assert_int_equal(info->rank[2].calls, 101);
    assert_int_equal(info->rank[2].records, 201);
    assert_int_equal(info->rank[2].call_ns, 50 + 500);
    assert_int_equal(info->rank[2].threads, 2);
    assert_int_equal(info->rank[2].lost, 12);
    assert_true(info->rank[2].bytes > 201 * 5);
    assert_non_null(find_warning(r.trace, "ranks 1, 3 left no readable stream"));
    assert_non_null(find_warning(r.trace, "rank 2 did not reach MPI_Finalize"));
    assert_non_null(find_warning(r.trace, "discard records of rank 2"));
    reading_free(&r);
}

static void types_that_the_trace_lacks_are_named(void **state)
{
    struct ws_schema want = test_schema();
    struct writer w = writer_open(dir, 0, 0);
    const struct ws_event *event;
    struct ws_trace *trace;

    (void)state;
    write_begin(&w, 100, 1);
    barrier(&w, 200, 300);
    write_call(&w, "MPI_Send", 0, 310, 320);
    write_send(&w, 0, 1);
    write_end(&w, 500);
    writer_close(&w);
    want.types[T_BARRIER].name = "barricade";         /* never recorded */
    want.types[T_NOTE].param_types[0] = WS_TYPE_REAL; /* recorded as something else */
    trace = ws_trace_open(dir, &want, NULL);
    assert_non_null(trace);
    assert_non_null(find_warning(trace, "not recorded in this trace: barricade, note ("));
    assert_int_equal(ws_trace_next(trace, &event, NULL), 1);
    assert_int_equal(event->type, T_SEND);
    assert_string_equal(ATTR(event, BEFORE).s, "barrier"); /* known to the attributes all the same */
    assert_int_equal(ATTR(event, COMPUTE).i, 10);
    assert_int_equal(ws_trace_next(trace, &event, NULL), 0);
    ws_trace_close(trace);
    ws_schema_free(&want);
}

static void sites_are_one_table_over_all_ranks(void **state)
{
    struct writer a = writer_open(dir, 0, 0), b = writer_open(dir, 1, 0);

    (void)state;
    write_begin(&a, 100, 2);
    write_site(&a, 110, 1, 0x1234, "/no/such/file");
    write_site(&a, 110, 2, 0x9999, "/no/such/file");
    write_call(&a, "MPI_Barrier", 2, 120, 130);
    write_words(&a, BARRIER, 1, 2, 0);
    write_end(&a, 200);
    write_begin(&b, 100, 2);
    write_site(&b, 110, 7, 0x9999, "/no/such/file");
    write_call(&b, "MPI_Barrier", 7, 120, 131);
    write_words(&b, BARRIER, 1, 2, 0);
    write_call(&b, "MPI_Barrier", 3, 140, 150); /* not defined */
    write_words(&b, BARRIER, 1, 2, 0);
    write_end(&b, 200);
    writer_close(&a);
    writer_close(&b);

    struct reading r = read_trace(dir);
    const struct ws_site *site;
    assert_int_equal(r.count, 3);
    assert_int_equal(ATTR(r.events[0], SITE).i, ATTR(r.events[1], SITE).i);
    site = ws_trace_site(r.trace, ATTR(r.events[0], SITE).i);
    assert_string_equal(site->module, "/no/such/file");
    assert_int_equal(site->offset, 0x9999);
    assert_string_equal(site->function, "");
    assert_string_equal(site->file, "");
    assert_int_equal(ATTR(r.events[2], SITE).i, 0);
    assert_string_equal(ws_trace_site(r.trace, 0)->module, "");
    assert_string_equal(ws_trace_site(r.trace, -1)->module, "");
    assert_string_equal(ws_trace_site(r.trace, 1000)->module, "");
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_come_by_end_then_rank_then_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_and_starts_are_told_on_request, set_up, tear_down),
        cmocka_unit_test_setup_teardown(attributes_tell_what_came_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_of_each_format, set_up, tear_down),
        cmocka_unit_test_setup_teardown(low_is_never_above_what_still_comes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ranks_are_described, set_up, tear_down),
        cmocka_unit_test_setup_teardown(types_that_the_trace_lacks_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sites_are_one_table_over_all_ranks, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
