/* A stream that was not recorded, but written by ws_writer, reads like any other; and places that the trace names itself. */
#include "stream_writer.h"

#include "trace/places.h"
#include "trace/writer.h"

static struct ws_schema make_trace(void)
{
    struct ws_schema schema = test_schema();
    struct ws_error error;

    if (ws_trace_create(dir, &schema, &error) != 0)
        fail_msg("%s", error.text);
    return schema;
}

static uint32_t number_of(const struct ws_schema *schema, const char *function)
{
    uint32_t i = 0;

    while (strcmp(schema->functions[i], function) != 0)
        i++;
    return i;
}

static void records_come_back(void **state)
{
    struct ws_schema schema = make_trace();
    struct ws_writer *w;
    struct ws_error error;
    union ws_value send[] = {{.i = 1}, {.i = 7}, {.i = 3}, {.i = INT64_C(1) << 40}};
    union ws_value note[] = {{.s = "te\"xt,\n\xff"}, {.r = 0.5}, {.i = -5}, {.i = 1}, {.i = INT64_MIN}};
    int32_t members[3000];

    (void)state;
    for (int32_t i = 0; i < 3000; i++)
        members[i] = 2999 - i;
    w = ws_writer_open(dir, &schema, 0, 0, &error);
    assert_non_null(w);
    ws_writer_begin(w, 100, 3000, "host", "library", "program");
    ws_writer_clock(w, 100, 1);
    ws_writer_comm(w, 100, 3, IDENTITY(3), members, 3000);
    for (int i = 0; i < 20000; i++) { /* several packets */
        ws_writer_call(w, 200 + 10 * i, 210 + 10 * i, number_of(&schema, "MPI_Send"));
        ws_writer_record(w, SEND, send);
        if (i == 5)
            ws_writer_record(w, NOTE, note);
    }
    ws_writer_call(w, 50, 60, number_of(&schema, "MPI_Send")); /* back in time: counts as at the latest */
    ws_writer_record(w, SEND, send);
    ws_writer_end(w, 300000);
    assert_int_equal(ws_writer_close(w, &error), 0);

    struct reading r = read_trace(dir);
    assert_int_equal(r.count, 20002);
    assert_int_equal(ATTR(r.events[3], T).i, 230);
    assert_int_equal(ATTR(r.events[3], END).i, 240);
    assert_string_equal(ATTR(r.events[3], FUNCTION).s, "MPI_Send");
    assert_int_equal(PARAM(r.events[3], 0).i, 1);
    assert_int_equal(PARAM(r.events[3], 2).i, IDENTITY(3));
    assert_int_equal(PARAM(r.events[3], 3).i, INT64_C(1) << 40);
    assert_int_equal(NUMBER(r.events[3]), 4);
    assert_int_equal(r.events[6]->type, T_NOTE);
    assert_string_equal(PARAM(r.events[6], 0).s, "te\"xt,\n\xff");
    assert_true(PARAM(r.events[6], 1).r == 0.5);
    assert_int_equal(PARAM(r.events[6], 4).i, INT64_MIN);
    assert_int_equal(ATTR(r.events[5], CALL).i, ATTR(r.events[6], CALL).i);
    assert_int_equal(ATTR(r.events[20001], END).i, ATTR(r.events[20000], END).i);
    const int32_t *peers;
    assert_int_equal(ws_trace_peers(r.trace, 0, IDENTITY(3), &peers), 3000);
    assert_int_equal(peers[2500], 499);
    assert_int_equal(ws_trace_info(r.trace)->rank[0].begin_ns, 100);
    assert_true(ws_trace_info(r.trace)->rank[0].finished);
    assert_null(find_warning(r.trace, "damaged"));
    reading_free(&r);
    ws_schema_free(&schema);
}

static void write_calls_at_places(const struct ws_schema *schema)
{
    union ws_value send[] = {{.i = 1}, {.i = 7}, {.i = 1}, {.i = 8}};
    uint32_t first = (uint32_t)schema->function_count;
    struct ws_error error;
    struct ws_writer *w = ws_writer_open(dir, schema, 0, 0, &error);

    ws_writer_begin(w, 100, 1, "", "", "");
    ws_writer_site(w, 100, first, (uint16_t)number_of(schema, "MPI_Send"), "there.otf2", 0);
    ws_writer_site(w, 100, first + 1, (uint16_t)number_of(schema, "MPI_Send"), "there.otf2", 1);
    ws_writer_site(w, 100, first + 2, (uint16_t)number_of(schema, "MPI_Send"), "there.otf2", 99);
    for (uint32_t i = 0; i < 3; i++) {
        ws_writer_call(w, 200 + i, 210 + i, first + i);
        ws_writer_record(w, SEND, send);
    }
    ws_writer_end(w, 900);
    assert_int_equal(ws_writer_close(w, &error), 0);
}

static const struct ws_site *site_of(struct reading *r, size_t event)
{
    return ws_trace_site(r->trace, ATTR(r->events[event], SITE).i);
}

static void places_name_themselves(void **state)
{
    struct ws_schema schema = make_trace();
    struct ws_text file = {0};
    struct ws_error error;

    (void)state;
    ws_places_begin(&file);
    ws_places_add(&file, &(struct ws_site){"", "", 0, "there.otf2", 1});
    ws_places_add(&file, &(struct ws_site){"solve", "a\"b,\n\xff.c", 12, "there.otf2", 0});
    ws_places_add(&file, &(struct ws_site){"other", "a.c", 9, "elsewhere.otf2", 0});
    assert_int_equal(ws_places_write(&file, dir, &error), 0);
    write_calls_at_places(&schema);

    struct reading r = read_trace(dir);
    assert_string_equal(site_of(&r, 0)->function, "solve");
    assert_string_equal(site_of(&r, 0)->file, "a\"b,\n\xff.c");
    assert_int_equal(site_of(&r, 0)->line, 12);
    assert_string_equal(site_of(&r, 1)->function, "");
    assert_string_equal(site_of(&r, 2)->file, ""); /* no such place */
    assert_string_equal(site_of(&r, 2)->module, "there.otf2");
    assert_int_equal(site_of(&r, 2)->offset, 99);
    reading_free(&r);

    /* Cut anywhere the file names nothing, or the places that are whole in it. */
    for (size_t length = 0; length < file.length; length++) {
        struct ws_text cut = {.bytes = file.bytes, .length = length};
        assert_int_equal(ws_places_write(&cut, dir, &error), 0);
        r = read_trace(dir);
        assert_true(strcmp(site_of(&r, 0)->function, "") == 0 || site_of(&r, 0)->line == 12);
        reading_free(&r);
    }
    ws_text_free(&file);
    ws_schema_free(&schema);
}

static void a_full_disk_is_told(void **state)
{
    struct ws_schema schema = make_trace();
    union ws_value send[] = {{.i = 1}, {.i = 7}, {.i = 1}, {.i = 8}};
    char path[600];
    struct ws_error error;
    struct ws_writer *w;

    (void)state;
    snprintf(path, sizeof path, "%s/ctf/rank-0.thread-0", dir);
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(symlink("/dev/full", path), 0);
    w = ws_writer_open(dir, &schema, 0, 0, &error);
    assert_non_null(w);
    ws_writer_begin(w, 100, 1, "", "", "");
    ws_writer_call(w, 200, 210, 0);
    ws_writer_record(w, SEND, send);
    assert_int_equal(ws_writer_close(w, &error), -1);
    assert_int_equal(error.code, WS_ENVIRONMENT);
    assert_non_null(strstr(error.text, path));
    unlink(path);
    ws_schema_free(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(records_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_name_themselves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_disk_is_told, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
