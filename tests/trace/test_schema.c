/* trace.json and ctf/metadata: what is written is read again; what is not understood is refused by name. */
#include "stream_writer.h"

#include "trace/run.h"

static char *read_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return ws_file_read(path, 1 << 24, NULL, NULL);
}

static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(ws_file_write(path, text, strlen(text), NULL), 0);
}

/* trace.json with `from` replaced by `to` must be refused in words that contain `words`. */
static void refused(const char *from, const char *to, const char *words)
{
    char *text = read_file("trace.json"), *at = strstr(text, from);
    struct ws_text changed = {0};
    struct ws_error error = {0};
    struct ws_schema schema;

    assert_non_null(at);
    ws_text_add(&changed, text, (size_t)(at - text));
    ws_text_puts(&changed, to);
    ws_text_puts(&changed, at + strlen(from));
    write_file("trace.json", changed.bytes);
    assert_int_equal(ws_schema_read(dir, &schema, &error), -1);
    assert_int_equal(error.code, WS_BAD_INPUT);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    write_file("trace.json", text);
    ws_text_free(&changed);
    free(text);
}

static void what_is_written_is_read(void **state)
{
    struct ws_schema made = test_schema(), read;

    (void)state;
    assert_int_equal(ws_schema_read(dir, &read, NULL), 0);
    assert_string_equal(read.runtime, "mpi");
    assert_int_equal(read.record_count, made.record_count);
    assert_int_equal(read.type_count, made.type_count);
    assert_int_equal(read.function_count, made.function_count);
    for (size_t i = 0; i < made.record_count; i++) {
        assert_string_equal(read.records[i].name, made.records[i].name);
        assert_int_equal(read.records[i].type, made.records[i].type);
        assert_int_equal(read.records[i].role, made.records[i].role);
        assert_int_equal(read.records[i].field_count, made.records[i].field_count);
        for (size_t k = 0; k < made.records[i].field_count; k++) {
            assert_string_equal(read.records[i].fields[k].name, made.records[i].fields[k].name);
            assert_int_equal(read.records[i].fields[k].format, made.records[i].fields[k].format);
        }
    }
    assert_string_equal(read.records[RECV_START].fields[0].final_name, "source");
    assert_int_equal(read.records[RECV_START].fields[0].final, 1);
    assert_int_equal(read.records[SEND_START].fields[0].final, -1);
    assert_string_equal(read.types[T_PROBE].numbers[0].of, "recv");
    assert_int_equal(read.types[T_PROBE].numbers[0].plus, 1);
    assert_string_equal(read.types[T_PROBE].numbers[0].by[1], "tag");
    assert_int_equal(read.types[T_NOTE].param_types[1], WS_TYPE_REAL);
    ws_schema_free(&read);
    ws_schema_free(&made);
}

static void other_versions_are_refused(void **state)
{
    (void)state;
    refused("\"format\": 2", "\"format\": 3", "trace format 3");
    refused("\"format\": 2", "\"format\": 3", "newer one");
    refused("\"format\": 2", "\"format\": 1", "record it again");
    refused("\"format\": 2", "\"format\": \"x\"", "states no format");
    refused("\"requires\": []", "\"requires\": [\"clock-offsets\"]", "\"clock-offsets\"");
}

static void damage_is_refused(void **state)
{
    (void)state;
    refused("{", "", "not JSON");
    refused("\"send_start\"", "\"send start\"", "send start");
    refused("\"plain\"", "\"plane\"", "plane");
    refused("\"comm_rank\"", "\"commrank\"", "commrank");
    refused("\"type\": \"probe\"", "\"type\": \"prone\"", "prone");
    refused("\"of\": \"recv\"", "\"of\": \"receive\"", "receive");
    refused("\"MPI_Isend\"", "\"MPI Isend\"", "MPI Isend");
    refused("\"MPI_Isend\"", "7", "functions");
    refused("\"name\": \"tag\"", "\"name\": \"peer\"", "twice");
    refused("\"real\"", "\"complex\"", "complex");
    refused("\"constant\": -42", "\"constant\": \"x\"", "a field");
    refused("\"format\": \"real\"", "\"format\": \"real\", \"constant\": 1", "cannot be constant");
    refused("\"runtime\": \"mpi\"", "\"runtime\": \"a b\"", "runtime");
}

static void missing_is_said(void **state)
{
    struct ws_error error = {0};
    struct ws_schema schema;
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s/nowhere", dir);
    assert_int_equal(ws_schema_read(path, &schema, &error), -1);
    assert_non_null(strstr(error.text, "no such folder"));
    snprintf(path, sizeof path, "%s/ctf", dir);
    assert_int_equal(ws_schema_read(path, &schema, &error), -1);
    assert_non_null(strstr(error.text, "not a trace of Whyslow"));
}

static void metadata_states_the_layout(void **state)
{
    struct ws_schema schema;
    char *text = read_file("ctf/metadata");

    (void)state;
    assert_int_equal(ws_schema_read(dir, &schema, NULL), 0);
    assert_memory_equal(text, "/* CTF 1.8 */", 13);
    assert_non_null(strstr(text, schema.uuid));
    assert_non_null(strstr(text, "freq = 1000000000;"));
    assert_non_null(strstr(text, "\"MPI_Isend\" = 2,"));
    assert_non_null(strstr(text, "tight = 8 ... 24, compact = 25 ... 41, more = 42 ... 58, full = 255 }"));
    assert_non_null(strstr(text, "name = \"send_start\";\n    id = 9;\n    stream_id = 0;\n"
                                 "    context := struct { uint16_t _duration; uint16_t _site; };\n"
                                 "    fields := struct { int16_t _peer; int16_t _tag; uint8_t _comm; "
                                 "uint24_t _bytes; uint32_t _request; };"));
    assert_non_null(strstr(text, "name = \"send_start\";\n    id = 257;\n    stream_id = 0;\n"
                                 "    context := struct { uint64_t _duration; uint32_t _site; uint8_t "
                                 "_follows; };\n"
                                 "    fields := struct { int32_t _peer; int32_t _tag; uint32_t _comm; "
                                 "uint64_t _bytes; uint64_t _request; };"));
    assert_non_null(
        strstr(text, "string _text; double _value; int64_t _at; uint8_t _flag; int32_t _big; };"));
    ws_schema_free(&schema);
    free(text);
}

static void names_that_no_reader_could_read_are_not_written(void **state)
{
    struct ws_schema schema = test_schema();
    struct ws_error error = {0};

    (void)state;
    schema.records[0].name = "no \"name\"";
    assert_int_equal(ws_trace_create(dir, &schema, &error), -1);
    assert_non_null(strstr(error.text, "record"));
    ws_schema_free(&schema);
}

static void a_new_trace_removes_the_streams_of_the_old(void **state)
{
    struct ws_schema schema = test_schema();
    struct writer w = writer_open(dir, 3, 0);

    (void)state;
    write_begin(&w, 1, 4);
    writer_close(&w);
    write_file("ctf/notes", "mine");
    write_file("ctf/rank-03.thread-0", "mine"); /* not as a stream's name is spelled */
    assert_true(ws_is_file(w.path));
    assert_int_equal(ws_trace_create(dir, &schema, NULL), 0);
    assert_false(ws_is_file(w.path));
    char *text = read_file("ctf/notes");
    assert_string_equal(text, "mine");
    free(text);
    text = read_file("ctf/rank-03.thread-0");
    assert_string_equal(text, "mine");
    free(text);
    ws_schema_free(&schema);
}

static void a_run_is_written_and_read(void **state)
{
    struct ws_run run = {.command = "mpirun -n 4 ./a 'b c' \"\xff\"",
                         .started = "2024-05-01T10:00:00Z",
                         .runtime = "mpi",
                         .mpi = "Open MPI 4.1.4",
                         .host = "node1",
                         .cores = 8,
                         .wall_s = 1.25,
                         .exit_code = 139};
    struct ws_error error = {0};
    struct ws_run read;

    (void)state;
    assert_int_equal(ws_run_read(dir, &read, &error), -1);
    assert_non_null(strstr(error.text, "run.json"));
    assert_int_equal(ws_run_write(dir, &run, NULL), 0);
    assert_int_equal(ws_run_read(dir, &read, NULL), 0);
    assert_string_equal(read.command, "mpirun -n 4 ./a 'b c' \"\xEF\xBF\xBD\"");
    assert_string_equal(read.started, run.started);
    assert_string_equal(read.mpi, run.mpi);
    assert_string_equal(read.host, "node1");
    assert_int_equal(read.cores, 8);
    assert_true(read.wall_s == 1.25);
    assert_int_equal(read.exit_code, 139);
    ws_run_free(&read);
    write_file("run.json", "{\"format\": 1}");
    assert_int_equal(ws_run_read(dir, &read, NULL), 0);
    assert_string_equal(read.command, "");
    assert_string_equal(read.host, "");
    assert_int_equal(read.cores, 0);
    assert_int_equal(read.exit_code, -1);
    ws_run_free(&read);
    write_file("run.json", "{\"format\": 1, \"command\": 5}");
    assert_int_equal(ws_run_read(dir, &read, &error), -1);
    write_file("run.json", "{\"format\": 2}");
    assert_int_equal(ws_run_read(dir, &read, &error), -1);
    assert_non_null(strstr(error.text, "format 2"));
    write_file("run.json", "nonsense");
    assert_int_equal(ws_run_read(dir, &read, &error), -1);
    assert_non_null(strstr(error.text, "not JSON"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_versions_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(metadata_states_the_layout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_that_no_reader_could_read_are_not_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_trace_removes_the_streams_of_the_old, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_run_is_written_and_read, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
