/* The report for reading. */
#include "made_up.h"

#include <unistd.h>

static void test_a_slow_run(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    (void)state;
    assert_report(&diagnosis, "text", "slow-run.txt");
}

static void test_a_damaged_run_says_so(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();

    (void)state;
    diagnosis.problem_count = 1;
    diagnosis.small_count = 0;
    diagnosis.ranks_recorded = 8;
    diagnosis.exit_code = 137;
    diagnosis.lost = 1;
    diagnosis.unmatched = 12;
    diagnosis.clocks = 2;
    diagnosis.clock_error_s = 1.2e-6;
    diagnosis.clock_violations = 3;
    assert_report(&diagnosis, "text", "damaged-run.txt");
}

static void test_in_brief(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    char *report;

    (void)state;
    report = written(&diagnosis, "brief");
    assert_string_equal(report,
                        "1.07 s of 9 ranks so far: waiting took 25 % of the ranks' time\n"
                        "  1. Late sender                    21 %  MPI_Waitall at jacobi.c:9\n"
                        "  2. Delay before a barrier        3.7 %  MPI_Barrier at libsolver.so.2+0xabc\n");
    free(report);
    diagnosis.problem_count = 0;
    report = written(&diagnosis, "brief");
    assert_string_equal(report, "1.07 s of 9 ranks so far: waiting took 0.2 % of the ranks' time, no problem "
                                "stands out\n");
    free(report);
}

static void test_a_healthy_run_gets_one_line(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    char *report;

    (void)state;
    diagnosis.problem_count = 0;
    report = written(&diagnosis, "text");
    assert_non_null(strstr(report,
                           "\n\nNo problem worth changing: waiting took 0.2 % of the ranks' time, 21 ms in "
                           "all.\n"));
    free(report);
    diagnosis.small_count = 0;
    report = written(&diagnosis, "text");
    assert_non_null(
        strstr(report, "\n\nNo problem worth changing: no rank was found waiting for another.\n"));
    free(report);
}

static void test_hostile_names_do_not_reach_the_terminal(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    struct ws_place place = {
        "r\033[31m", "MPI_\033]0;x\007Recv", "f\xff\xfe", "/a\r\nb/\xe2\x80\xae.c", "", 3, 0, true, false};
    struct ws_problem problem = {
        "\xc0\xaf", "name\033[2J\n\x7f", "\xed\xa0\x80 {}%s%n", "", 50, MS, 1, receivers, 1, NULL, 0, &place,
        1, 0, NULL, 0, 0, WS_REMEDY_NONE, 0, 0, 0};
    char *report;

    (void)state;
    diagnosis.command = "./a.out $'\033[2J' \xc2\x9b";
    diagnosis.problems = &problem;
    diagnosis.problem_count = 1;
    report = written(&diagnosis, "text");
    for (const char *at = report; *at; at++)
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
    assert_null(strstr(report, "\xff"));
    assert_null(strstr(report, "\xc2\x9b"));
    assert_null(strstr(report, "\xe2\x80\xae"));
    assert_non_null(strstr(report, "%s%n"));
    free(report);
}

static void test_lines_fit_the_page(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    size_t columns = 0;
    char *report;

    (void)state;
    diagnosis.command =
        "mpirun -n 9 --map-by socket --bind-to core ./jacobi with many arguments, so many that "
        "one line is not enough for them, or even two lines as this one here shows, – – – – –";
    report = written(&diagnosis, "text");
    for (const char *at = report; *at; at++) {
        columns = *at == '\n' ? 0 : columns + (((unsigned char)*at & 0xC0) != 0x80);
        assert_in_range(columns, 0, 96);
    }
    free(report);
}

static void test_source_lines_only_from_files(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    static const char *const paths[] = {"/dev/zero", "/dev/stdin", "/", "relative/nowhere.c", ""};
    struct ws_place place = message_places[0];
    struct ws_problem problem = made_up_problems[0];

    (void)state;
    problem.places = &place;
    problem.place_count = 1;
    diagnosis.problems = &problem;
    diagnosis.problem_count = 1;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *report;
        place.file = paths[i];
        report = written(&diagnosis, "text");
        assert_null(strstr(report, " | "));
        free(report);
    }
    place.file = SOURCE;
    for (int line = 100; line > -2; line -= 101) { /* behind the end, and no line at all */
        char *report;
        place.line = line;
        report = written(&diagnosis, "text");
        assert_null(strstr(report, " | "));
        free(report);
    }
}

static void test_mistakes(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    struct ws_error error = {0};
    FILE *full = fopen("/dev/full", "w");

    (void)state;
    assert_int_equal(ws_report_write(&diagnosis, "jsn", stdout, &error), -1);
    assert_int_equal(error.code, WS_USAGE);
    assert_string_equal(error.text, "'jsn' is no report format; did you mean 'json'?");
    assert_non_null(full);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ws_report_write(&diagnosis, i ? "text" : "json", full, &error), -1);
        assert_int_equal(error.code, WS_ENVIRONMENT);
        assert_string_equal(error.text, "cannot write the report: No space left on device");
    }
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_run),
        cmocka_unit_test(test_a_damaged_run_says_so),
        cmocka_unit_test(test_in_brief),
        cmocka_unit_test(test_a_healthy_run_gets_one_line),
        cmocka_unit_test(test_hostile_names_do_not_reach_the_terminal),
        cmocka_unit_test(test_lines_fit_the_page),
        cmocka_unit_test(test_source_lines_only_from_files),
        cmocka_unit_test(test_mistakes),
    };
    if (chdir(SOURCE_DIR) != 0) /* paths below are shown from here */
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
