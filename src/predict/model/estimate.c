#include "predict/model/estimate.h"

#include "predict/model/analytic.h"
#include "predict/model/sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Work of which more lies outside what the kernels span is told, or not estimated at all. */
#define WARN_OUTSIDE 0.1
#define REFUSE_OUTSIDE 0.6
/* A run that repeats no better is told. */
#define WARN_SPREAD 0.1
/* What following a size may be off by where too few sizes were measured to try, ln. */
#define UNTRIED_SIZE 0.25

struct question {
    const struct ws_subject *subject;
    const struct ws_pair *pair;
    const struct ws_node *reference, *target;
    const struct ws_estimate_options *options;
    struct ws_arena *arena;
};

__attribute__((format(printf, 3, 4))) static void warn(const struct question *question,
                                                       struct ws_estimate *estimate, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (estimate->warning_count < WS_MOST_ESTIMATE_WARNINGS)
        estimate->warnings[estimate->warning_count++] = ws_arena_strdup(question->arena, text);
}

/* ---- models: each estimates a run, and tells ln of how far off it may be, or 0 where nothing measured says
 * it ---- */

static void set_shares(struct ws_estimate *estimate, const char *const *names, const double *seconds,
                       size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += seconds[i];
    estimate->share_count = 0;
    for (size_t i = 0; i < count && sum > 0; i++)
        if (seconds[i] > 0)
            estimate->shares[estimate->share_count++] = (struct ws_share){names[i], seconds[i] / sum};
}

/* Stages V and IX of the methodology: what the run took longer than theory said it does on the target, too. */
static void transfer(const struct ws_measured *run, double reference_s, double target_s, struct ws_estimate *estimate)
{
    estimate->exponent = 1;
    estimate->correction = reference_s > 0 ? run->time_s / reference_s : 0;
    estimate->estimate_s = ws_paper_transfer(run->time_s, reference_s, target_s);
}

static double by_paper(const struct question *question, const struct ws_measured *run,
                       struct ws_estimate *estimate)
{
    static const char *const names[] = {"cpu", "l1", "l2", "memory", "disk"};
    struct ws_paper_time reference = ws_paper_theory(question->reference->characteristics, run->parameters);
    struct ws_paper_time target = ws_paper_theory(question->target->characteristics, run->parameters);
    const double seconds[] = {target.cpu_s, target.l1_s, target.l2_s, target.memory_s, target.disk_s};

    estimate->model = "paper";
    transfer(run, reference.total_s, target.total_s, estimate);
    set_shares(estimate, names, seconds, sizeof seconds / sizeof *seconds);
    return 0;
}

static double by_characteristics(const struct question *question, const struct ws_measured *run,
                                 struct ws_estimate *estimate)
{
    static const char *const names[] = {"compute", "cache", "memory"};
    struct ws_analytic_time reference = ws_analytic_theory(question->reference, &run->work, run->parameters);
    struct ws_analytic_time target = ws_analytic_theory(question->target, &run->work, run->parameters);
    const double seconds[] = {target.compute_s, target.cache_s, target.memory_s};

    estimate->model = "characteristics";
    transfer(run, reference.total_s, target.total_s, estimate);
    set_shares(estimate, names, seconds, sizeof seconds / sizeof *seconds);
    return 0;
}

/* The kinds of work, and starting the processes. */
static void set_kernel_shares(const struct question *question, const struct ws_measured *run,
                              struct ws_estimate *estimate)
{
    const struct ws_side *target = &question->pair->target;
    const char *names[WS_COLUMNS + 1];
    double seconds[WS_COLUMNS + 1], theory_s = ws_side_time_s(target, &run->work, seconds);
    double start_s = ws_pair_start_s(target, run->processes, estimate->estimate_s);

    for (size_t j = 0; j < WS_COLUMNS; j++) {
        names[j] = ws_column_names[j];
        seconds[j] *= theory_s > 0 ? (estimate->estimate_s - start_s) / theory_s : 0;
    }
    names[WS_COLUMNS] = "start";
    seconds[WS_COLUMNS] = start_s;
    set_shares(estimate, names, seconds, WS_COLUMNS + 1);
}

static double by_kernels(const struct question *question, const struct ws_measured *run,
                         struct ws_estimate *estimate)
{
    const struct ws_pair *pair = question->pair;
    double seconds[WS_COLUMNS], theory_s = ws_side_time_s(&pair->reference, &run->work, seconds);
    enum ws_column missing;

    estimate->model = "kernels";
    estimate->exponent = pair->exponent;
    estimate->correction =
        theory_s > 0
            ? (run->time_s - ws_pair_start_s(&pair->reference, run->processes, run->time_s)) / theory_s
            : 0;
    estimate->estimate_s = ws_pair_transfer_s(pair, &run->work, run->processes, run->time_s);
    set_kernel_shares(question, run, estimate);
    estimate->outside = ws_pair_outside(question->pair, &run->work, &missing);
    if (estimate->outside > WARN_OUTSIDE)
        warn(question, estimate,
             "%.0f %% of the work is of a kind, or in proportions, that the calibration kernels do not have "
             "(most: %s)",
             estimate->outside * 100, ws_column_names[missing]);
    if (estimate->outside > REFUSE_OUTSIDE)
        estimate->refusal =
            "most of its work is of kinds that the calibration kernels do not have: a run on the target "
            "is needed (--anchor), or another reference";
    return hypot(question->pair->half_width, run->spread) - log(1 - fmin(estimate->outside, REFUSE_OUTSIDE));
}

static double by_factor(const struct question *question, const struct ws_measured *run,
                        struct ws_estimate *estimate)
{
    bool known = question->pair->kernel_count >= WS_LEAST_KERNELS;

    estimate->model = known ? "node factor" : "clock ratio";
    estimate->exponent = 1;
    estimate->estimate_s = known ? estimate->node_factor_s : estimate->clock_ratio_s;
    warn(question, estimate,
         "what the program does was not counted, only its time: one factor stands for both nodes");
    return known ? hypot(question->pair->factor_half_width, run->spread) : 0;
}

static double by_best(const struct question *question, const struct ws_measured *run,
                      struct ws_estimate *estimate)
{
    if (!run->has_work)
        return by_factor(question, run, estimate);
    if (question->pair->kernel_count >= WS_LEAST_KERNELS)
        return by_kernels(question, run, estimate);
    warn(question, estimate,
         "%s and %s have fewer than %d calibration kernels in common: their characteristics alone are "
         "compared, and "
         "nothing measured says how well",
         question->reference->name, question->target->name, WS_LEAST_KERNELS);
    return by_characteristics(question, run, estimate);
}

/* ---- a run ---- */

static void set_baselines(const struct question *question, double reference_s, struct ws_estimate *estimate)
{
    const double *reference = question->reference->characteristics,
                 *target = question->target->characteristics;

    estimate->clock_ratio_s = reference_s * reference[WS_CLOCK] / target[WS_CLOCK];
    if (question->pair->kernel_count >= WS_LEAST_KERNELS)
        estimate->node_factor_s = reference_s * question->pair->node_factor;
    estimate->request_s = question->options->request_s;
}

/* half_width 0: nothing measured says how good it is. */
static void set_interval(const struct question *question, double half_width, double further,
                         struct ws_estimate *estimate)
{
    estimate->coverage = half_width > 0 ? question->options->coverage : 0;
    if (!(half_width > 0))
        half_width = log(WS_ANALYTIC_UNCERTAINTY);
    half_width = fmin(half_width + further, 20);
    estimate->low_s = estimate->estimate_s * exp(-half_width);
    estimate->high_s = estimate->estimate_s * exp(half_width);
}

static void check_number(struct ws_estimate *estimate)
{
    if (estimate->refusal || (estimate->estimate_s > 0 && isfinite(estimate->high_s)))
        return;
    estimate->refusal = "the model knows no time for any of its work";
}

static void warn_of_nodes(const struct question *question, struct ws_estimate *estimate)
{
    const char *a = question->reference->architecture, *b = question->target->architecture;

    if (a[0] && b[0] && strcmp(a, b) != 0)
        warn(question, estimate,
             "%s is %s and %s is %s: of unlike architectures the counts of the one stand for those of the "
             "other",
             question->reference->name, a, question->target->name, b);
}

static struct ws_estimate begin_estimate(const struct question *question, double size)
{
    return (struct ws_estimate){.program = question->subject->program,
                                .reference = question->reference->name,
                                .target = question->target->name,
                                .size = size,
                                .anchor_factor = 1,
                                .size_error = NAN};
}

static double run_model(const struct question *question, const struct ws_measured *run,
                        struct ws_estimate *estimate)
{
    return question->options->model == WS_MODEL_PAPER ? by_paper(question, run, estimate)
                                                      : by_best(question, run, estimate);
}

static struct ws_estimate estimate_run(const struct question *question, const struct ws_measured *run)
{
    struct ws_estimate estimate = begin_estimate(question, run->size);
    double half_width;

    estimate.reference_s = run->time_s;
    set_baselines(question, run->time_s, &estimate);
    half_width = run_model(question, run, &estimate);
    if (run->spread > WARN_SPREAD)
        warn(question, &estimate,
             "the time on %s repeats only within %.0f %%: a quieter machine, or more repeats, "
             "would tell more",
             question->reference->name, run->spread * 100);
    warn_of_nodes(question, &estimate);
    set_interval(question, half_width, 0, &estimate);
    check_number(&estimate);
    return estimate;
}

/* ---- a size that was not measured ---- */

struct series {
    double *sizes, *times_s, *reference_s;
    struct ws_work *works;
    bool has_works;
    size_t count;
};

static void series_free(struct series *series)
{
    free(series->sizes);
    free(series->times_s);
    free(series->reference_s);
    free(series->works);
}

static struct series series_of(const struct question *question)
{
    size_t count = question->subject->run_count;
    struct series series = {ws_alloc_array(count, sizeof(double)),
                            ws_alloc_array(count, sizeof(double)),
                            ws_alloc_array(count, sizeof(double)),
                            ws_alloc_array(count, sizeof *series.works),
                            true,
                            0};

    for (size_t i = 0; i < count; i++) {
        const struct ws_measured *run = &question->subject->runs[i];
        struct ws_estimate estimate = estimate_run(question, run);
        series.sizes[i] = run->size;
        series.times_s[i] = estimate.refusal ? 0 : estimate.estimate_s;
        series.reference_s[i] = run->time_s;
        series.works[i] = run->work;
        series.has_works = series.has_works && run->has_work;
        series.count += !estimate.refusal;
    }
    return series;
}

static double theory_on_target(const void *context, const struct ws_work *work)
{
    const struct ws_pair *pair = context;
    double seconds[WS_COLUMNS];

    return ws_side_time_s(&pair->target, work, seconds);
}

static double followed_reference_s(const struct series *series, double size)
{
    struct ws_growth growth;
    double time_s;

    ws_growth_fit(series->sizes, series->reference_s, series->count, size, &growth);
    time_s = ws_growth_at(&growth, size);
    ws_growth_free(&growth);
    return time_s;
}

/* How far off the size alone may bring the estimate, ln: what was seen of sizes left out, more beyond those
 * measured. */
static double size_width(const struct series *series, double size, const struct ws_size_estimate *sized)
{
    double first = series->sizes[0], last = series->sizes[series->count - 1];
    double beyond = fmax(log(first / size), log(size / last)),
           width = isnan(sized->worst) ? UNTRIED_SIZE : sized->worst;

    return beyond > 0 ? width * (1 + 2 * beyond / log(last / first)) + 0.05 : width;
}

static void describe_size(const struct question *question, const struct series *series,
                          const struct ws_size_estimate *sized, struct ws_estimate *estimate)
{
    estimate->size_form = sized->form;
    estimate->by_counts = sized->by_counts;
    estimate->extrapolated = sized->extrapolated;
    estimate->size_error = sized->error;
    estimate->power_law_s = sized->power_law_s;
    if (sized->extrapolated)
        warn(question, estimate, "extrapolated: size %g lies beyond those that were measured, %g to %g",
             estimate->size, series->sizes[0], series->sizes[series->count - 1]);
    if (isnan(sized->error))
        warn(question, estimate,
             "%zu sizes were measured: how well they tell others cannot be tried; four or more would",
             series->count);
}

static struct ws_estimate follow_size(const struct question *question, const struct series *series,
                                      double size)
{
    struct ws_estimate estimate = begin_estimate(question, size);
    bool kernels = series->has_works && question->pair->kernel_count >= WS_LEAST_KERNELS;
    const struct ws_sized sized = {series->count, series->sizes, series->times_s,
                                   series->has_works ? series->works : NULL};
    struct ws_measured run = {
        .size = size, .has_work = series->has_works, .processes = question->subject->runs[0].processes};
    struct ws_size_estimate at;
    double half_width;

    estimate.reference_s = run.time_s = followed_reference_s(series, size);
    for (size_t i = 0; i < question->subject->run_count; i++)
        run.spread = fmax(run.spread, question->subject->runs[i].spread);
    set_baselines(question, run.time_s, &estimate);
    if (series->has_works)
        ws_work_at_size(&sized, size, &run.work);
    half_width = run_model(question, &run, &estimate); /* what it is made of, and how well that is known */
    ws_size_estimate(&sized, kernels && question->options->model != WS_MODEL_PAPER ? theory_on_target : NULL,
                     question->pair, size, &at);
    estimate.estimate_s = question->options->model == WS_MODEL_PAPER ? at.power_law_s : at.time_s;
    describe_size(question, series, &at, &estimate);
    if (question->options->model == WS_MODEL_PAPER)
        estimate.size_form = "power law";
    warn_of_nodes(question, &estimate);
    set_interval(question, half_width, size_width(series, size, &at), &estimate);
    check_number(&estimate);
    return estimate;
}

/* ---- the question ---- */

static int check_sizes(const struct question *question, struct ws_error *error)
{
    const struct ws_subject *subject = question->subject;

    for (size_t i = 0; i < subject->run_count; i++) {
        double size = subject->runs[i].size;
        if (!(size > 0))
            return ws_fail(error, WS_BAD_INPUT,
                           "%s: runs[%zu].size is not told, so other sizes cannot be; profile it with --size",
                           subject->path, i);
        if (i && !(size > subject->runs[i - 1].size))
            return ws_fail(error, WS_BAD_INPUT,
                           "%s: runs[%zu].size: %g comes after %g; sizes must increase, each once",
                           subject->path, i, size, subject->runs[i - 1].size);
    }
    if (subject->run_count < 2)
        return ws_fail(
            error, WS_BAD_INPUT,
            "%s: one size only, %g, was measured: how time grows cannot be told; profile two sizes or "
            "more (four or more to know how well)",
            subject->path, subject->runs[0].size);
    return 0;
}

static const struct ws_measured *run_of_size(const struct ws_subject *subject, double size)
{
    for (size_t i = 0; i < subject->run_count; i++)
        if (subject->runs[i].size == size)
            return &subject->runs[i];
    return NULL;
}

static int estimate_size(const struct question *question, double size, struct ws_estimate *estimate,
                         struct ws_error *error)
{
    const struct ws_measured *run = run_of_size(question->subject, size);
    struct series series;

    if (run) {
        *estimate = estimate_run(question, run);
        return 0;
    }
    if (check_sizes(question, error) != 0)
        return -1;
    series = series_of(question);
    if (series.count < question->subject->run_count) {
        *estimate = begin_estimate(question, size);
        estimate->refusal = "the sizes that were measured cannot be estimated either";
    } else {
        *estimate = follow_size(question, &series, size);
    }
    series_free(&series);
    return 0;
}

/* A run repeats no better than this, whatever its repeats say. */
#define LEAST_NOISE 0.02

/* By how much a run on the target moves all estimates of the program there.  Of two guesses of what the model
 * misses, that there is nothing (as sure as the interval is narrow) and what the run shows (as sure as it
 * repeats), the mean weighed by their variances; a run far outside the interval speaks for itself. */
static double anchor_factor(const struct ws_estimate *anchor, double measured_s, double spread)
{
    double missed = log(measured_s / anchor->estimate_s), noise = LEAST_NOISE + spread;
    double doubt = fmax(log(anchor->high_s / anchor->estimate_s), fabs(missed));

    return exp(missed * doubt * doubt / (doubt * doubt + noise * noise));
}

static double spread_at(const struct ws_subject *subject, double size)
{
    const struct ws_measured *run = run_of_size(subject, size);

    return run ? run->spread : 0;
}

static int apply_anchor(const struct question *question, struct ws_estimate *estimates, size_t count,
                        struct ws_error *error)
{
    const struct ws_estimate_options *options = question->options;
    struct ws_estimate anchor;
    double factor = 1;

    if (!(options->anchor_s > 0))
        return 0;
    if (estimate_size(question, options->anchor_size, &anchor, error) != 0)
        return -1;
    if (anchor.estimate_s > 0)
        factor =
            anchor_factor(&anchor, options->anchor_s, spread_at(question->subject, options->anchor_size));
    for (size_t i = 0; i < count; i++) {
        struct ws_estimate *estimate = &estimates[i];
        if (!(estimate->estimate_s > 0))
            continue;
        estimate->refusal = NULL;
        estimate->anchor_factor = factor;
        estimate->estimate_s *= factor;
        estimate->low_s *= factor;
        estimate->high_s *= factor;
        if (fabs(log(factor)) > log(2))
            warn(question, estimate,
                 "the run on %s took %.3g times what the model tells of it: is its size %g?",
                 question->target->name, factor, options->anchor_size);
    }
    return 0;
}

static int check_subject(const struct question *question, struct ws_error *error)
{
    const struct ws_subject *subject = question->subject;
    const char *ran_on = subject->architecture, *is = question->reference->architecture;

    if (!subject->run_count)
        return ws_fail(error, WS_BAD_INPUT, "%s: no runs; profile the program again", subject->path);
    if (ran_on[0] && is[0] && strcmp(ran_on, is) != 0)
        return ws_fail(
            error, WS_BAD_INPUT,
            "%s: architecture: the program ran on %s, but the reference '%s' (%s) is %s: profile it on the "
            "reference, or name the node that it ran on",
            subject->path, ran_on, question->reference->name, question->reference->path, is);
    return 0;
}

int ws_estimate(const struct ws_subject *subject, const struct ws_pair *pair, double size,
                const struct ws_estimate_options *options, struct ws_arena *arena,
                struct ws_estimate **estimates, size_t *count, struct ws_error *error)
{
    const struct question question = {subject, pair, pair->reference.node, pair->target.node, options, arena};

    if (check_subject(&question, error) != 0)
        return -1;
    *count = size > 0 ? 1 : subject->run_count;
    *estimates = ws_arena_alloc(arena, *count * sizeof **estimates);
    for (size_t i = 0; i < *count && !(size > 0); i++)
        (*estimates)[i] = estimate_run(&question, &subject->runs[i]);
    if (size > 0 && estimate_size(&question, size, *estimates, error) != 0)
        return -1;
    return apply_anchor(&question, *estimates, *count, error);
}
