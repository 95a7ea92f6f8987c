/* What those ask for who add up what a run did: calls that were only counted, the function that an event is of,
 * the processes of a communicator. */
#include "stream_writer.h"

static struct writer w;
static struct ws_trace *trace;

static int begin(void **state)
{
    set_up(state);
    w = writer_open(dir, 1, 0);
    write_begin(&w, 100, 4);
    write_site(&w, 100, 1, 0x10, "/opt/app");
    return 0;
}

static void finish(void)
{
    struct ws_schema schema = test_schema();
    struct ws_error error = {0};

    write_end(&w, 100000);
    writer_close(&w);
    trace = ws_trace_open(dir, &schema, &error);
    assert_non_null(trace);
    ws_schema_free(&schema);
}

static const struct ws_event *next(void)
{
    const struct ws_event *event = NULL;
    struct ws_error error = {0};

    return ws_trace_next(trace, &event, &error) == 1 ? event : NULL;
}

static void control(uint64_t ns, enum ws_control_what what, uint64_t count)
{
    unsigned char fields[1 + sizeof count + 1] = {(unsigned char)what};

    memcpy(fields + 1, &count, sizeof count);
    write_built_in(&w, WS_RECORD_CONTROL, ns, fields, sizeof fields);
}

/* As the recorder writes what it counted: 5 calls of site 1 to rank 2 with tag 7, 4000 bytes together. */
static void write_counted(uint64_t ns)
{
    control(ns, WS_CONTROL_REPEAT, 5);
    control(ns, WS_CONTROL_LONGEST, 20);
    control(ns, WS_CONTROL_BYTES, 4000);
    write_call(&w, "MPI_Isend", 1, ns - 60, ns);
    write_record(&w, SEND, &(struct message_fields){2, 7, WS_COMM_WORLD_ID, 0, 0},
                 offsetof(struct message_fields, request));
}

static void counted_calls(bool asked)
{
    const struct ws_event *event;

    write_call(&w, "MPI_Isend", 1, 200, 210);
    write_send(&w, 2, 7);
    control(300, WS_CONTROL_SAMPLE, 1);
    write_counted(500);
    write_call(&w, "MPI_Send", 1, 510, 520);
    write_send(&w, 2, 7);
    finish();
    if (asked)
        ws_trace_tell_counted(trace);
    event = next();
    assert_int_equal(event->type, T_SEND);
    if (asked) {
        event = next();
        assert_int_equal(event->type, T_SEND | WS_TRACE_COUNTED);
        assert_int_equal(ATTR(event, CALL).i, 5);
        assert_int_equal(ATTR(event, BEFORE_D).i, 4000);
        assert_int_equal(ATTR(event, PROCESS).i, 1);
        assert_int_equal(ATTR(event, T).i, 500);
        assert_int_equal(ATTR(event, D).i, 0);
        assert_int_equal(PARAM(event, 0).i, 2);
        assert_int_equal(PARAM(event, 1).i, 7);
        assert_string_equal(ATTR(event, POSTED_FUNCTION).s, "MPI_Isend");
        assert_string_equal(ws_trace_maker(trace, event), "MPI_Isend");
        assert_int_equal(ws_trace_site(trace, ATTR(event, POSTED_SITE).i)->offset, 0x10);
    }
    event = next();
    assert_int_equal(event->type, T_SEND);
    assert_int_equal(NUMBER(event), 7);
    assert_null(next());
    ws_trace_close(trace);
}

static void counted_calls_are_told_to_who_asks(void **state)
{
    (void)state;
    counted_calls(true);
}

static void else_they_count_for_the_numbers_alone(void **state)
{
    (void)state;
    counted_calls(false);
}

/* While recording was stopped nothing is known of the calls but their number. */
static void what_was_not_to_be_recorded_is_not_told(void **state)
{
    (void)state;
    control(300, WS_CONTROL_STOP, 0);
    control(400, WS_CONTROL_REPEAT, 5);
    write_call(&w, "MPI_Isend", 0, 400, 400);
    write_send(&w, 2, 7);
    control(400, WS_CONTROL_GO_ON, 0);
    finish();
    ws_trace_tell_counted(trace);
    assert_null(next());
    ws_trace_close(trace);
}

static void a_persistent_request_is_of_who_made_it(void **state)
{
    const struct ws_event *event;

    (void)state;
    write_call(&w, "MPI_Send_init", 1, 150, 160);
    write_message(&w, SEND_INIT, 1, 7, WS_COMM_WORLD_ID, 0xA0);
    write_call(&w, "MPI_Start", 1, 200, 210);
    write_handle(&w, RESTART, 0xA0);
    write_call(&w, "MPI_Wait", 1, 300, 310);
    write_completion(&w, 0xA0, -1, -1, 0);
    write_call(&w, "MPI_Isend", 1, 400, 410);
    write_message(&w, SEND_START, 1, 7, WS_COMM_WORLD_ID, 0xB0);
    write_call(&w, "MPI_Wait", 1, 500, 510);
    write_completion(&w, 0xB0, -1, -1, 0);
    finish();
    event = next();
    assert_string_equal(ws_trace_maker(trace, event), "MPI_Send_init");
    assert_string_equal(ATTR(event, POSTED_FUNCTION).s, "MPI_Start");
    event = next();
    assert_string_equal(ws_trace_maker(trace, event), "MPI_Isend");
    assert_null(next());
    ws_trace_close(trace);
}

static void peers_of_a_communicator(void **state)
{
    const int32_t *ranks;

    (void)state;
    write_comm(&w, 150, 5, 3, (const int32_t[]){3, -1, 1});
    finish();
    assert_int_equal(ws_trace_peers(trace, 1, IDENTITY(5), &ranks), 3);
    assert_int_equal(ranks[0], 3);
    assert_int_equal(ranks[1], -1);
    assert_int_equal(ws_trace_peers(trace, 1, WS_COMM_WORLD_ID, &ranks), 4);
    assert_null(ranks);
    assert_int_equal(ws_trace_peers(trace, 1, WS_COMM_SELF_ID, &ranks), 1);
    assert_int_equal(ranks[0], 1);
    assert_int_equal(ws_trace_peers(trace, 1, IDENTITY(6), &ranks), 0);
    assert_int_equal(ws_trace_peers(trace, 0, IDENTITY(5), &ranks), 0);
    ws_trace_close(trace);
}

static void name_value(uint64_t ns, uint64_t value, const char *text)
{
    unsigned char fields[1 + sizeof value + 64] = {WS_CONTROL_NAME};

    memcpy(fields + 1, &value, sizeof value);
    strcpy((char *)fields + 1 + sizeof value, text);
    write_built_in(&w, WS_RECORD_CONTROL, ns, fields, 1 + sizeof value + strlen(text) + 1);
}

/* Told once, for the values of one process's parameters of that name. */
static void values_have_names(void **state)
{
    (void)state;
    name_value(190, 7, "tag=greeting");
    write_call(&w, "MPI_Isend", 1, 200, 210);
    write_send(&w, 2, 7);
    name_value(300, 8, "=nameless");
    name_value(300, 9, "no equals sign");
    name_value(300, 10, "tag=a=b");
    finish();
    assert_string_equal(ws_trace_name(trace, 1, "tag", 7), "greeting");
    assert_string_equal(ws_trace_name(trace, 1, "tag", 10), "a=b");
    assert_null(ws_trace_name(trace, 1, "peer", 7));
    assert_null(ws_trace_name(trace, 0, "tag", 7));
    assert_null(ws_trace_name(trace, 1, "", 8));
    assert_non_null(next()); /* no call, no event */
    assert_null(next());
    ws_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_have_names, begin, tear_down),
        cmocka_unit_test_setup_teardown(counted_calls_are_told_to_who_asks, begin, tear_down),
        cmocka_unit_test_setup_teardown(else_they_count_for_the_numbers_alone, begin, tear_down),
        cmocka_unit_test_setup_teardown(what_was_not_to_be_recorded_is_not_told, begin, tear_down),
        cmocka_unit_test_setup_teardown(a_persistent_request_is_of_who_made_it, begin, tear_down),
        cmocka_unit_test_setup_teardown(peers_of_a_communicator, begin, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
