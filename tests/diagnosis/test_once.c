/* Each moment of a rank counts once. */
#include "made_up.h"

static void assert_kept(const struct story *stories, size_t count, const int64_t *kept_ms)
{
    struct ws_findings findings;

    tell_all(&findings, stories, count);
    assert_int_equal(findings.count, count);
    ws_count_once(&findings, findings.instances, findings.count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(findings.instances[i].duration_ns, kept_ms[i] * MS);
    ws_findings_free(&findings);
}
#define KEPT(stories, ...)                                                                                   \
    assert_kept(stories, sizeof(stories) / sizeof *(stories), (const int64_t[]){__VA_ARGS__})

static void test_apart_all_is_kept(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 10 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 10 * MS, 5 * MS, 1, 1, 3, 0, NULL, 0}, /* touches, does not overlap */
        {&late_rule, 1, 0, 10 * MS, 0, 1, 3, 0, NULL, 0},      /* the same moments of another rank */
    };
    (void)state;
    KEPT(stories, 10, 5, 10);
}

static void test_waitall_over_late_messages_loses_its_time_once(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 20 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 0, 50 * MS, 2, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 0, 30 * MS, 3, 1, 3, 0, NULL, 0},
    };
    (void)state;
    KEPT(stories, 0, 50, 0);
}

static void test_longest_first_others_keep_what_is_left(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 30 * MS, 1, 1, 3, 0, NULL, 0},       /* 0..30, keeps 0..20 and nothing else */
        {&late_rule, 0, 20 * MS, 60 * MS, 1, 1, 3, 0, NULL, 0}, /* 20..80, the longest */
        {&late_rule, 0, 70 * MS, 20 * MS, 1, 1, 3, 0, NULL, 0}, /* 70..90, keeps 80..90 */
        {&late_rule, 0, 25 * MS, 10 * MS, 1, 1, 3, 0, NULL, 0}, /* inside the longest */
    };
    (void)state;
    KEPT(stories, 20, 60, 10, 0);
}

static void test_a_middle_can_be_cut_out(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 40 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 35 * MS, 40 * MS, 1, 1, 3, 0, NULL, 0}, /* as long, but later */
        {&late_rule, 0, 30 * MS, 30 * MS, 1, 1, 3, 0, NULL, 0}, /* nothing of 30..60 is left */
    };
    (void)state;
    KEPT(stories, 40, 35, 0);
}

static void test_ties_by_order_of_the_knowledge_base_then_content(void **state)
{
    const struct story stories[] = {
        {&barrier_rule, 0, 0, 10 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_other_rule, 0, 0, 10 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 0, 10 * MS, 2, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 0, 10 * MS, 1, 1, 3, 0, NULL, 0}, /* of the lower cause */
    };
    (void)state;
    KEPT(stories, 0, 0, 0, 10);
}

static void test_any_time_a_damaged_trace_claims(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, INT64_MAX - 5, INT64_MAX, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, INT64_MIN, INT64_MAX, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, INT64_MAX - 3, 10, 1, 1, 3, 0, NULL, 0},
    };
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    ws_count_once(&findings, findings.instances, findings.count);
    assert_int_equal(findings.instances[1].duration_ns, INT64_MAX);
    assert_int_equal(findings.instances[2].duration_ns, 0);
    ws_findings_free(&findings);
}

static void test_what_is_no_finding_is_left_out(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 0, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 0, -5, 1, 1, 3, 0, NULL, 0},
        {&late_rule, -1, 0, 10, 1, 1, 3, 0, NULL, 0},
        {&late_rule, INT64_MAX, 0, 10, 1, 1, 3, 0, NULL, 0},
    };
    struct ws_findings findings;

    (void)state;
    TELL(&findings, stories);
    assert_int_equal(findings.count, 0);
    ws_count_once(&findings, findings.instances, findings.count);
    ws_findings_free(&findings);
}

struct told {
    int64_t from_ms[8], to_ms[8];
    uint32_t causes[8];
    size_t count;
};

static void hear(const struct ws_waited *waited, void *context)
{
    struct told *told = context;

    assert_true(told->count < 8);
    assert_string_equal(waited->id, "late");
    assert_int_equal(waited->event, 100 + waited->cause_rank);
    assert_int_equal(waited->group, 0);
    told->from_ms[told->count] = waited->from_ns / MS;
    told->to_ms[told->count] = waited->to_ns / MS;
    told->causes[told->count++] = waited->cause_rank;
}

static void test_what_is_kept_is_told(void **state)
{
    const struct story stories[] = {
        {&late_rule, 0, 0, 40 * MS, 1, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 50 * MS, 40 * MS, 2, 1, 3, 0, NULL, 0},
        {&late_rule, 0, 35 * MS, 30 * MS, 3, 1, 3, 0, NULL, 0},  /* 40..50 is left */
        {&late_rule, 0, 5 * MS, 10 * MS, 4, 1, 3, 0, NULL, 0},   /* nothing is left */
        {&late_rule, 0, 200 * MS, 10 * MS, 5, 1, 3, 0, NULL, 0}, /* touches no other */
    };
    struct ws_findings findings;
    struct ws_diagnosis diagnosis = {.total_ns = 1000 * MS};
    struct told told = {.count = 0};

    (void)state;
    TELL(&findings, stories);
    for (size_t i = 0; i < findings.count; i++)
        findings.instances[i].event = 100 + findings.instances[i].cause_rank;
    findings.waited = hear;
    findings.waited_context = &told;
    ws_findings_settle(&findings, NULL);
    assert_int_equal(told.count, 4);
    for (size_t i = 0; i < told.count; i++) {
        static const int64_t from_ms[] = {0, 0, 50, 40, 0, 200}, to_ms[] = {0, 40, 90, 50, 0, 210};
        assert_int_equal(told.from_ms[i], from_ms[told.causes[i]]);
        assert_int_equal(told.to_ms[i], to_ms[told.causes[i]]);
    }
    ws_findings_group(&findings, &diagnosis);
    assert_int_equal(diagnosis.problem_count, 1);
    assert_int_equal(diagnosis.problems[0].group, 0);
    ws_diagnosis_free(&diagnosis);
    ws_findings_free(&findings);
}

/* Against the plain way: a slot for each moment. */
static void test_many_at_random(void **state)
{
    enum { COUNT = 400, MOMENTS = 600 };
    static struct story stories[COUNT];
    static int taken[MOMENTS + 100];
    struct ws_findings findings;
    int64_t kept = 0, expected = 0;
    uint32_t seed = 1;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * 1103515245 + 12345;
        stories[i] =
            (struct story){&late_rule, 0, (seed >> 8) % MOMENTS, 1 + (seed >> 20) % 100, 1, 1, 3, 0, NULL, 0};
        for (int64_t t = stories[i].from_ns; t < stories[i].from_ns + stories[i].duration_ns; t++)
            taken[t] = 1;
    }
    for (size_t t = 0; t < sizeof taken / sizeof *taken; t++)
        expected += taken[t];
    TELL(&findings, stories);
    ws_count_once(&findings, findings.instances, findings.count);
    for (size_t i = 0; i < COUNT; i++) {
        assert_in_range(findings.instances[i].duration_ns, 0, stories[i].duration_ns);
        kept += findings.instances[i].duration_ns;
    }
    assert_int_equal(kept, expected);
    ws_findings_free(&findings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart_all_is_kept),
        cmocka_unit_test(test_waitall_over_late_messages_loses_its_time_once),
        cmocka_unit_test(test_longest_first_others_keep_what_is_left),
        cmocka_unit_test(test_a_middle_can_be_cut_out),
        cmocka_unit_test(test_ties_by_order_of_the_knowledge_base_then_content),
        cmocka_unit_test(test_any_time_a_damaged_trace_claims),
        cmocka_unit_test(test_what_is_no_finding_is_left_out),
        cmocka_unit_test(test_what_is_kept_is_told),
        cmocka_unit_test(test_many_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
