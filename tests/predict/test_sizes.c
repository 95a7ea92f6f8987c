/* Estimates for sizes that were not measured, of a matrix product that outgrows its caches. */
#include "made_up.h"

#include "predict/model/analytic.h"
#include "predict/model/reuse.h"
#include "predict/model/sizes.h"

#include <math.h>

/* n^3 terms; a row (8 n bytes) is used again after n terms, the matrix (8 n^2 bytes) after n^2.  Both reuses
 * spread over a factor of four around that. */
static double outgrown(double used_bytes, double cache_bytes)
{
    return fmin(fmax(0.5 + log(used_bytes / cache_bytes) / log(4), 0), 1);
}

static struct ws_work product(double n)
{
    struct ws_work work = {.curve_count = 13};
    double n3 = n * n * n;

    work.counts[WS_COLUMN_LOADS] = 2 * n3;
    work.counts[WS_COLUMN_STORES] = n * n;
    work.counts[WS_COLUMN_FLOAT] = 2 * n3;
    work.counts[WS_COLUMN_INTEGER] = 2 * n3 + 10 * n * n;
    for (size_t i = 0; i < work.curve_count; i++) {
        double size = 8192 * pow(2, (double)i);
        work.curve[i].size_bytes = size;
        work.curve[i].regular = n3 / 8 * outgrown(8 * n, size);
        work.curve[i].misses = work.curve[i].regular + n3 * outgrown(8 * n * n, size);
    }
    return work;
}

/* A node with a cache of 32 kB and one of 1 MB. */
static double theory(const void *context, const struct ws_work *work)
{
    (void)context;
    return work->counts[WS_COLUMN_INTEGER] * 0.2e-9 + work->counts[WS_COLUMN_FLOAT] * 0.3e-9 +
           ws_work_misses(work, 32768).misses * 3e-9 + ws_work_misses(work, 1 << 20).misses * 20e-9;
}

struct story {
    double sizes[8], times_s[8];
    struct ws_work works[8];
    struct ws_sized sized;
};

static void measure(struct story *story, const double *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        story->sizes[i] = sizes[i];
        story->works[i] = product(sizes[i]);
        story->times_s[i] = 1.2 * theory(NULL, &story->works[i]) + 0.001;
    }
    story->sized = (struct ws_sized){count, story->sizes, story->times_s, story->works};
}

static const double sizes[] = {100, 170, 280, 470, 780, 1300};

static double error_at(const struct story *story, double at, bool counts)
{
    struct ws_size_estimate estimate;
    struct ws_work work = product(at);

    ws_size_estimate(&story->sized, counts ? theory : NULL, NULL, at, &estimate);
    assert_true(estimate.by_counts <= counts);
    assert_true(isfinite(estimate.time_s) && estimate.time_s > 0);
    return fabs(log(estimate.time_s / (1.2 * theory(NULL, &work) + 0.001)));
}

/* Where the matrix outgrows the second cache (n = 360) the times alone tell less than the counts. */
static void test_counts_lead_round_the_corner(void **state)
{
    struct story story;
    double sum = 0, sum_of_times = 0;
    (void)state;

    measure(&story, sizes, 6);
    for (double n = 290; n < 1250; n *= 1.1) {
        sum += error_at(&story, n, true);
        sum_of_times += error_at(&story, n, false);
    }
    assert_true(sum < 0.5 * sum_of_times);
    assert_true(sum / 16 < 0.015);
}

static void test_what_is_told_of_it(void **state)
{
    struct story story;
    struct ws_size_estimate estimate;
    (void)state;

    measure(&story, sizes, 6);
    ws_size_estimate(&story.sized, theory, NULL, 400, &estimate);
    assert_true(estimate.by_counts && !estimate.extrapolated);
    assert_true(estimate.error > 0 && estimate.worst >= estimate.error && estimate.worst < 0.2);
    assert_true(fabs(estimate.power_law_s -
                     story.times_s[0] * pow(4, log(story.times_s[5] / story.times_s[0]) / log(13))) < 1e-9);
    ws_size_estimate(&story.sized, theory, NULL, 2600, &estimate);
    assert_true(estimate.extrapolated);
    assert_true(error_at(&story, 2600, true) < 0.2);
    ws_size_estimate(&story.sized, theory, NULL, 50, &estimate);
    assert_true(estimate.extrapolated);
}

static void test_two_sizes(void **state)
{
    struct story story;
    struct ws_size_estimate estimate;
    (void)state;

    measure(&story, sizes, 2);
    ws_size_estimate(&story.sized, theory, NULL, 130, &estimate);
    assert_true(isnan(estimate.error) && !estimate.by_counts);
    assert_true(fabs(estimate.time_s - estimate.power_law_s) < 1e-12);
}

/* A part of the accesses that lies at 32 kB at the one size and at 2 MB at the other lies at 256 kB between
 * them. */
static void test_distances_are_followed(void **state)
{
    struct ws_work runs[2] = {{.curve_count = 13}, {.curve_count = 13}},
                   work = {.counts[WS_COLUMN_LOADS] = 4000};
    (void)state;

    for (size_t run = 0; run < 2; run++) {
        runs[run].counts[WS_COLUMN_LOADS] = 1000;
        for (size_t i = 0; i < 13; i++) {
            double size = 8192 * pow(2, (double)i), border = run ? 2 << 20 : 32 << 10;
            runs[run].curve[i] = (struct ws_miss_point){size, size < border ? 500 : 0, 0};
        }
    }
    ws_reuse_between(10, &runs[0], 1000, &runs[1], 100, &work);
    assert_true(fabs(ws_work_misses(&work, 64 << 10).misses - 2000) < 1);
    assert_true(fabs(ws_work_misses(&work, 512 << 10).misses) < 1);
    assert_true(ws_work_misses(&work, 64 << 10).regular < 1);
}

/* With only the twelve characteristics: hits of the first level, its misses in sequence and at random, those
 * of memory. */
static void test_only_characteristics(void **state)
{
    static const double h[WS_PARAMETERS] = {1e9, 4e8, 2e7, 2e7, 4e6, 0.9, 0.1, 0, 0, 0, 0};
    struct ws_node node = {
        .characteristics = {3e9, 10e9, 5e9, 50e9, 1e-9, 20e9, 4e-9, 10e9, 80e-9, 5e-3, 1e8, 1e8}};
    struct ws_work none = {0}, work = {.curve_count = 2, .curve = {{32768, 2e7, 1.5e7}, {1 << 20, 4e6, 3e6}}};
    struct ws_analytic_time t = ws_analytic_theory(&node, &none, h);
    (void)state;

    assert_true(fabs(t.compute_s - (0.09 + 0.02)) < 1e-12); /* more than the 0.064 s of 8 bytes an access */
    assert_true(fabs(t.cache_s - 1.6e7 * 4e-9) < 1e-12);
    assert_true(fabs(t.memory_s - 4e6 * 80e-9) < 1e-12);
    assert_true(fabs(t.total_s - t.compute_s - t.cache_s - t.memory_s) < 1e-15);
    t = ws_analytic_theory(&node, &work, h);
    assert_true(fabs(t.cache_s - (1.2e7 * 64 / 20e9 + 4e6 * 4e-9)) < 1e-9);
    assert_true(fabs(t.memory_s - (3e6 * 64 / 10e9 + 1e6 * 80e-9)) < 1e-9);
    node.characteristics[WS_L1_BANDWIDTH] = 10e9;
    assert_true(fabs(ws_analytic_theory(&node, &none, h).compute_s - 0.32) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_lead_round_the_corner),
        cmocka_unit_test(test_what_is_told_of_it),
        cmocka_unit_test(test_two_sizes),
        cmocka_unit_test(test_distances_are_followed),
        cmocka_unit_test(test_only_characteristics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
