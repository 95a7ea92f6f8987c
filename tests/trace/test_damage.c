/* Whatever is in the files: no crash, no hang, and what was readable is read. */
#include "stream_writer.h"

#include <sys/stat.h>

/* A stream with every kind of record, in packets of 400 bytes. */
static void write_all_kinds(uint32_t rank)
{
    struct writer w = writer_open(dir, rank, 0);

    w.e.packet_bytes = 400;
    write_begin(&w, 100, 2);
    write_site(&w, 110, 1, 0x1000, "/no/such/file");
    write_comm(&w, 115, 9, 2, (const int32_t[]){1, 0});
    write_window(&w, 116, 5, 9);
    write_call(&w, "MPI_Note", 1, 120, 130);
    write_note(&w, "text", 0.5, 1, 1, 1);
    write_call(&w, "MPI_Irecv", 1, 140, 150);
    write_message(&w, RECV_START, -2, -1, 9, 0xA0);
    write_call(&w, "MPI_Recv_init", 1, 151, 152);
    write_message(&w, RECV_INIT, 1, 7, 9, 0xB0);
    write_call(&w, "MPI_Start", 1, 153, 154);
    write_handle(&w, RESTART, 0xB0);
    write_call(&w, "MPI_Waitall", 1, 160, 200);
    write_completion(&w, 0xA0, 0, 7, 0);
    write_completion(&w, 0xB0, 0, 7, 0);
    write_call(&w, "MPI_Wait", 1, 205, 206);
    write_handle(&w, AS_STARTED, 0xB0); /* inactive */
    write_call(&w, "MPI_Probe", 1, 210, 220);
    write_words(&w, PROBE, 1, 7, 1);
    write_call(&w, "MPI_Mprobe", 1, 230, 240);
    write_message(&w, RECV_START, 1, 7, 1, 0x1);
    write_call(&w, "MPI_Imrecv", 1, 241, 242);
    write_continue(&w, 0x1, 0xA0);
    write_call(&w, "MPI_Request_free", 1, 250, 260);
    write_handle(&w, FREE, 0xA0);
    write_call(&w, "MPI_Barrier", 1, 270, 280 + 70000); /* compact */
    write_words(&w, BARRIER, 1, 2, 0);
    write_call(&w, "MPI_Barrier", 1, 270, 280 + (1 << 25)); /* full */
    write_words(&w, BARRIER, 1, 2, 0);
    write_end(&w, 1 << 26);
    writer_close(&w);
}

static char *slurp(const char *path, size_t *length)
{
    char *bytes = ws_file_read(path, 1 << 24, length, NULL);
    assert_non_null(bytes);
    return bytes;
}

static const char *stream_path(uint32_t rank)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/ctf/rank-%u.thread-0", dir, rank);
    return path;
}

static void put_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb"); /* in place: not through ws_file_write, which leaves no partial file */
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/* Reads all; gives the number of events, or -1 where the trace is refused. */
static int try(const struct ws_schema *schema, struct ws_error *error)
{
    struct ws_trace *trace = ws_trace_open(dir, schema, error);
    const struct ws_event *event;
    int count = 0, more;

    if (!trace)
        return -1;
    while ((more = ws_trace_next(trace, &event, error)) == 1) {
        ws_trace_site(trace, ATTR(event, SITE).i);
        count++;
    }
    assert_int_equal(more, 0);
    ws_trace_close(trace);
    return count;
}

static void cut_off_anywhere(void **state)
{
    struct ws_schema schema = test_schema();
    struct ws_error error;
    size_t length;
    char *bytes;
    int last = -1;

    (void)state;
    write_all_kinds(0);
    bytes = slurp(stream_path(0), &length);
    for (size_t cut = 0; cut <= length; cut++) {
        put_bytes(stream_path(0), bytes, cut);
        int count = try(&schema, &error);
        assert_true(count >= last); /* more bytes never give less */
        if (count < 0)
            assert_true(strlen(error.text) > 10);
        last = count;
    }
    assert_int_equal(last, 6); /* note, two receives, probe, two barriers; the receive let go of is none */
    free(bytes);
    ws_schema_free(&schema);
}

static void a_cut_stream_is_told(void **state)
{
    size_t length;
    char *bytes;

    (void)state;
    write_all_kinds(0);
    write_all_kinds(1);
    bytes = slurp(stream_path(1), &length);
    put_bytes(stream_path(1), bytes, length - 10);
    free(bytes);
    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 12);
    assert_non_null(find_warning(r.trace, "rank 1, thread 0 is damaged (cut off in a record"));
    assert_non_null(find_warning(r.trace, "rank 1 did not reach MPI_Finalize"));
    reading_free(&r);
}

/* Every byte of a stream set to each of some values. */
static void any_byte_changed(void **state)
{
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    struct ws_schema schema = test_schema();
    struct ws_error error;
    size_t length;
    char *bytes;

    (void)state;
    write_all_kinds(0);
    bytes = slurp(stream_path(0), &length);
    for (size_t at = 0; at < length; at++) {
        char old = bytes[at];
        for (size_t i = 0; i < COUNT(values); i++) {
            bytes[at] = (char)values[i];
            put_bytes(stream_path(0), bytes, length);
            try(&schema, &error);
        }
        bytes[at] = old;
    }
    free(bytes);
    ws_schema_free(&schema);
}

/* Many bytes changed at once, from a fixed sequence of random numbers. */
static void many_bytes_changed(void **state)
{
    struct ws_schema schema = test_schema();
    struct ws_error error;
    size_t length;
    char *bytes, *changed;
    uint32_t seed = 1;

    (void)state;
    write_all_kinds(0);
    bytes = slurp(stream_path(0), &length);
    changed = malloc(length);
    for (int round = 0; round < 3000; round++) {
        memcpy(changed, bytes, length);
        for (int i = 0; i < 1 + round % 16; i++) {
            seed = seed * 1664525 + 1013904223;
            size_t at =
                sizeof(struct ws_packet_header) + (seed >> 8) % (length - sizeof(struct ws_packet_header));
            seed = seed * 1664525 + 1013904223;
            changed[at] = (char)(seed >> 24);
        }
        put_bytes(stream_path(0), changed, length);
        try(&schema, &error);
    }
    free(changed);
    free(bytes);
    ws_schema_free(&schema);
}

static void damaged_description(void **state)
{
    struct ws_schema schema = test_schema();
    struct ws_error error;
    char path[512], *bytes;
    size_t length;

    (void)state;
    write_all_kinds(0);
    snprintf(path, sizeof path, "%s/trace.json", dir);
    bytes = slurp(path, &length);
    for (size_t cut = 0; cut + 3 < length; cut += 7) {
        put_bytes(path, bytes, cut);
        assert_int_equal(try(&schema, &error), -1);
        assert_int_equal(error.code, WS_BAD_INPUT);
    }
    for (size_t at = 0; at < length; at += 3) {
        char old = bytes[at];
        bytes[at] = 'x';
        put_bytes(path, bytes, length);
        try(&schema, &error);
        bytes[at] = old;
    }
    free(bytes);
    ws_schema_free(&schema);
}

static void no_trace_at_all(void **state)
{
    struct ws_schema schema = test_schema();
    struct ws_error error = {0};
    char path[512];

    (void)state;
    assert_int_equal(try(&schema, &error), -1); /* no stream */
    assert_non_null(strstr(error.text, "the trace is empty"));
    put_bytes(stream_path(0), "", 0);
    assert_int_equal(try(&schema, &error), -1);
    assert_non_null(strstr(error.text, "empty"));
    snprintf(path, sizeof path, "%s/ctf", dir);
    remove_folder(path);
    assert_int_equal(try(&schema, &error), -1);
    assert_non_null(strstr(error.text, "ctf"));
    snprintf(path, sizeof path, "%s/trace.json", dir);
    unlink(path);
    assert_int_equal(try(&schema, &error), -1);
    assert_non_null(strstr(error.text, "not a trace"));
    assert_int_equal(error.code, WS_BAD_INPUT);
    ws_schema_free(&schema);
}

static void foreign_files_are_left_alone(void **state)
{
    char path[512], *bytes;
    struct writer w;
    size_t length;

    (void)state;
    write_all_kinds(0);
    bytes = slurp(stream_path(0), &length);
    put_bytes(stream_path(1), bytes, length); /* says that it is rank 0 */
    put_bytes(stream_path(2),
              "not a stream, but long enough to be looked at as if it were one of ours, which "
              "takes a header of some eighty bytes or more",
              120);
    w = writer_open(dir, 3, 0);
    w.e.header.uuid[3] ^= 1;
    write_begin(&w, 100, 2);
    writer_close(&w);
    snprintf(path, sizeof path, "%s/ctf/rank-01.thread-0", dir);
    put_bytes(path, bytes, length);
    snprintf(path, sizeof path, "%s/ctf/notes.txt", dir);
    put_bytes(path, "mine", 4);
    snprintf(path, sizeof path, "%s/ctf/rank-4.thread-0", dir);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/ctf/rank-5.thread-0", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/ctf/rank-4294967295.thread-0", dir);
    put_bytes(path, bytes, length);

    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 6);
    assert_non_null(find_warning(r.trace, "rank-1.thread-0 was not read: is the stream of rank 0"));
    assert_non_null(find_warning(r.trace, "rank-2.thread-0 was not read: no stream of a trace"));
    assert_non_null(find_warning(r.trace, "rank-3.thread-0 was not read: belongs to another trace"));
    assert_non_null(find_warning(r.trace, "rank-4.thread-0 was not read: no ordinary file"));
    assert_non_null(find_warning(r.trace, "rank-5.thread-0 was not read: no ordinary file"));
    assert_non_null(find_warning(r.trace, "rank-01.thread-0 is not part of the trace"));
    assert_non_null(find_warning(r.trace, "rank-4294967295.thread-0 is not part of the trace"));
    assert_non_null(find_warning(r.trace, "notes.txt is not part of the trace"));
    assert_int_equal(ws_trace_info(r.trace)->ranks, 2);
    reading_free(&r);
    free(bytes);
}

/* A killed rank leaves the room that it had not filled. */
static void room_that_was_never_filled_is_no_damage(void **state)
{
    size_t length;
    char *bytes, *longer;

    (void)state;
    write_all_kinds(0);
    write_all_kinds(1);
    bytes = slurp(stream_path(1), &length);
    longer = calloc(1, length + 5000);
    memcpy(longer, bytes, length);
    put_bytes(stream_path(1), longer, length + 5000);
    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 12);
    assert_null(find_warning(r.trace, "damaged"));
    reading_free(&r);
    free(bytes);
    free(longer);
}

static void a_missing_packet_ends_the_stream(void **state)
{
    struct writer w = writer_open(dir, 0, 0);
    size_t length;
    char *bytes;

    (void)state;
    w.e.packet_bytes = 300;
    write_begin(&w, 100, 1);
    for (uint64_t t = 200; t < 2000; t += 10) {
        write_call(&w, "MPI_Barrier", 0, t, t + 5);
        write_words(&w, BARRIER, 1, 1, 0);
    }
    writer_close(&w);
    bytes = slurp(stream_path(0), &length);
    memmove(bytes + 300, bytes + 600, length - 600);
    put_bytes(stream_path(0), bytes, length - 300);
    struct reading r = read_trace(dir);
    assert_true(r.count > 0 && r.count < 20);
    assert_non_null(find_warning(r.trace, "a packet is missing, at byte 300"));
    reading_free(&r);
    free(bytes);
}

static void clocks_that_go_back_end_the_stream(void **state)
{
    struct writer w = writer_open(dir, 0, 0);

    (void)state;
    write_begin(&w, 100, 1);
    write_call(&w, "MPI_Barrier", 0, 200, 300);
    write_words(&w, BARRIER, 1, 1, 0);
    write_call(&w, "MPI_Barrier", 0, 280, 400); /* begins before the last one ended: shortened */
    write_words(&w, BARRIER, 1, 1, 0);
    write_call(&w, "MPI_Barrier", 0, 350, 390); /* ends before the last one did: no more */
    write_words(&w, BARRIER, 1, 1, 0);
    writer_close(&w);
    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 2);
    assert_int_equal(ATTR(r.events[1], T).i, 300);
    assert_int_equal(ATTR(r.events[1], COMPUTE).i, 0);
    assert_non_null(find_warning(r.trace, "goes back in time"));
    assert_non_null(find_warning(r.trace, "1 calls began before"));
    reading_free(&r);
}

static void absurd_sizes_are_not_believed(void **state)
{
    struct writer w = writer_open(dir, 0, 0);

    (void)state;
    write_begin(&w, 100, UINT32_MAX); /* ranks */
    write_site(&w, 110, UINT32_MAX, 1, "/x");
    write_call(&w, "MPI_Barrier", UINT32_MAX, 200, 300);
    write_words(&w, BARRIER, 1, 1, 0);
    write_built_in(&w, WS_RECORD_COMM, 310, (uint32_t[]){7, 7, 0, UINT32_MAX}, 16);
    writer_close(&w);
    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 1);
    assert_int_equal(ws_trace_info(r.trace)->ranks, 1);
    assert_non_null(find_warning(r.trace, "a record of an impossible size"));
    reading_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cut_off_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cut_stream_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_byte_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_bytes_changed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_description, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_trace_at_all, set_up, tear_down),
        cmocka_unit_test_setup_teardown(foreign_files_are_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(room_that_was_never_filled_is_no_damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_packet_ends_the_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clocks_that_go_back_end_the_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(absurd_sizes_are_not_believed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
