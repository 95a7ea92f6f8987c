/* A trace that is read while it is written: it is what it was when it was opened, and nobody is blamed. */
#include "stream_writer.h"

#include <fcntl.h>

/* As the recorder leaves it: a packet is filled, the next ones are reserved and zero. */
static void put_growing(const struct writer *w, size_t reserved)
{
    struct ws_packet_header header = w->e.header;
    int file = open(w->path, O_WRONLY | O_CREAT, 0666);

    header.packet_bits = WS_PACKET_BYTES * 8;
    header.content_bits = (w->e.length - w->e.packet) * 8;
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, w->e.bytes, w->e.length, 0), w->e.length);
    assert_int_equal(pwrite(file, &header, sizeof header, (off_t)w->e.packet), sizeof header);
    assert_int_equal(ftruncate(file, (off_t)(w->e.packet + WS_PACKET_BYTES + reserved)), 0);
    close(file);
}

static void barriers(struct writer *w, uint64_t first_ns, int count)
{
    for (int i = 0; i < count; i++) {
        write_call(w, "MPI_Barrier", 0, first_ns + 10 * (uint64_t)i, first_ns + 10 * (uint64_t)i + 5);
        write_words(w, BARRIER, WS_COMM_WORLD_ID, 2, 0);
    }
}

static int count_events(struct ws_trace *trace)
{
    const struct ws_event *event;
    struct ws_error error;
    int count = 0;

    while (ws_trace_next(trace, &event, &error) == 1)
        count++;
    return count;
}

static void what_comes_after_the_opening_is_not_read(void **state)
{
    struct ws_schema schema = test_schema();
    struct writer w = writer_open(dir, 0, 0);
    struct ws_trace *trace;
    size_t warnings;

    (void)state;
    write_begin(&w, 100, 4); /* the other three have not begun */
    barriers(&w, 200, 7);
    put_growing(&w, WS_PACKET_BYTES);
    trace = ws_trace_open_growing(dir, &schema, NULL);
    assert_non_null(trace);
    barriers(&w, 300, 40000); /* in the same packet, and in others */
    put_growing(&w, 0);
    assert_int_equal(count_events(trace), 7);
    ws_trace_warnings(trace, &warnings);
    assert_int_equal(warnings, 0);
    assert_int_equal(ws_trace_info(trace)->ranks, 4);
    ws_trace_close(trace);

    trace = ws_trace_open_growing(dir, &schema, NULL);
    assert_int_equal(count_events(trace), 40007);
    ws_trace_close(trace);
    write_end(&w, 600000);
    writer_close(&w);
    trace = ws_trace_open(dir, &schema, NULL);
    assert_int_equal(count_events(trace), 40007);
    assert_non_null(find_warning(trace, "ranks 1-3 left no readable stream"));
    ws_trace_close(trace);
    ws_schema_free(&schema);
}

/* A rank that has made its file and not yet begun its first packet is not there yet. */
static void streams_that_have_just_begun(void **state)
{
    struct ws_schema schema = test_schema();
    struct writer w = writer_open(dir, 0, 0);
    struct ws_error error = {0};
    struct ws_trace *trace;
    char path[512], zeros[4096] = {0};
    size_t warnings;

    (void)state;
    assert_null(ws_trace_open_growing(dir, &schema, &error));
    assert_non_null(strstr(error.text, "the trace is empty"));
    snprintf(path, sizeof path, "%s/ctf/rank-1.thread-0", dir);
    assert_int_equal(ws_file_write(path, zeros, sizeof zeros, &error), 0);
    assert_null(ws_trace_open_growing(dir, &schema, &error));
    write_begin(&w, 100, 2);
    barriers(&w, 200, 3);
    put_growing(&w, 0);
    trace = ws_trace_open_growing(dir, &schema, &error);
    assert_non_null(trace);
    assert_int_equal(count_events(trace), 3);
    ws_trace_warnings(trace, &warnings);
    assert_int_equal(warnings, 0);
    ws_trace_close(trace);
    writer_close(&w);
    ws_schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_comes_after_the_opening_is_not_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(streams_that_have_just_begun, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
