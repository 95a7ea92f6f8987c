/* POP efficiencies beside values computed by hand. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diagnosis/efficiency.h"

#define MS INT64_C(1000000)
static void assert_near(double a, double b)
{
    assert_true(a > b - 1e-12 && a < b + 1e-12);
}

static void assert_efficiency(struct ws_efficiency efficiency, double parallel, double balance,
                              double communication)
{
    assert_true(efficiency.known);
    assert_near(efficiency.parallel, parallel);
    assert_near(efficiency.load_balance, balance);
    assert_near(efficiency.communication, communication);
    assert_near(efficiency.parallel, efficiency.load_balance * efficiency.communication);
}

static void test_four_ranks(void **state)
{
    const double useful[] = {8, 4, 6, 2}; /* mean 5 of most 8; of 10 */
    (void)state;
    assert_efficiency(ws_efficiency_of(useful, 4, 10), 0.5, 0.625, 0.8);
}

static void test_nothing_lost(void **state)
{
    const double useful[] = {3, 3};
    (void)state;
    assert_efficiency(ws_efficiency_of(useful, 2, 3), 1, 1, 1);
}

static void test_nothing_useful_is_not_known(void **state)
{
    const double useful[] = {0, 0};
    (void)state;
    assert_false(ws_efficiency_of(useful, 2, 3).known);
    assert_false(ws_efficiency_of(useful, 0, 3).known);
    assert_false(ws_efficiency_of(useful, 2, 0).known);
}

/* Times in ms. */
static struct ws_trace_rank rank(int64_t begin, int64_t end, int64_t calls, int64_t stopped, uint32_t threads)
{
    return (struct ws_trace_rank){.present = true,
                                  .begin_ns = begin * MS,
                                  .end_ns = end * MS,
                                  .call_ns = calls * MS,
                                  .stopped_ns = stopped * MS,
                                  .threads = threads};
}

static struct ws_efficiency of(const struct ws_trace_rank *ranks, uint32_t count)
{
    const struct ws_trace_info info = {.ranks = count, .rank = ranks};
    return ws_efficiency_of_run(&info);
}

static void test_ranks_of_a_trace(void **state)
{
    /* The run goes from 1000 to 1100; useful 80 and 40. */
    const struct ws_trace_rank ranks[] = {rank(1000, 1090, 10, 0, 1), rank(1010, 1100, 50, 0, 1)};
    (void)state;
    assert_efficiency(of(ranks, 2), 0.6, 0.75, 0.8);
}

static void test_a_rank_without_a_stream_does_not_count(void **state)
{
    const struct ws_trace_rank ranks[] = {{0}, rank(0, 100, 20, 0, 1), {.present = true}};
    (void)state;
    assert_efficiency(of(ranks, 3), 0.8, 1, 0.8);
}

static void test_threads_share_their_rank(void **state)
{
    /* Two threads, in calls for 30 and 90 of 100: useful (70 + 10) / 2. */
    const struct ws_trace_rank ranks[] = {rank(0, 100, 120, 0, 2)};
    (void)state;
    assert_efficiency(of(ranks, 1), 0.4, 1, 0.4);
}

static void test_stopped_is_no_part_of_the_run(void **state)
{
    /* 200, of which 100 were not recorded; rank 1 stopped for longer. */
    const struct ws_trace_rank ranks[] = {rank(0, 200, 50, 100, 1), rank(0, 200, 20, 120, 1)};
    (void)state;
    assert_efficiency(of(ranks, 2), 0.55, 55. / 60, 0.6);
}

static void test_damage_stays_within_bounds(void **state)
{
    struct ws_trace_rank ranks[] = {rank(0, 100, 300, 0, 1), rank(0, 100, 20, 0, 1)};
    struct ws_efficiency efficiency;

    (void)state;
    assert_efficiency(of(ranks, 2), 0.4, 0.5, 0.8);
    ranks[0].begin_ns = INT64_MIN;
    ranks[0].end_ns = INT64_MAX;
    efficiency = of(ranks, 2);
    assert_true(efficiency.parallel >= 0 && efficiency.parallel <= 1);
    assert_true(efficiency.communication >= 0 && efficiency.communication <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_ranks),
        cmocka_unit_test(test_nothing_lost),
        cmocka_unit_test(test_nothing_useful_is_not_known),
        cmocka_unit_test(test_ranks_of_a_trace),
        cmocka_unit_test(test_a_rank_without_a_stream_does_not_count),
        cmocka_unit_test(test_threads_share_their_rank),
        cmocka_unit_test(test_stopped_is_no_part_of_the_run),
        cmocka_unit_test(test_damage_stays_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
