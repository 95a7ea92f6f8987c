/* A comparison for reading and for programs. */
#include "made_up.h"

#include <jansson.h>

#define FILE_C "/home/ann/jacobi.c"
static struct ws_place before_places[] = {
    {"receiver", "MPI_Waitall", "exchange", FILE_C, "/home/ann/jacobi", 9, 0x1234, true, false},
    {"sender", "MPI_Send", "exchange", FILE_C, "/home/ann/jacobi", 3, 0x1200, false, true},
};
static struct ws_place after_places[] = {
    {"receiver", "MPI_Waitall", "exchange", FILE_C, "/home/ann/jacobi", 12, 0x1300, true, false},
    {"sender", "MPI_Isend", "start", FILE_C, "/home/ann/jacobi", 30, 0x1500, false, true},
};
#define PROBLEM(its_id, its_name, percent, ms, waits, its_places)                                            \
    {                                                                                                        \
        .id = (its_id), .name = (its_name), .description = "", .advice = "Expose the window earlier.",       \
        .severity_percent = (percent), .duration_ns = (ms)*MS, .count = (waits), .places = (its_places),     \
        .place_count = sizeof(its_places) / sizeof *(its_places)                                             \
    }
static struct ws_problem before_problems[] = {
    PROBLEM("late-sender", "Late sender", 21.37, 2060, 4000, before_places),
    PROBLEM("wait-at-barrier", "Delay before a barrier", 3.73, 360, 40, barrier_places),
};
static struct ws_problem after_problems[] = {
    PROBLEM("late-sender", "Late sender", 2.5, 241, 4000, after_places),
    PROBLEM("late-post", "Late\033[2J post", 2.4, 230, 1, barrier_places),
};

static char *compared(const char *format)
{
    static const char *const before_path[] = {"before"}, *const after_path[] = {"after.json"};
    struct ws_diagnosis before = made_up_slow_run(), after = made_up_slow_run();
    const struct ws_side sides[] = {{&before, before_path, 1}, {&after, after_path, 1}};
    const struct ws_compare_options options = {-1, -1};
    struct ws_comparison comparison;
    struct ws_error error = {0};
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);

    before.threshold_percent = 0;
    before.problems = before_problems;
    after.problems = after_problems;
    after.wall_s = 0.81;
    after.command = "mpirun -n 9 ./jacobi 2001";
    ws_compare_sides(&sides[0], &sides[1], &options, &comparison);
    assert_int_equal(ws_report_comparison(&comparison, format, file, &error), 0);
    fclose(file);
    ws_comparison_free(&comparison);
    return bytes;
}

static void test_for_reading(void **state)
{
    (void)state;
    assert_shown(compared("text"), "compare.txt");
}

static void test_for_programs(void **state)
{
    (void)state;
    assert_shown(compared("json"), "compare.json");
}

static void test_no_such_format(void **state)
{
    struct ws_comparison comparison = {0};
    struct ws_error error = {0};
    (void)state;

    assert_int_equal(ws_report_comparison(&comparison, "brief", stdout, &error), -1);
    assert_int_equal(error.code, WS_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_for_reading),
        cmocka_unit_test(test_for_programs),
        cmocka_unit_test(test_no_such_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
