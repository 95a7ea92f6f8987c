/* The report for programs, read again; and what is said of files that are none. */
#include "made_up.h"

#include <jansson.h>
#include <unistd.h>

static char path[] = "/tmp/whyslow-read-XXXXXX";

static void write_file(const char *bytes, size_t length)
{
    struct ws_error error;
    assert_int_equal(ws_file_write(path, bytes, length, &error), 0);
}

/* What is said of such a file. */
static const char *said_of(const char *bytes)
{
    static struct ws_error error;
    struct ws_diagnosis diagnosis;

    write_file(bytes, strlen(bytes));
    assert_int_equal(ws_report_read(path, &diagnosis, &error), -1);
    assert_int_equal(error.code, WS_BAD_INPUT);
    assert_memory_equal(error.text, path, strlen(path)); /* the file is named */
    return error.text + strlen(path);
}

static void test_what_was_written_is_read(void **state)
{
    struct ws_diagnosis slow = made_up_slow_run(), again;
    struct ws_error error = {0};
    char *report, *second;
    (void)state;

    slow.problems[0].began_count = 0; /* not read, as what else a replay tells */
    report = written(&slow, "json");
    write_file(report, strlen(report));
    assert_int_equal(ws_report_read(path, &again, &error), 0);
    again.clocks = slow.clocks; /* not read */
    second = written(&again, "json");
    assert_string_equal(report, second);
    assert_int_equal(again.problems[0].places[1].cause, true);
    free(report);
    free(second);
    ws_diagnosis_free(&again);
}

/* Of before there were these keys. */
static void test_an_old_file(void **state)
{
    static const char old[] =
        "{\"run\": {\"ranks\": 4, \"wall_s\": 2, \"command\": \"./app\"}, \"problems\": ["
        "{\"id\": \"a\", \"duration_s\": 1, \"severity_percent\": 12.5},"
        "{\"id\": \"b\", \"duration_s\": 4, \"severity_percent\": 50}]}";
    struct ws_diagnosis diagnosis;
    struct ws_error error = {0};
    (void)state;

    write_file(old, sizeof old - 1);
    assert_int_equal(ws_report_read(path, &diagnosis, &error), 0);
    assert_int_equal(diagnosis.total_ns, 8000 * MS); /* 4 s are 50 % */
    assert_int_equal(diagnosis.ranks_recorded, 4);
    assert_int_equal(diagnosis.exit_code, -1);
    assert_string_equal(diagnosis.problems[0].id, "b"); /* the worst first */
    assert_string_equal(diagnosis.problems[0].name, "b");
    assert_string_equal(diagnosis.mpi, "");
    assert_false(diagnosis.efficiency.known);
    ws_diagnosis_free(&diagnosis);
}

#define RUN "\"run\": {\"ranks\": 1, \"wall_s\": 1}"
static void test_mistakes_are_named_by_their_place(void **state)
{
    static const struct {
        const char *bytes, *said;
    } files[] = {
        {"", ":1:0: not JSON: '[' or '{' expected near end of file"},
        {"{\"run\": {\"ra", ":1:12: not JSON: premature end of input near '\"ra'"},
        {"[]", ": is JSON, but no report: an object is wanted, not a list"},
        {"{}", ": problems: a list is wanted, not nothing; is this what 'diagnose --json' wrote?"},
        {"{\"format\": 2, " RUN ", \"problems\": []}", ": format 2, this Whyslow reads format 1"},
        {"{\"format\": \"1\"}", ": format: a whole number is wanted, not a text;"},
        {"{" RUN ", \"problems\": {}}", ": problems: a list is wanted, not an object;"},
        {"{\"problems\": []}", ": run: an object is wanted, not nothing;"},
        {"{" RUN ", \"problems\": [1]}", ": problems[0].id: a text is wanted, not nothing;"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\"}]}",
         ": problems[0].duration_s: a number is wanted, not nothing;"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": -1}]}",
         ": problems[0].duration_s: -1 is not in the range from 0 to"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1e308}]}",
         ": problems[0].duration_s: 1e+308 is not in"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1e999}]}",
         ":1:79: not JSON: real number overflow"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1, \"count\": 99999999999999999999}]}",
         ":1:106: not JSON: too big integer near"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1, \"count\": 1.5}]}",
         ": problems[0].count: a whole number is wanted, not a number;"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1, \"severity_percent\": 101}]}",
         ": problems[0].severity_percent: 101 is not in the range from 0 to 100"},
        {"{" RUN
         ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1, \"sites\": [{}, {\"line\": 3000000000}]}]}",
         ": problems[0].sites[1].line: 3000000000 is not in the range"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1, \"sites\": [7]}]}",
         ": problems[0].sites[0]: an object is wanted, not a number;"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\", \"duration_s\": 1, \"ranks\": [{\"rank\": 4294967295}]}]}",
         ": problems[0].ranks[0].rank: 4294967295 is not in the range from 0 to 4294967294"},
        {"{" RUN ", \"problems\": [{\"id\": \"a\\u0000b\", \"duration_s\": 1}]}",
         ":1:65: not JSON: \\u0000 is not allowed without JSON_ALLOW_NUL near"},
        {"{\"run\": {\"ranks\": 1}, \"problems\": []}", ": run.wall_s: a number is wanted, not nothing;"},
        {"{\"run\": {\"ranks\": 1, \"wall_s\": 1, \"recording\": []}, \"problems\": []}",
         ": run.recording: an object is wanted, not a list;"},
        {"{" RUN ", \"problems\": [], \"warnings\": [null]}", ": warnings[0]: a text is wanted, not null;"},
        {"{" RUN ", \"problems\": [], \"efficiency\": {\"parallel\": 2}}",
         ": efficiency.parallel: 2 is not in the range"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *said = said_of(files[i].bytes);
        if (strncmp(said, files[i].said, strlen(files[i].said)) != 0)
            fail_msg("%s\n  gives   %s\n  but not %s", files[i].bytes, said, files[i].said);
    }
}

/* Cut anywhere, or with any byte wrong, it is read or refused, and nothing else happens. */
static void test_damaged_anywhere(void **state)
{
    struct ws_diagnosis slow = made_up_slow_run(), again;
    struct ws_error error;
    char *report = written(&slow, "json");
    size_t length = strlen(report);
    (void)state;

    for (size_t i = 0; i < length; i += 31) {
        char kept = report[i];
        write_file(report, i);
        assert_int_equal(ws_report_read(path, &again, &error), -1);
        report[i] = (char)(kept ^ (1 << i % 7));
        write_file(report, length);
        if (ws_report_read(path, &again, &error) == 0)
            ws_diagnosis_free(&again);
        report[i] = kept;
    }
    free(report);
}

static void test_no_file(void **state)
{
    struct ws_diagnosis diagnosis;
    struct ws_error error;
    (void)state;

    assert_int_equal(ws_report_read("/tmp/whyslow-no-such-file", &diagnosis, &error), -1);
    assert_int_equal(error.code, WS_BAD_INPUT);
    assert_string_equal(error.text, "/tmp/whyslow-no-such-file: cannot read: No such file or directory");
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_written_is_read),
        cmocka_unit_test(test_an_old_file),
        cmocka_unit_test(test_mistakes_are_named_by_their_place),
        cmocka_unit_test(test_damaged_anywhere),
        cmocka_unit_test(test_no_file),
    };
    close(mkstemp(path));
    return cmocka_run_group_tests(tests, NULL, remove_file);
}
