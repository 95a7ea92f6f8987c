/* What a check came to, in its formats. */
#include "made_up.h"

static const char *const types[] = {"late-sender", "late-receiver"};

/* The slow run, whose barriers are no known type, beside itself without the late sender and in less time. */
static char *checked(const char *format)
{
    static const char *const baseline_path[] = {"good.json"}, *const path[] = {"out"};
    struct ws_diagnosis run = made_up_slow_run(), baseline = made_up_slow_run();
    const struct ws_side sides[] = {{&baseline, baseline_path, 1}, {&run, path, 1}};
    const struct ws_compare_options options = {-1, -1};
    struct ws_text report = {0};
    struct ws_gate *gates[] = {ws_gate_read("severity > 1 & 2 or name == \"<&'>\"", &report),
                               ws_gate_read("severity > 3 or name == \"<&'>\"", &report),
                               ws_gate_read("efficiency < 1 or command == \"\xEF\xBF\xBF\"", &report),
                               ws_gate_read("wall > 1 s", &report)};
    struct ws_comparison comparison;
    struct ws_verdict verdict;
    struct ws_error error = {0};
    char *bytes = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&bytes, &size);

    assert_null(gates[0]);
    message_places[0].file = message_places[2].file =
        "/home/ann/jacobi.c"; /* as long wherever this test lies */
    baseline.problems++;
    baseline.problem_count--;
    baseline.wall_s = 0.5;
    ws_compare_sides(&sides[0], &sides[1], &options, &comparison);
    ws_verdict_begin(&verdict, "out", &run, types, 2);
    for (size_t i = 1; i < 4; i++)
        assert_int_equal(ws_verdict_condition(&verdict, gates[i], &error), 0);
    ws_verdict_baseline(&verdict, &comparison);
    assert_int_equal(verdict.case_count, 3 + 1 + 1 + 1 + 3);
    assert_int_equal(verdict.failed_count, 2 + 0 + 1 + 1 + 1);
    assert_int_equal(ws_report_verdict(&verdict, format, file, &error), 0);
    fclose(file);
    ws_verdict_free(&verdict);
    ws_comparison_free(&comparison);
    for (size_t i = 0; i < 4; i++)
        ws_gate_free(gates[i]);
    ws_text_free(&report);
    return bytes;
}

static void test_for_reading(void **state)
{
    (void)state;
    assert_shown(checked("text"), "check.txt");
}

static void test_for_ci(void **state)
{
    (void)state;
    assert_shown(checked("junit"), "check.xml");
}

/* As in the other JSON, and that of the comparison in it. */
static void test_for_programs(void **state)
{
    char *json = checked("json");
    (void)state;

    assert_non_null(strstr(json, "\"passed\": false,\n  \"checks\": 9,\n  \"failed\": 5,\n"));
    assert_non_null(
        strstr(json, "\"rule\": \"wall > 1 s\",\n      \"name\": \"run\",\n      \"passed\": false,\n      "
                     "\"said\": [\n        \"wall 1.07 s\"\n      ],\n      \"problems\": []"));
    assert_non_null(strstr(json, "\"status\": \"new\""));
    assert_non_null(strstr(
        json,
        "3 problems below 1 % of the ranks' time are not in this report: no condition was asked of them"));
    free(json);
}

/* Without any problem and any known type there is still a case that says so. */
static void test_nothing_to_check(void **state)
{
    struct ws_diagnosis empty = {.command = "", .mpi = ""};
    struct ws_text report = {0};
    struct ws_gate *gate = ws_gate_read("severity > 1", &report);
    struct ws_verdict verdict;
    struct ws_error error;
    (void)state;

    ws_verdict_begin(&verdict, "out", &empty, NULL, 0);
    assert_int_equal(ws_verdict_condition(&verdict, gate, &error), 0);
    assert_int_equal(verdict.case_count, 1);
    assert_int_equal(verdict.failed_count, 0);
    assert_string_equal(verdict.cases[0].name, "problems");
    ws_verdict_free(&verdict);
    ws_gate_free(gate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_for_reading),
        cmocka_unit_test(test_for_ci),
        cmocka_unit_test(test_for_programs),
        cmocka_unit_test(test_nothing_to_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
