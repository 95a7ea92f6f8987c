/* NODE.json: written, read again; and what is said of files that are none. */
#include "file.h"

#include "predict/node.h"

static struct ws_node read_node(const char *bytes)
{
    struct ws_node node;
    struct ws_error error = {0};

    write_file(path, bytes, strlen(bytes));
    if (ws_node_read(path, &node, &error) != 0)
        fail_msg("%s", error.text);
    return node;
}

/* What is said of such a file. */
static const char *said_of(const char *bytes)
{
    static struct ws_error error;
    struct ws_node node;

    write_file(path, bytes, strlen(bytes));
    assert_int_equal(ws_node_read(path, &node, &error), -1);
    ws_node_free(&node);
    assert_int_equal(error.code, WS_BAD_INPUT);
    assert_memory_equal(error.text, path, strlen(path)); /* the file is named */
    return error.text + strlen(path);
}

static void test_twelve_numbers_are_a_node(void **state)
{
    struct ws_node node = read_node("{" NODE_HEAD ", \"characteristics\": {" CHARACTERISTICS "}}");
    (void)state;

    assert_string_equal(node.name, "reference");
    assert_string_equal(node.architecture, "");
    assert_true(node.characteristics[WS_CLOCK] == 3e9);
    assert_true(node.characteristics[WS_MEMORY_LATENCY] == 10.4e-9);
    assert_true(node.characteristics[WS_DISK_WRITE] == 4e6);
    assert_int_equal(node.kernel_count, 0);
    assert_int_equal(node.cache_count, 0);
    assert_null(ws_node_kernel(&node, "sum"));
    ws_node_free(&node);
}

#define FULL                                                                                                 \
    "{" NODE_HEAD ", \"architecture\": \"x86_64\", \"measured\": \"2026-12-01T00:00:00Z\","                  \
    "\"characteristics\": {" CHARACTERISTICS "},"                                                            \
    "\"topology\": {\"cores\": 2, \"memory_bytes\": 8e9, \"caches\": ["                                      \
    "{\"level\": 1, \"size_bytes\": 32768, \"line_bytes\": 64, \"shared_by\": 1},"                           \
    "{\"level\": 2, \"size_bytes\": 1048576}]},"                                                             \
    "\"throughput\": {\"integer_vector_ops_per_s\": 4e10}, \"disk\": {\"sync_s\": 0.004},"                   \
    "\"ladder\": [{\"size_bytes\": 4096, \"pages\": \"huge\", \"latency_s\": 1e-9,"                          \
    "\"bandwidth_Bps\": 2e10, \"spread\": 0.02}],"                                                           \
    "\"network\": {\"kind\": \"loopback\", \"latency_s\": 1e-5, \"bandwidth_Bps\": 1e9,"                     \
    "\"points\": [{\"size_bytes\": 8, \"time_s\": 1e-5}]},"                                                  \
    "\"kernels\": [{\"name\": \"sum\", \"time_s\": 0.01, \"spread\": 0.03}], \"noise\": {\"floor\": 0.02}}"

static void test_what_was_written_is_read(void **state)
{
    struct ws_node node = read_node(FULL), again;
    struct ws_error error = {0};
    (void)state;

    assert_int_equal(ws_node_write(&node, path, &error), 0);
    assert_int_equal(ws_node_read(path, &again, &error), 0);
    assert_string_equal(again.architecture, "x86_64");
    assert_string_equal(again.measured, "2026-12-01T00:00:00Z");
    assert_memory_equal(again.characteristics, node.characteristics, sizeof node.characteristics);
    assert_true(again.cores == 2 && again.memory_bytes == 8e9);
    assert_int_equal(again.cache_count, 2);
    assert_true(again.caches[0].line_bytes == 64 && again.caches[1].size_bytes == 1048576);
    assert_true(ws_named_get(&again.throughput, "integer_vector_ops_per_s", 0) == 4e10);
    assert_true(ws_named_get(&again.disk, "sync_s", 0) == 0.004);
    assert_true(ws_named_get(&again.noise, "floor", 0) == 0.02);
    assert_true(ws_named_get(&again.noise, "ceiling", -1) == -1);
    assert_int_equal(again.ladder_count, 1);
    assert_true(again.ladder[0].huge_pages && again.ladder[0].latency_s == 1e-9);
    assert_string_equal(again.network_kind, "loopback");
    assert_true(again.network_points[0].time_s == 1e-5);
    assert_true(ws_node_kernel(&again, "sum")->time_s == 0.01);
    ws_node_free(&node);
    ws_node_free(&again);
}

static void test_what_could_not_be_read_is_not_written(void **state)
{
    struct ws_node node = read_node(FULL);
    struct ws_error error = {0};
    (void)state;

    node.characteristics[WS_DISK_SEEK] = 0;
    assert_int_equal(ws_node_write(&node, path, &error), -1);
    assert_non_null(strstr(error.text, "characteristics.disk_seek_s: 0 is no possible value"));
    ws_node_free(&node);
}

/* The text with one piece of it replaced. */
static const char *with(const char *text, const char *piece, const char *other)
{
    static char changed[8192];
    const char *found = strstr(text, piece);

    assert_non_null(found);
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(found - text), text, other, found + strlen(piece));
    return changed;
}

static void test_mistakes_are_named_by_their_place(void **state)
{
    static const struct {
        const char *piece, *other, *said;
    } mistakes[] = {
        {"\"clock_Hz\": 3e9,", "",
         ": characteristics.clock_Hz is missing (in Hz); measure it with 'whyslow probe', or look into the "
         "data "
         "sheet"},
        {"\"clock_Hz\": 3e9", "\"clock_Hz\": 3.0",
         ": characteristics.clock_Hz: 3 is no possible value in Hz; were GHz meant? Then write 3e+09"},
        {"\"l2_bandwidth_Bps\": 2.385e9", "\"l2_bandwidth_Bps\": 0",
         ": characteristics.l2_bandwidth_Bps: 0 is no possible value; it must be greater than zero, in bytes "
         "per "
         "second"},
        {"\"disk_write_Bps\": 4e6", "\"disk_write_Bps\": -4e6",
         ": characteristics.disk_write_Bps: -4e+06 is no possible value; it must be"},
        {"\"l1_latency_s\": 1.5e-9", "\"l1_latency_s\": 1.5",
         ": characteristics.l1_latency_s: 1.5 is no possible value in seconds; were ns meant? Then write "
         "1.5e-09"},
        {"\"disk_seek_s\": 5e-3", "\"disk_seek_s\": 5",
         ": characteristics.disk_seek_s: 5 is no possible value in seconds; were ms meant? Then write 0.005"},
        {"\"float_ops_per_s\": 5.93e9", "\"float_ops_per_s\": 1e40",
         ": characteristics.float_ops_per_s: 1e+40 is no possible value in operations per second: from"},
        {"\"float_ops_per_s\": 5.93e9", "\"float_ops_per_s\": \"5.93e9\"",
         ": characteristics.float_ops_per_s: a number is wanted, not a text"},
        {"\"float_ops_per_s\": 5.93e9", "\"float_ops_per_s\": null",
         ": characteristics.float_ops_per_s is missing"},
        {"\"format\": 1", "\"format\": 2",
         ": format: this is version 2, this Whyslow reads version 1; write it anew with 'whyslow probe'"},
        {"\"format\": 1,", "", ": format: a whole number is wanted, not nothing"},
        {"whyslow-node", "whyslow-program",
         ": kind: this is a 'whyslow-program', where a 'whyslow-node' is wanted; 'whyslow probe' writes "
         "those"},
        {"\"name\": \"reference\"", "\"name\": 3", ": name: a text is wanted, not a number"},
        {"\"time_s\": 0.01", "\"time_s\": 0", ": kernels[0].time_s: 0 is not in the range from 1e-09"},
        {"{\"name\": \"sum\"", "{\"name\": \"sum\", \"time_s\": 1}, {\"name\": \"sum\"",
         ": kernels[1].name: there are two kernels 'sum'"},
        {"\"kernels\": [", "\"kernels\": [7, ", ": kernels[0]: an object is wanted, not a number"},
        {"\"pages\": \"huge\"", "\"pages\": \"large\"", ": ladder[0].pages: 'large' is neither"},
        {"\"latency_s\": 1e-9", "\"latency_s\": 0", ": ladder[0].latency_s: 0 is not in the range"},
        {"\"level\": 2", "\"level\": 1", ": topology.caches[1]: level 1 with 1.04858e+06 bytes comes after"},
        {"{\"floor\": 0.02}", "{\"floor\": []}", ": noise.floor: a number is wanted, not a list"},
        {"\"cores\": 2", "\"cores\": 1e999", ":1:"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const char *said = said_of(with(FULL, mistakes[i].piece, mistakes[i].other));
        if (strncmp(said, mistakes[i].said, strlen(mistakes[i].said)) != 0)
            fail_msg("%s\n  gives   %s\n  but not %s", mistakes[i].other, said, mistakes[i].said);
    }
    assert_string_equal(said_of(""), ":1:0: not JSON: '[' or '{' expected near end of file");
    assert_non_null(strstr(said_of("[]"), "an object is wanted, not a list"));
    assert_non_null(
        strstr(said_of("{" NODE_HEAD "}"), ": characteristics: an object is wanted, not nothing"));
}

static int read_and_free(void)
{
    struct ws_node node;
    struct ws_error error;
    int result = ws_node_read(path, &node, &error);

    ws_node_free(&node);
    return result;
}

/* Cut anywhere, or with any byte wrong, it is read or refused, and nothing else happens. */
static void test_damaged_anywhere(void **state)
{
    char text[] = FULL;

    (void)state;
    damage_anywhere(text, read_and_free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twelve_numbers_are_a_node),
        cmocka_unit_test(test_what_was_written_is_read),
        cmocka_unit_test(test_what_could_not_be_read_is_not_written),
        cmocka_unit_test(test_mistakes_are_named_by_their_place),
        cmocka_unit_test(test_damaged_anywhere),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
