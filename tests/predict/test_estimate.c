/* Estimates put together: which model, what is told beside the number, and what is said of questions that
 * have no answer. */
#include "synthetic.h"

#include "predict/model/estimate.h"

struct story {
    uint64_t seed;
    struct ws_calibration kernels;
    struct synthetic_node reference, target;
    struct ws_pair pair;
    struct ws_measured runs[4];
    struct ws_subject subject;
    struct ws_estimate_options options;
    struct ws_arena arena;
    struct ws_estimate *estimates;
    size_t count;
    struct ws_error error;
};

/* Work of the sizes 100, 200, 400, 800 that grows with the cube of the size. */
static void measure(struct story *story)
{
    struct ws_work unit = story->kernels.works[3];

    for (size_t i = 0; i < 4; i++) {
        double size = 100 * pow(2, (double)i), grown = pow(size / 400, 3);
        struct ws_measured *run = &story->runs[i];
        *run = (struct ws_measured){.size = size, .has_work = true, .work = unit};
        for (size_t j = 0; j < WS_WORK_COUNTS; j++)
            run->work.counts[j] *= grown;
        for (size_t j = 0; j < unit.curve_count; j++) {
            run->work.curve[j].misses *= grown;
            run->work.curve[j].regular *= grown;
        }
        run->time_s = true_time_s(&story->reference, &run->work);
        run->parameters[WS_INSTRUCTIONS] = 1e9 * grown;
        run->parameters[WS_INTEGER_SHARE] = 1;
        run->parameters[WS_L1_ACCESSES] = 1e8 * grown;
    }
    story->subject = (struct ws_subject){"./app", "app.json", "x86_64", story->runs, 4};
}

static void begin(struct story *story)
{
    *story = (struct story){.seed = 21, .options = WS_ESTIMATE_DEFAULTS};
    make_kernels(&story->kernels, &story->seed);
    make_node(&story->reference, "here", 1, NULL);
    make_node(&story->target, "there", 3, &story->seed);
    time_kernels(&story->reference, &story->kernels, NULL, 0.01, &story->seed);
    time_kernels(&story->target, &story->kernels, NULL, 0.01, &story->seed);
    ws_pair_fit(&story->kernels, &story->reference.node, &story->target.node, 0.9, &story->pair);
    measure(story);
}

static void end(struct story *story)
{
    ws_pair_free(&story->pair);
    ws_node_free(&story->reference.node);
    ws_node_free(&story->target.node);
    ws_arena_free(&story->kernels.arena);
    ws_arena_free(&story->arena);
}

static int ask(struct story *story, double size)
{
    return ws_estimate(&story->subject, &story->pair, size, &story->options, &story->arena, &story->estimates,
                       &story->count, &story->error);
}

static double truth(const struct story *story, size_t run)
{
    return true_time_s(&story->target, &story->runs[run].work);
}

static bool warned(const struct ws_estimate *estimate, const char *of)
{
    for (size_t i = 0; i < estimate->warning_count; i++)
        if (strstr(estimate->warnings[i], of))
            return true;
    return false;
}

static void test_all_that_was_measured(void **state)
{
    struct story story;
    double sum = 0;
    (void)state;

    begin(&story);
    story.options.request_s = 3600;
    assert_int_equal(ask(&story, 0), 0);
    assert_int_equal(story.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct ws_estimate *estimate = &story.estimates[i];
        assert_string_equal(estimate->model, "kernels");
        assert_null(estimate->refusal);
        assert_true(fabs(log(estimate->estimate_s / truth(&story, i))) < 0.03);
        assert_true(estimate->low_s < estimate->estimate_s && estimate->estimate_s < estimate->high_s);
        assert_true(estimate->coverage == 0.9 && estimate->reference_s == story.runs[i].time_s);
        assert_true(fabs(estimate->clock_ratio_s - 3 * story.runs[i].time_s) < 1e-9);
        assert_true(estimate->node_factor_s > 0 && estimate->request_s == 3600);
        assert_int_equal(estimate->warning_count, 0);
    }
    for (size_t i = 0; i < story.estimates[0].share_count; i++)
        sum += story.estimates[0].shares[i].share;
    assert_true(fabs(sum - 1) < 1e-9);
    end(&story);
}

static void test_other_sizes(void **state)
{
    struct story story;
    double width;
    (void)state;

    begin(&story);
    assert_int_equal(ask(&story, 300), 0);
    assert_non_null(story.estimates->size_form);
    assert_false(story.estimates->extrapolated);
    assert_true(fabs(log(story.estimates->estimate_s / (truth(&story, 2) * pow(0.75, 3)))) < 0.03);
    width = story.estimates->high_s / story.estimates->low_s;
    assert_int_equal(ask(&story, 1600), 0);
    assert_true(story.estimates->extrapolated &&
                warned(story.estimates, "extrapolated: size 1600 lies beyond"));
    assert_true(fabs(log(story.estimates->estimate_s / (truth(&story, 2) * 64))) < 0.05);
    assert_true(story.estimates->high_s / story.estimates->low_s > width);
    end(&story);
}

/* The program does something there that the counts do not show: a short run tells. */
static void test_an_anchor(void **state)
{
    struct story story;
    (void)state;

    begin(&story);
    story.options.anchor_size = 100;
    story.options.anchor_s = 1.5 * truth(&story, 0);
    assert_int_equal(ask(&story, 800), 0);
    assert_true(fabs(log(story.estimates->estimate_s / (1.5 * truth(&story, 3)))) < 0.03);
    assert_true(fabs(story.estimates->anchor_factor - 1.5) < 0.05);
    assert_int_equal(story.estimates->warning_count, 0);
    story.options.anchor_s *= 8;
    assert_int_equal(ask(&story, 800), 0);
    assert_true(warned(story.estimates, "is its size 100?"));
    end(&story);
}

/* "paper": (3) and (6) with numbers for which they are simple: 1e9 instructions at 3e9 and 1e9 a second, and
 * so on. */
static void test_the_paper(void **state)
{
    struct story story;
    (void)state;

    begin(&story);
    story.options.model = WS_MODEL_PAPER;
    for (size_t i = 0; i < WS_CHARACTERISTICS; i++)
        story.target.node.characteristics[i] = 1e9;
    story.reference.node.characteristics[WS_L1_LATENCY] = 1e-9;
    story.target.node.characteristics[WS_L1_LATENCY] = 5e-9;
    assert_int_equal(ask(&story, 400), 0);
    assert_string_equal(story.estimates->model, "paper");
    assert_true(fabs(story.estimates->estimate_s -
                     story.runs[2].time_s * (1 + 0.1 * (2 + 5)) / (1.0 / 3 + 0.1 * (2.0 / 3 + 1))) < 1e-9);
    assert_true(story.estimates->coverage == 0);
    assert_int_equal(ask(&story, 600), 0); /* stage X */
    assert_string_equal(story.estimates->size_form, "power law");
    assert_true(fabs(story.estimates->estimate_s / story.estimates->power_law_s - 1) < 1e-12);
    end(&story);
}

static void test_less_known_less_told(void **state)
{
    struct story story;
    (void)state;

    begin(&story);
    story.runs[0].has_work = false; /* only its time was measured */
    assert_int_equal(ask(&story, 100), 0);
    assert_string_equal(story.estimates->model, "node factor");
    assert_true(story.estimates->estimate_s == story.estimates->node_factor_s);
    assert_true(warned(story.estimates, "was not counted, only its time"));
    story.runs[0].has_work = true;
    story.pair.kernel_count = 3; /* nodes from data sheets */
    assert_int_equal(ask(&story, 100), 0);
    assert_string_equal(story.estimates->model, "characteristics");
    assert_true(warned(story.estimates, "here and there have fewer than 20 calibration kernels in common"));
    assert_true(fabs(story.estimates->high_s / story.estimates->estimate_s - 2) < 1e-9);
    assert_true(story.estimates->coverage == 0 && story.estimates->node_factor_s == 0);
    story.pair.kernel_count = KERNELS;
    end(&story);
}

static void test_what_is_warned_of(void **state)
{
    struct story story;
    (void)state;

    begin(&story);
    story.target.node.architecture = "riscv64";
    story.runs[0].spread = 0.3;
    assert_int_equal(ask(&story, 100), 0);
    assert_true(warned(story.estimates, "here is x86_64 and there is riscv64: of unlike architectures"));
    assert_true(warned(story.estimates, "the time on here repeats only within 30 %"));
    story.runs[0].work.counts[WS_COLUMN_IO_SESSIONS] = 1e9; /* no kernel reads or writes */
    assert_int_equal(ask(&story, 100), 0);
    assert_true(warned(story.estimates, "that the calibration kernels do not have (most: io_sessions)"));
    assert_non_null(story.estimates->refusal);
    end(&story);
}

static void test_questions_without_an_answer(void **state)
{
    struct story story;
    (void)state;

    begin(&story);
    story.runs[2].size = 200;
    assert_int_equal(ask(&story, 300), -1);
    assert_string_equal(story.error.text,
                        "app.json: runs[2].size: 200 comes after 200; sizes must increase, each once");
    story.runs[2].size = 0;
    assert_int_equal(ask(&story, 300), -1);
    assert_string_equal(
        story.error.text,
        "app.json: runs[2].size is not told, so other sizes cannot be; profile it with --size");
    story.subject.run_count = 1;
    assert_int_equal(ask(&story, 300), -1);
    assert_non_null(strstr(story.error.text, "app.json: one size only, 100, was measured"));
    assert_int_equal(story.error.code, WS_BAD_INPUT);
    assert_int_equal(ask(&story, 100), 0);
    story.subject.run_count = 0;
    assert_int_equal(ask(&story, 0), -1);
    story.subject.run_count = 1;
    story.subject.architecture = "aarch64";
    assert_int_equal(ask(&story, 0), -1);
    assert_non_null(
        strstr(story.error.text, "the program ran on aarch64, but the reference 'here' (here) is x86_64"));
    end(&story);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_that_was_measured),
        cmocka_unit_test(test_other_sizes),
        cmocka_unit_test(test_an_anchor),
        cmocka_unit_test(test_the_paper),
        cmocka_unit_test(test_less_known_less_told),
        cmocka_unit_test(test_what_is_warned_of),
        cmocka_unit_test(test_questions_without_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
