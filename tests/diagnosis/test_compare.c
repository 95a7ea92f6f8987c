/* Two versions of a program compared by made-up reports on runs of them. */
#include "compared.h"

#include <math.h>

#define RECV                                                                                                 \
    {                                                                                                        \
        "MPI_Recv", "exchange", "/src/jacobi.c", 20                                                          \
    }
#define SEND                                                                                                 \
    {                                                                                                        \
        "MPI_Send", "exchange", "/src/jacobi.c", 10                                                          \
    }
#define BARRIER                                                                                              \
    {                                                                                                        \
        "MPI_Barrier", "main", "/src/jacobi.c", 90                                                           \
    }
#define REDUCE                                                                                               \
    {                                                                                                        \
        "MPI_Reduce", "main", "/src/jacobi.c", 95                                                            \
    }
#define LATE(ms)                                                                                             \
    {                                                                                                        \
        "late-sender", RECV, SEND, ms                                                                        \
    }
#define AT_BARRIER(ms)                                                                                       \
    {                                                                                                        \
        "wait-at-barrier", BARRIER, {0}, ms                                                                  \
    }
#define EARLY(ms)                                                                                            \
    {                                                                                                        \
        "early-reduce", REDUCE, {0}, ms                                                                      \
    }

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9))
        fail_msg("%.12g, not %.12g", value, expected);
}

/* 4 ranks of 2.5 s: 100 ms are 1 %.  Given in the order of their durations; free_run. */
static struct ws_diagnosis a_run(const struct made *made, size_t count)
{
    struct ws_diagnosis run = {.problems = made_problems(made, count),
                               .problem_count = count,
                               .command = "mpirun -n 4 ./app",
                               .mpi = "Open MPI 4.1.4",
                               .ranks = 4,
                               .ranks_recorded = 4,
                               .wall_s = 2.5,
                               .total_ns = 10000 * MS};

    for (size_t i = 0; i < count; i++)
        run.problems[i].severity_percent = (double)made[i].ms / 100;
    return run;
}

static void free_run(struct ws_diagnosis *run)
{
    free_problems(run->problems, run->problem_count);
}

static const char *const paths[] = {"first", "second", "third", "fourth"};

static struct ws_comparison compare_runs(const struct ws_diagnosis *before, size_t before_count,
                                         const struct ws_diagnosis *after, size_t after_count)
{
    const struct ws_side sides[] = {{before, paths, before_count}, {after, paths, after_count}};
    const struct ws_compare_options options = {-1, -1};
    struct ws_comparison comparison;

    ws_compare_sides(&sides[0], &sides[1], &options, &comparison);
    return comparison;
}

static const struct ws_compared_problem *problem_of(const struct ws_comparison *comparison, const char *id)
{
    for (size_t i = 0; i < comparison->problem_count; i++)
        if (strcmp(comparison->problems[i].id, id) == 0)
            return &comparison->problems[i];
    fail_msg("no problem '%s'", id);
    return NULL;
}

static void assert_status(const struct ws_comparison *comparison, const char *id, enum ws_status status)
{
    assert_string_equal(ws_status_names[problem_of(comparison, id)->status], ws_status_names[status]);
}

#define RUN(...)                                                                                             \
    a_run((const struct made[]){__VA_ARGS__},                                                                \
          sizeof((const struct made[]){__VA_ARGS__}) / sizeof(struct made))

static void test_gone_new_better_worse_same(void **state)
{
    struct ws_diagnosis before =
                            RUN(LATE(2000), AT_BARRIER(1000), EARLY(300), {"late-receiver", SEND, RECV, 250}),
                        after = RUN(AT_BARRIER(2600), {"lock-contention", REDUCE, {0}, 500}, LATE(1000),
                                    {"late-receiver", SEND, RECV, 230});
    struct ws_comparison comparison = compare_runs(&before, 1, &after, 1);
    (void)state;

    assert_int_equal(comparison.problem_count, 5);
    assert_string_equal(comparison.problems[0].id, "wait-at-barrier"); /* the greatest change */
    assert_status(&comparison, "wait-at-barrier", WS_WORSE);
    assert_status(&comparison, "late-sender", WS_BETTER);
    assert_status(&comparison, "early-reduce", WS_GONE);
    assert_status(&comparison, "lock-contention", WS_NEW);
    assert_status(&comparison, "late-receiver", WS_SAME);
    for (size_t i = 0; i < WS_STATUS_COUNT; i++)
        assert_int_equal(comparison.counts[i], 1);
    assert_near(problem_of(&comparison, "late-sender")->change.gain_s, 1);
    assert_near(comparison.waiting.before_s, 3.55);
    assert_near(comparison.waiting.gain_s, 3.55 - 4.33);
    assert_false(comparison.wall.clear);
    assert_int_equal(comparison.warning_count, 0);
    ws_comparison_free(&comparison);
    free_run(&before);
    free_run(&after);
}

static void test_a_run_with_itself(void **state)
{
    struct ws_diagnosis run = RUN(LATE(2000), AT_BARRIER(100), EARLY(10));
    struct ws_comparison comparison = compare_runs(&run, 1, &run, 1);
    (void)state;

    assert_int_equal(comparison.counts[WS_SAME], 2);
    assert_int_equal(comparison.problem_count, 2);
    assert_int_equal(comparison.small_count, 1); /* 0.1 % */
    assert_near(comparison.waiting.gain_s, 0);
    ws_comparison_free(&comparison);
    free_run(&run);
}

/* 0.98 % and 1.02 % lie on both sides of the threshold, and are the same. */
static void test_the_threshold_makes_no_news(void **state)
{
    struct ws_diagnosis before = RUN(LATE(102), AT_BARRIER(98)), after = RUN(AT_BARRIER(102), LATE(98));
    struct ws_comparison comparison = compare_runs(&before, 1, &after, 1);
    (void)state;

    assert_int_equal(comparison.counts[WS_SAME], 2);
    ws_comparison_free(&comparison);
    free_run(&before);
    free_run(&after);
}

/* A file tells nothing below 1 %: what is not in it may still cost up to 1 %. */
static void test_what_a_file_does_not_tell(void **state)
{
    struct ws_diagnosis before = RUN(LATE(180), AT_BARRIER(250)), after = RUN(EARLY(180));
    struct ws_comparison comparison;
    (void)state;

    after.threshold_percent = 1;
    after.small_count = 3;
    after.small_ns = 90 * MS;
    comparison = compare_runs(&before, 1, &after, 1);
    assert_status(&comparison, "late-sender", WS_SAME); /* perhaps 180 -> 90: 0.9 % */
    assert_status(&comparison, "wait-at-barrier", WS_GONE);
    assert_near(problem_of(&comparison, "late-sender")->after.at_most_s, 0.09);
    assert_near(problem_of(&comparison, "late-sender")->before.at_most_s, 0);
    assert_near(comparison.waiting.after_s, 0.27);      /* with the 90 ms */
    assert_status(&comparison, "early-reduce", WS_NEW); /* the trace before told all */
    ws_comparison_free(&comparison);
    free_run(&before);
    free_run(&after);
}

/* All takes twice as long: the machine was busy, no problem is worse. */
static void test_a_slow_machine_makes_no_problem_worse(void **state)
{
    struct ws_diagnosis before = RUN(LATE(2000)), after = RUN(LATE(4000));
    struct ws_comparison comparison;
    (void)state;

    after.total_ns *= 2;
    after.wall_s *= 2;
    after.problems[0].severity_percent /= 2;
    comparison = compare_runs(&before, 1, &after, 1);
    assert_status(&comparison, "late-sender", WS_SAME);
    assert_true(comparison.wall.clear);
    assert_near(comparison.wall.gain_s, -2.5);
    ws_comparison_free(&comparison);
    free_run(&before);
    free_run(&after);
}

/* Nearly all is waiting, and becomes more: that is worse though its share hardly grows. */
static void test_nearly_all_is_waiting(void **state)
{
    struct ws_diagnosis before = RUN(LATE(9000)), after = RUN(LATE(45000));
    struct ws_comparison comparison;
    (void)state;

    after.total_ns = 46000 * MS;
    after.problems[0].severity_percent = 97.8;
    comparison = compare_runs(&before, 1, &after, 1);
    assert_status(&comparison, "late-sender", WS_WORSE);
    ws_comparison_free(&comparison);
    free_run(&before);
    free_run(&after);
}

static void test_other_numbers_of_ranks(void **state)
{
    struct ws_diagnosis before = RUN(LATE(2000)), after = RUN(LATE(4000));
    struct ws_comparison comparison;
    (void)state;

    after.ranks = after.ranks_recorded = 8;
    after.total_ns *= 2;
    after.problems[0].severity_percent /= 2;
    comparison = compare_runs(&before, 1, &after, 1);
    assert_true(comparison.per_rank);
    assert_status(&comparison, "late-sender", WS_SAME); /* half a second of each rank */
    assert_near(problem_of(&comparison, "late-sender")->change.after_s, 0.5);
    assert_near(comparison.after_sum.total_s, 2.5);
    assert_int_equal(comparison.warning_count, 1);
    assert_string_equal(comparison.warnings[0],
                        "the numbers of ranks differ: 4 before, 8 after; waiting is told for one "
                        "rank, as the mean of all");
    ws_comparison_free(&comparison);
    free_run(&before);
    free_run(&after);
}

static void test_what_makes_it_doubtful(void **state)
{
    static const char *crowded[] = {"4 ranks shared 2 cores"};
    struct ws_diagnosis before = RUN(LATE(2000)), after = RUN(LATE(2000));
    static const char *const expected[] = {
        "the commands differ: before \"mpirun -n 4 ./app\", after \"mpirun -n 4 ./app 2\"",
        "the MPIs differ: before \"Open MPI 4.1.4\", after \"unknown\"",
        "first: 4 ranks shared 2 cores",
        "first: the command ended with 139: perhaps it did not do all its work",
        "first: 7 events were lost while recording",
        "first: 9 calls were only counted (--sample): their waiting is missing",
        "first: a part of the run was not recorded",
        "first: 3 of 4 ranks were recorded",
    };
    struct ws_comparison comparison;
    (void)state;

    before.warnings = after.warnings = crowded;
    before.warning_count = after.warning_count = 1; /* the same: told once */
    after.command = "mpirun -n 4 ./app 2";
    after.mpi = "";
    after.exit_code = 139;
    after.lost = 7;
    after.counted = 9;
    after.stopped_ns = 1;
    before.ranks_recorded = after.ranks_recorded = 3;
    before.ranks = 3;
    comparison = compare_runs(&before, 1, &after, 1);
    assert_int_equal(comparison.warning_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < comparison.warning_count; i++)
        assert_string_equal(comparison.warnings[i], expected[i]);
    ws_comparison_free(&comparison);
    free_run(&before);
    free_run(&after);
}

/* 2.0, 2.2 s and 1.0, 1.2 s: sd 0.141, and Student's t of 2 degrees 4.303: 0.61 s are chance. */
static void test_several_runs_tell_what_chance_makes(void **state)
{
    struct ws_diagnosis before[] = {RUN(LATE(2000), AT_BARRIER(500)), RUN(LATE(2200), AT_BARRIER(900))},
                        after[] = {RUN(LATE(1000), AT_BARRIER(250)), RUN(LATE(1200), AT_BARRIER(300))};
    struct ws_comparison comparison = compare_runs(before, 2, after, 2);
    const struct ws_compared_problem *late = problem_of(&comparison, "late-sender");
    (void)state;

    assert_true(comparison.measured);
    assert_near(late->change.before_s, 2.1);
    assert_near(late->change.after_s, 1.1);
    assert_near(late->change.noise_s, 4.303 * sqrt(0.02));
    assert_near(late->before.percent, 21);
    assert_int_equal(late->status, WS_BETTER);
    assert_status(&comparison, "wait-at-barrier", WS_SAME); /* it varies too much before */
    ws_comparison_free(&comparison);
    for (size_t i = 0; i < 2; i++) {
        free_run(&before[i]);
        free_run(&after[i]);
    }
}

/* A problem that only the second run of a side has. */
static void test_a_problem_of_one_run_of_several(void **state)
{
    struct ws_diagnosis before[] = {RUN(LATE(2000)), RUN(LATE(2000), EARLY(300)), RUN(LATE(2000))},
                        after[] = {RUN(LATE(2000))};
    struct ws_comparison comparison = compare_runs(before, 3, after, 1);
    const struct ws_compared_problem *early = problem_of(&comparison, "early-reduce");
    (void)state;

    assert_int_equal(early->status, WS_SAME);
    assert_near(early->change.before_s, 0.1);
    assert_ptr_equal(early->before.problem, &before[1].problems[1]);
    assert_true(early->before.index == WS_NOT_AGAIN); /* not in the first run's report */
    assert_int_equal(problem_of(&comparison, "late-sender")->before.index, 0);
    ws_comparison_free(&comparison);
    for (size_t i = 0; i < 3; i++)
        free_run(&before[i]);
    free_run(&after[0]);
}

static void test_empty_reports(void **state)
{
    struct ws_diagnosis empty = {.command = "", .mpi = "", .exit_code = -1};
    struct ws_comparison comparison = compare_runs(&empty, 1, &empty, 1);
    (void)state;

    assert_int_equal(comparison.problem_count, 0);
    assert_false(comparison.wall.clear);
    assert_false(comparison.waiting.clear);
    ws_comparison_free(&comparison);
}

static void test_student(void **state)
{
    (void)state;
    assert_near(ws_student(1), 12.706);
    assert_near(ws_student(4), 2.776);
    assert_near(ws_student(20), 2.086);
    assert_near(ws_student(1000), 2.086);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gone_new_better_worse_same),
        cmocka_unit_test(test_a_run_with_itself),
        cmocka_unit_test(test_the_threshold_makes_no_news),
        cmocka_unit_test(test_what_a_file_does_not_tell),
        cmocka_unit_test(test_a_slow_machine_makes_no_problem_worse),
        cmocka_unit_test(test_nearly_all_is_waiting),
        cmocka_unit_test(test_other_numbers_of_ranks),
        cmocka_unit_test(test_what_makes_it_doubtful),
        cmocka_unit_test(test_several_runs_tell_what_chance_makes),
        cmocka_unit_test(test_a_problem_of_one_run_of_several),
        cmocka_unit_test(test_empty_reports),
        cmocka_unit_test(test_student),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
