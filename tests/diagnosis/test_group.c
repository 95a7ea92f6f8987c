/* Findings become one entry for each problem and pair of call sites, the costliest first. */
#include "made_up.h"

static void group(struct ws_findings *findings, struct ws_diagnosis *diagnosis, double threshold_percent)
{
    *diagnosis = (struct ws_diagnosis){.total_ns = 1000 * MS, .threshold_percent = threshold_percent};
    ws_findings_settle(findings, NULL);
    ws_findings_group(findings, diagnosis);
    ws_findings_free(findings);
}

static void test_by_problem_and_call_sites(void **state)
{
    const struct story stories[] = {
        {&late_rule, 2, 0, 20 * MS, 0, 1, 3, 0, NULL, 0},
        {&late_rule, 1, 0, 30 * MS, 0, 2, 3, 0, NULL, 0}, /* the same line in another module */
        {&late_rule, 2, 100 * MS, 40 * MS, 3, 1, 3, 0, NULL, 0},
        {&late_rule, 1, 200 * MS, 25 * MS, 0, 3, 3, 0, NULL, 0},   /* another line */
        {&barrier_rule, 1, 300 * MS, 5 * MS, 0, 1, 3, 0, NULL, 0}, /* another problem: below the threshold */
        {&barrier_rule, 1, 400 * MS, 3 * MS, 0, 1, 1, 0, NULL, 0},
    };
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;
    const struct ws_problem *problem;

    (void)state;
    TELL(&findings, stories);
    group(&findings, &diagnosis, 1);
    assert_int_equal(diagnosis.problem_count, 2);
    assert_int_equal(diagnosis.small_count, 2);
    assert_int_equal(diagnosis.small_ns, 8 * MS);

    problem = &diagnosis.problems[0];
    assert_string_equal(problem->id, "late");
    assert_string_equal(problem->name, "Late");
    assert_int_equal(problem->duration_ns, 90 * MS);
    assert_true(problem->severity_percent > 8.999 && problem->severity_percent < 9.001);
    assert_int_equal(problem->count, 3);
    assert_int_equal(problem->waiting_count, 2);
    assert_int_equal(problem->waiting[0].rank, 1);
    assert_int_equal(problem->waiting[0].duration_ns, 30 * MS);
    assert_int_equal(problem->waiting[1].rank, 2);
    assert_int_equal(problem->waiting[1].duration_ns, 60 * MS);
    assert_int_equal(problem->waiting[1].count, 2);
    assert_int_equal(problem->causing_count, 2);
    assert_int_equal(problem->causing[0].rank, 0);
    assert_int_equal(problem->causing[0].duration_ns, 50 * MS);
    assert_int_equal(problem->causing[1].rank, 3);
    assert_int_equal(problem->causing[1].duration_ns, 40 * MS);
    assert_string_equal(problem->description, "late by 20–40 ms");
    assert_string_equal(problem->advice, "one of ranks 0, 3 at jacobi.c:80");

    assert_int_equal(diagnosis.problems[1].duration_ns, 25 * MS);
    ws_diagnosis_free(&diagnosis);
}

static void test_places_have_roles(void **state)
{
    const struct story stories[] = {{&late_rule, 2, 0, 20 * MS, 0, 1, 4, 3, NULL, 0}};
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;
    const struct ws_place *place;

    (void)state;
    TELL(&findings, stories);
    group(&findings, &diagnosis, 1);
    assert_int_equal(diagnosis.problems[0].place_count, 2);
    place = diagnosis.problems[0].places;
    assert_string_equal(place[0].role, "receiver");
    assert_string_equal(place[0].called, "MPI_Recv");
    assert_string_equal(place[0].function, "exchange");
    assert_string_equal(place[0].file, "/src/jacobi.c");
    assert_int_equal(place[0].line, 57);
    assert_true(place[0].waiting && !place[0].cause);
    assert_string_equal(place[1].role, "sender"); /* the call that started the send, not its Wait */
    assert_string_equal(place[1].called, "MPI_Isend");
    assert_int_equal(place[1].line, 80);
    assert_true(!place[1].waiting && place[1].cause);
    ws_diagnosis_free(&diagnosis);
}

static void test_one_place_where_a_call_waits_for_itself(void **state)
{
    const struct story stories[] = {{&barrier_rule, 2, 0, 20 * MS, 0, 1, 1, 0, "MPI_Send", 0}};
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    group(&findings, &diagnosis, 1);
    assert_int_equal(diagnosis.problems[0].place_count, 1);
    assert_true(diagnosis.problems[0].places[0].waiting && diagnosis.problems[0].places[0].cause);
    ws_diagnosis_free(&diagnosis);
}

static void test_without_a_cause(void **state)
{
    const struct story stories[] = {{&barrier_rule, 2, 0, 20 * MS, -1, 4, 0, 0, NULL, 0}};
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    group(&findings, &diagnosis, 1);
    assert_int_equal(diagnosis.problems[0].causing_count, 0);
    assert_int_equal(diagnosis.problems[0].place_count, 1);
    assert_string_equal(diagnosis.problems[0].places[0].module, "/lib/libsolver.so");
    assert_string_equal(diagnosis.problems[0].advice, "rank ? at ?, ratios of 0");
    ws_diagnosis_free(&diagnosis);
}

static void test_a_covered_finding_leaves_no_trace(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 50 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 0, 20 * MS, 2, 1, 3, 0, NULL, 0},    /* covered, in the same group */
        {&barrier_rule, 0, 0, 50 * MS, 3, 1, 3, 0, NULL, 0}, /* covered, the only one of its group */
    };
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    group(&findings, &diagnosis, 0);
    assert_int_equal(diagnosis.problem_count, 1);
    assert_int_equal(diagnosis.small_count, 0);
    assert_int_equal(diagnosis.problems[0].count, 1);
    assert_int_equal(diagnosis.problems[0].causing_count, 1);
    assert_string_equal(diagnosis.problems[0].description, "late by 50 ms");
    assert_string_equal(diagnosis.problems[0].advice, "rank 1 at jacobi.c:80");
    ws_diagnosis_free(&diagnosis);
}

static void test_the_advice_of_the_rule_with_the_greatest_share(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 10 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 100 * MS, 10 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_other_rule, 0, 200 * MS, 30 * MS, 1, 1, 3, 0, NULL, 0},
    };
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    group(&findings, &diagnosis, 1);
    assert_int_equal(diagnosis.problem_count, 1);
    assert_string_equal(diagnosis.problems[0].name, "Late, otherwise");
    assert_string_equal(diagnosis.problems[0].advice, "other advice for MPI_Recv");
    assert_string_equal(diagnosis.problems[0].description, "late by 30 ms");
    ws_diagnosis_free(&diagnosis);
}

static void test_equal_ones_in_order_of_the_knowledge_base(void **state)
{
    const struct story stories[] = {
        {&barrier_rule, 0, 0, 20 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 100 * MS, 20 * MS, 1, 1, 3, 0, NULL, 0},
    };
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    group(&findings, &diagnosis, 1);
    assert_string_equal(diagnosis.problems[0].id, "late");
    assert_string_equal(diagnosis.problems[1].id, "barrier");
    ws_diagnosis_free(&diagnosis);
}

static void test_nothing_found(void **state)
{
    struct ws_diagnosis diagnosis;
    struct ws_findings findings;

    (void)state;
    begin_findings(&findings);
    group(&findings, &diagnosis, 1);
    assert_int_equal(diagnosis.problem_count, 0);
    assert_int_equal(diagnosis.small_count, 0);
    ws_diagnosis_free(&diagnosis);
}

static void test_no_time_to_be_a_share_of(void **state)
{
    const struct story stories[] = {{&late_rule, 0, 0, INT64_MAX, 1, 1, 3, 0, NULL, 0},
                                    {&late_rule, 1, 0, INT64_MAX, 1, 1, 3, 0, NULL, 0}};
    struct ws_diagnosis diagnosis = {.threshold_percent = 1};
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    ws_findings_settle(&findings, NULL);
    ws_findings_group(&findings, &diagnosis);
    assert_int_equal(diagnosis.small_count, 1);
    assert_int_equal(diagnosis.small_ns, INT64_MAX);
    ws_findings_free(&findings);
    ws_diagnosis_free(&diagnosis);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_problem_and_call_sites),
        cmocka_unit_test(test_places_have_roles),
        cmocka_unit_test(test_one_place_where_a_call_waits_for_itself),
        cmocka_unit_test(test_without_a_cause),
        cmocka_unit_test(test_a_covered_finding_leaves_no_trace),
        cmocka_unit_test(test_the_advice_of_the_rule_with_the_greatest_share),
        cmocka_unit_test(test_equal_ones_in_order_of_the_knowledge_base),
        cmocka_unit_test(test_nothing_found),
        cmocka_unit_test(test_no_time_to_be_a_share_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
