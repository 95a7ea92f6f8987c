/* POP efficiencies beside values computed by hand. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diagnosis/efficiency.h"
#include "diagnosis/phase_times.h"

#include <string.h>

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

static void test_parts_of_communication(void **state)
{
    /* Four ranks in 10: the busiest computes 8, and an ideal network leaves 9: 1 lost to the order, 1 to transfers. */
    struct ws_efficiency efficiency = ws_efficiency_of((double[]){8, 4, 6, 2}, 4, 10);

    (void)state;
    assert_false(efficiency.replayed);
    ws_efficiency_replayed(&efficiency, 10, 9);
    assert_true(efficiency.replayed);
    assert_near(efficiency.serialisation, 8. / 9);
    assert_near(efficiency.transfer, 0.9);
    assert_near(efficiency.communication, efficiency.serialisation * efficiency.transfer);
    /* A replay is never longer than the run, nor shorter than what one rank computes. */
    ws_efficiency_replayed(&efficiency, 10, 10.01);
    assert_near(efficiency.transfer, 1);
    ws_efficiency_replayed(&efficiency, 10, 7.99);
    assert_near(efficiency.serialisation, 1);
}

/* ---- phases ---- */

#define PHASES 3
static const struct ws_phase both_work[] = {{40 * MS, "work"}, {80 * MS, "write"}};
static const struct ws_phase twice[] = {{10 * MS, "work"}, {20 * MS, "write"}, {50 * MS, "work"}};

struct fixture {
    struct ws_trace_rank ranks[2];
    struct ws_trace_info info;
    struct ws_phase_times times;
    struct ws_phase_problems phases[PHASES];
};

/* Rank 0 works from 40 to 80 and writes to 100; rank 1 works from 10 to 20 and from 50 to 100, and writes between. */
static void set_up(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->ranks[0] = rank(0, 100, 0, 0, 1);
    fixture->ranks[0].phases = both_work;
    fixture->ranks[0].phase_count = 2;
    fixture->ranks[1] = rank(0, 100, 0, 0, 1);
    fixture->ranks[1].phases = twice;
    fixture->ranks[1].phase_count = 3;
    fixture->info = (struct ws_trace_info){.ranks = 2, .rank = fixture->ranks};
    fixture->phases[0].name = "";
    fixture->phases[1].name = "work";
    fixture->phases[2].name = "write";
    ws_phase_times_init(&fixture->times, &fixture->info);
}

static void test_phases_that_begin_at_different_times(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    ws_phase_times_call(&f.times, 0, 50 * MS, 60 * MS); /* work: 10 of rank 0's 40 */
    ws_phase_times_call(&f.times, 1, 60 * MS, 90 * MS); /* and 30 of rank 1's 60 */
    ws_phase_times_call(&f.times, 1, 20 * MS, 25 * MS); /* write: 5 of 30 */
    ws_phase_times_call(&f.times, 0, 30 * MS, 45 * MS); /* 10 before the first mark, 5 of work */
    ws_phase_times_call(&f.times, 7, 0, 45 * MS);       /* nobody */
    ws_phase_times_fill(&f.times, NULL, f.phases, PHASES);
    /* Before the first mark: 30 of 40, 10 of 10; T is 40. */
    assert_efficiency(f.phases[0].efficiency, 0.5, 2. / 3, 0.75);
    /* Work: 25 of 40, and 30 of 60 in two parts; T is 60. */
    assert_efficiency(f.phases[1].efficiency, 27.5 / 60, 27.5 / 30, 0.5);
    /* Write: 20 of 20, 25 of 30; T is 30. */
    assert_efficiency(f.phases[2].efficiency, 0.75, 0.9, 25. / 30);
    assert_false(f.phases[0].efficiency.replayed);
    ws_phase_times_free(&f.times);
}

static void test_phases_on_an_ideal_network(void **state)
{
    /* By rank: before the first mark, work, write; before, work, write, work. */
    const int64_t ideal_ns[] = {30 * MS, 36 * MS, 20 * MS, 10 * MS, 10 * MS, 25 * MS, 40 * MS};
    struct fixture f;

    (void)state;
    set_up(&f);
    ws_phase_times_call(&f.times, 1, 60 * MS, 90 * MS);
    ws_phase_times_fill(&f.times, ideal_ns, f.phases, PHASES);
    /* Work: the most useful rank is 0 with 40 of T 60; T_id is that of rank 1, 50. */
    assert_efficiency(f.phases[1].efficiency, 35. / 60, 35. / 40, 40. / 60);
    assert_near(f.phases[1].efficiency.serialisation, 0.8);
    assert_near(f.phases[1].efficiency.transfer, 50. / 60);
    ws_phase_times_free(&f.times);
}

static void test_phases_of_some_ranks(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    f.ranks[1].phase_count = 0; /* never works: its time is no part of that phase */
    ws_phase_times_free(&f.times);
    ws_phase_times_init(&f.times, &f.info);
    ws_phase_times_call(&f.times, 0, 60 * MS, 70 * MS);
    ws_phase_times_fill(&f.times, NULL, f.phases, PHASES);
    assert_efficiency(f.phases[1].efficiency, 0.75, 1, 0.75);
    ws_phase_times_free(&f.times);
}

static void test_phases_with_time_of_no_one(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    f.ranks[1].stopped_ns = MS;
    ws_phase_times_fill(&f.times, NULL, f.phases, PHASES);
    assert_false(f.phases[1].efficiency.known);
    f.ranks[1].stopped_ns = 0;
    f.info.counted_count = 1;
    ws_phase_times_fill(&f.times, NULL, f.phases, PHASES);
    assert_false(f.phases[1].efficiency.known);
    ws_phase_times_free(&f.times);
}

static void test_damaged_marks(void **state)
{
    static const struct ws_phase damaged[] = {{INT64_MAX, "b"}, {INT64_MIN, "a"}, {50 * MS, "b"}};
    struct ws_phase_problems phases[] = {{.name = "b"}, {.name = "a"}};
    struct fixture f;

    (void)state;
    set_up(&f);
    ws_phase_times_free(&f.times);
    f.ranks[1].phases = damaged;
    f.ranks[1].begin_ns = INT64_MIN;
    f.ranks[1].end_ns = INT64_MAX;
    ws_phase_times_init(&f.times, &f.info);
    ws_phase_times_call(&f.times, 1, INT64_MIN, INT64_MAX);
    ws_phase_times_call(&f.times, 1, 90 * MS, 10 * MS);
    ws_phase_times_fill(&f.times, NULL, phases, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_true(phases[i].efficiency.parallel >= 0 && phases[i].efficiency.parallel <= 1);
        assert_true(phases[i].efficiency.communication >= 0 && phases[i].efficiency.communication <= 1);
    }
    ws_phase_times_free(&f.times);
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
        cmocka_unit_test(test_parts_of_communication),
        cmocka_unit_test(test_phases_that_begin_at_different_times),
        cmocka_unit_test(test_phases_on_an_ideal_network),
        cmocka_unit_test(test_phases_of_some_ranks),
        cmocka_unit_test(test_phases_with_time_of_no_one),
        cmocka_unit_test(test_damaged_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
