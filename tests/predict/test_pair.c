/* Two nodes compared by kernels whose times follow from known costs. */
#include "synthetic.h"

struct story {
    uint64_t seed;
    struct ws_calibration kernels;
    struct synthetic_node reference, target;
    struct ws_pair pair;
};

static void begin(struct story *story, double own, double noise, double slower, bool unlike)
{
    double common[KERNELS];

    make_kernels(&story->kernels, &story->seed);
    make_node(&story->reference, "reference", 1, NULL);
    make_node(&story->target, "target", slower, unlike ? &story->seed : NULL);
    for (size_t i = 0; i < KERNELS; i++)
        common[i] = own * random_normal(&story->seed);
    time_kernels(&story->reference, &story->kernels, common, noise, &story->seed);
    time_kernels(&story->target, &story->kernels, common, noise, &story->seed);
    assert_true(ws_pair_fit(&story->kernels, &story->reference.node, &story->target.node, 0.9, &story->pair));
}

static void end(struct story *story)
{
    ws_pair_free(&story->pair);
    ws_node_free(&story->reference.node);
    ws_node_free(&story->target.node);
    ws_arena_free(&story->kernels.arena);
}

/* Without noise the times of programs that no kernel resembles follow from the costs. */
static void test_costs_are_found(void **state)
{
    struct story story = {.seed = 3};
    (void)state;

    begin(&story, 0, 0, 2.5, true);
    assert_true(story.pair.error < 0.02);
    for (int i = 0; i < 20; i++) {
        struct ws_work work = random_work(&story.seed);
        double reference_s = true_time_s(&story.reference, &work),
               target_s = true_time_s(&story.target, &work);
        double estimate_s = ws_pair_transfer_s(&story.pair, &work, 1, reference_s);
        assert_true(fabs(log(estimate_s / target_s)) < 0.03);
    }
    end(&story);
}

/* A node that is twice as slow at everything: what the kernels do that the model does not know is carried
 * over fully. */
static void test_a_similar_node(void **state)
{
    struct story story = {.seed = 4};
    (void)state;

    begin(&story, 0.3, 0.005, 2, false);
    assert_true(fabs(story.pair.node_factor - 2) < 0.02);
    assert_true(story.pair.error < 0.02);
    assert_true(story.pair.error <=
                story.pair.factor_error + 1e-12); /* the factor alone is among what is tried */
    end(&story);
}

/* Intervals of 90 % hold the true time of about as many programs, over many nodes; those of noisy nodes are
 * wider. */
static void test_intervals_cover(void **state)
{
    size_t within = 0, programs = 0;
    double widths[2] = {0, 0};
    (void)state;

    for (uint64_t turn = 0; turn < 8; turn++) {
        struct story story = {.seed = 100 + turn};
        double noise = turn % 2 ? 0.15 : 0.02;
        begin(&story, 0.1, noise, 3, true);
        widths[turn % 2] += story.pair.half_width;
        for (int i = 0; i < 50; i++, programs++) {
            struct ws_work work = random_work(&story.seed);
            double own = 0.1 * random_normal(&story.seed);
            double reference_s =
                true_time_s(&story.reference, &work) * exp(own + noise * random_normal(&story.seed));
            double target_s =
                true_time_s(&story.target, &work) * exp(own + noise * random_normal(&story.seed));
            double estimate_s = ws_pair_transfer_s(&story.pair, &work, 1, reference_s);
            within += fabs(log(target_s / estimate_s)) <= story.pair.half_width;
        }
        end(&story);
    }
    assert_true(within >= 0.84 * (double)programs && within <= 0.97 * (double)programs);
    assert_true(widths[1] > 1.5 * widths[0]);
}

static void test_what_lies_outside(void **state)
{
    struct story story = {.seed = 5};
    struct ws_work work;
    enum ws_column column;
    (void)state;

    begin(&story, 0, 0.01, 2, false);
    work = story.kernels.works[0]; /* a program that does what three kernels do */
    for (size_t i = 0; i < WS_WORK_COUNTS; i++)
        work.counts[i] += story.kernels.works[1].counts[i] + 3 * story.kernels.works[2].counts[i];
    for (size_t i = 0; i < work.curve_count; i++) {
        work.curve[i].misses +=
            story.kernels.works[1].curve[i].misses + 3 * story.kernels.works[2].curve[i].misses;
        work.curve[i].regular +=
            story.kernels.works[1].curve[i].regular + 3 * story.kernels.works[2].curve[i].regular;
    }
    assert_true(ws_pair_outside(&story.pair, &work, &column) < 1e-6);
    work = (struct ws_work){.counts[WS_COLUMN_INTEGER] = 1e8, .counts[WS_COLUMN_IO_SESSIONS] = 1e6};
    assert_true(ws_pair_outside(&story.pair, &work, &column) > 0.9); /* no kernel reads or writes */
    assert_int_equal(column, WS_COLUMN_IO_SESSIONS);
    for (size_t i = 0; i < WS_COLUMNS; i++) { /* a kernel itself lies within */
        assert_true(ws_pair_outside(&story.pair, &story.kernels.works[i], &column) < 1e-6);
    }
    end(&story);
}

static void test_too_few_kernels(void **state)
{
    uint64_t seed = 6;
    struct ws_calibration kernels;
    struct synthetic_node reference, target;
    struct ws_pair pair;
    (void)state;

    make_kernels(&kernels, &seed);
    make_node(&reference, "reference", 1, NULL);
    make_node(&target, "target", 2, NULL);
    time_kernels(&reference, &kernels, NULL, 0, &seed);
    assert_false(ws_pair_fit(&kernels, &reference.node, &target.node, 0.9, &pair));
    ws_pair_free(&pair);
    ws_node_free(&reference.node);
    ws_node_free(&target.node);
    ws_arena_free(&kernels.arena);
}

/* Kernels of which nothing but the time is known, or whose times cannot be: numbers, if not good ones. */
static void test_empty_work(void **state)
{
    struct story story = {.seed = 8};
    struct ws_work nothing = {0};
    enum ws_column column;
    (void)state;

    begin(&story, 0, 0.01, 2, true);
    assert_true(ws_pair_transfer_s(&story.pair, &nothing, 1, 1) == 0);
    assert_true(ws_pair_outside(&story.pair, &nothing, &column) == 0);
    end(&story);
}

static void test_a_ladder(void **state)
{
    struct synthetic_node made;
    struct ws_work work = {.curve_count = 2, .curve = {{8192, 1000, 400}, {1 << 20, 10, 10}}};
    (void)state;

    make_node(&made, "node", 1, NULL);
    assert_true(ws_ladder_latency_s(&made.node, false, 1000) == 1e-9);
    assert_true(ws_ladder_latency_s(&made.node, false, 524288) == 4e-9);
    assert_true(ws_ladder_latency_s(&made.node, true, 1e15) == 90e-9); /* there are no huge pages */
    assert_true(fabs(ws_ladder_latency_s(&made.node, false, sqrt(16384.0 * 524288)) - 2e-9) < 1e-15);
    assert_true(ws_work_misses(&work, 100).misses == 1000);
    assert_true(ws_work_misses(&work, 1e12).misses == 10);
    assert_true(ws_work_misses(&work, 100000).misses < 1000 && ws_work_misses(&work, 100000).misses > 10);
    made.node.ladder_count = 0; /* then the characteristics tell */
    made.node.characteristics[WS_L1_LATENCY] = 1e-9;
    made.node.characteristics[WS_L2_LATENCY] = 5e-9;
    made.node.characteristics[WS_MEMORY_LATENCY] = 100e-9;
    assert_true(ws_ladder_latency_s(&made.node, false, 32768) == 1e-9);
    assert_true(ws_ladder_latency_s(&made.node, false, 32769) == 5e-9);
    assert_true(ws_ladder_latency_s(&made.node, false, 1e9) == 100e-9);
    ws_node_free(&made.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_are_found), cmocka_unit_test(test_a_similar_node),
        cmocka_unit_test(test_intervals_cover), cmocka_unit_test(test_what_lies_outside),
        cmocka_unit_test(test_too_few_kernels), cmocka_unit_test(test_empty_work),
        cmocka_unit_test(test_a_ladder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
