/* Times of several clocks are brought to that of rank 0. */
#include "stream_writer.h"

#define SECOND INT64_C(1000000000)

/* Rank 1's clock is `ahead_ns` ahead of rank 0's at rank 0's moment 0, and `ppm` too fast. */
struct unlike {
    int64_t ahead_ns;
    double ppm;
};

static uint64_t shown(struct unlike clock, int64_t ns)
{
    return (uint64_t)(ns + clock.ahead_ns + (int64_t)(clock.ppm * 1e-6 * (double)ns));
}

static void compare(struct writer *w, struct unlike clock, int64_t ns, int64_t error_ns)
{
    write_offset(w, shown(clock, ns), ns - (int64_t)shown(clock, ns) + error_ns, 500);
}

static void barrier(struct writer *w, struct unlike clock, int64_t t, int64_t end)
{
    write_call(w, "MPI_Barrier", 0, shown(clock, t), shown(clock, end));
    write_words(w, BARRIER, WS_COMM_WORLD_ID, 2, 0);
}

/* A barrier each tenth of a second for 10 s on both ranks, rank 1 by its own clock. */
static struct reading two_ranks(struct unlike clock, int comparisons)
{
    struct unlike none = {0, 0};
    struct writer a = writer_open(dir, 0, 0), b = writer_open(dir, 1, 0);

    write_begin(&a, SECOND, 2);
    write_clock(&a, SECOND, 0xA, 1000 * SECOND);
    write_begin(&b, shown(clock, SECOND), 2);
    write_clock(&b, shown(clock, SECOND), 0xB, 1000 * SECOND + 300000);
    if (comparisons)
        compare(&b, clock, SECOND + 1000, 100);
    for (int64_t t = 2 * SECOND; t < 10 * SECOND; t += SECOND / 10) {
        barrier(&a, none, t, t + 5000);
        barrier(&b, clock, t, t + 6000);
    }
    if (comparisons > 1)
        compare(&b, clock, 10 * SECOND, -100);
    write_end(&a, 11 * SECOND);
    write_end(&b, shown(clock, 11 * SECOND));
    writer_close(&a);
    writer_close(&b);
    return read_trace(dir);
}

/* Rank 0's barriers end first of each pair, all at the right time within the error. */
static void assert_events(const struct reading *r, int64_t error_ns)
{
    assert_int_equal(r->count, 160);
    for (size_t i = 0; i < r->count; i++) {
        int64_t t = 2 * SECOND + (int64_t)(i / 2) * SECOND / 10;
        if (error_ns < 1000)
            assert_int_equal(ATTR(r->events[i], PROCESS).i, i % 2);
        if (ATTR(r->events[i], PROCESS).i == 1)
            assert_in_range(ATTR(r->events[i], T).i, t - error_ns, t + error_ns);
        else
            assert_int_equal(ATTR(r->events[i], T).i, t);
        assert_in_range(ATTR(r->events[i], D).i, 4998, 6002);
    }
}

static void an_offset_and_a_drift_are_taken_out(void **state)
{
    static const struct unlike clocks[] = {
        {3600 * SECOND, 0}, {-SECOND / 2, 0}, {3600 * SECOND, 40}, {SECOND, -70}, {0, 100}};

    (void)state;
    for (size_t i = 0; i < COUNT(clocks); i++) {
        struct reading r = two_ranks(clocks[i], 2);
        assert_events(&r, 110); /* what the comparisons were wrong by, and rounding */
        assert_int_equal(ws_trace_info(r.trace)->clocks, 2);
        assert_int_equal(ws_trace_info(r.trace)->clock_error_ns, 500);
        assert_null(find_warning(r.trace, "clock"));
        assert_in_range(ws_trace_info(r.trace)->rank[1].begin_ns, SECOND - 200, SECOND + 200);
        assert_in_range(ws_trace_info(r.trace)->rank[1].end_ns, 11 * SECOND - 200, 11 * SECOND + 200);
        reading_free(&r);
    }
}

static void without_the_second_comparison_the_drift_stays(void **state)
{
    struct reading r = two_ranks((struct unlike){7 * SECOND, 10}, 1);

    (void)state;
    assert_events(&r, 100000); /* 10 s of 10 parts in a million */
    assert_non_null(
        find_warning(r.trace, "the clock of rank 1 was compared with rank 0's at the start only"));
    reading_free(&r);
}

static void without_any_comparison_the_times_of_day_are_taken(void **state)
{
    struct reading r = two_ranks((struct unlike){7 * SECOND, 0}, 0);

    (void)state;
    assert_events(&r, 300000); /* what the times of day differ by */
    assert_int_equal(ws_trace_info(r.trace)->clock_error_ns, 0);
    assert_non_null(find_warning(r.trace, "only the time of day"));
    reading_free(&r);
}

static void processes_of_one_clock_stay_as_they_are(void **state)
{
    struct writer a = writer_open(dir, 0, 0), b = writer_open(dir, 1, 0);
    struct unlike none = {0, 0};
    struct reading r;

    (void)state;
    write_begin(&a, 100, 2);
    write_clock(&a, 100, 0xA, 5000);
    barrier(&a, none, 200, 300);
    write_begin(&b, 100, 2);
    write_clock(&b, 110, 0xA, 999999);
    barrier(&b, none, 210, 310);
    writer_close(&a);
    writer_close(&b);
    r = read_trace(dir);
    assert_int_equal(r.count, 2);
    assert_int_equal(ATTR(r.events[0], T).i, 200);
    assert_int_equal(ATTR(r.events[1], T).i, 210);
    assert_int_equal(ws_trace_info(r.trace)->clocks, 1);
    assert_null(find_warning(r.trace, "clock"));
    reading_free(&r);
}

/* Whatever a damaged trace says, times stay times and in order. */
static void impossible_comparisons_do_no_harm(void **state)
{
    static const int64_t offsets[] = {INT64_MAX, INT64_MIN, INT64_MAX / 4, -INT64_MAX / 4, -1000};

    (void)state;
    for (size_t i = 0; i < COUNT(offsets); i++) {
        struct writer w = writer_open(dir, 1, 0);
        struct unlike none = {0, 0};
        struct reading r;
        write_begin(&w, 100, 2);
        write_clock(&w, 100, 0xB, UINT64_MAX);
        write_offset(&w, 110, 5, UINT64_MAX / 2);
        write_offset(&w, 110, offsets[i], 5);
        barrier(&w, none, 120, 130);
        barrier(&w, none, 140, 150);
        write_offset(&w, 160, (int64_t)(0 - (uint64_t)offsets[i]), 5);
        writer_close(&w);
        r = read_trace(dir);
        assert_int_equal(r.count, 2);
        for (size_t k = 0; k < r.count; k++)
            assert_true(ATTR(r.events[k], T).i >= 0 && ATTR(r.events[k], D).i >= 0);
        assert_true(ATTR(r.events[0], END).i <= ATTR(r.events[1], END).i);
        reading_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_offset_and_a_drift_are_taken_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_the_second_comparison_the_drift_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_any_comparison_the_times_of_day_are_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(processes_of_one_clock_stay_as_they_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(impossible_comparisons_do_no_harm, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
