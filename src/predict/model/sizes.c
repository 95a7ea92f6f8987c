#include "predict/model/sizes.h"

#include "predict/model/paper.h"
#include "predict/model/reuse.h"
#include "util/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the counts followed ---- */

/* The runs on both sides of a size, without run `out`, or the two nearest on one side. */
static void neighbours(const struct ws_sized *sized, double at, size_t out, size_t pair[2])
{
    size_t kept[2] = {0, 0}, count = 0;

    for (size_t i = 0; i < sized->count; i++) {
        if (i == out)
            continue;
        if (count == 2 && at > sized->sizes[kept[1]]) {
            kept[0] = kept[1];
            kept[1] = i;
        } else if (count < 2) {
            kept[count++] = i;
        }
    }
    pair[0] = kept[0];
    pair[1] = count > 1 ? kept[1] : kept[0];
}

static void follow_curve(const struct ws_sized *sized, double at, size_t out, struct ws_work *work)
{
    size_t pair[2];

    neighbours(sized, at, out, pair);
    if (pair[0] != pair[1])
        ws_reuse_between(sized->sizes[pair[0]], &sized->works[pair[0]], sized->sizes[pair[1]],
                         &sized->works[pair[1]], at, work);
    else
        memcpy(work->curve, sized->works[pair[0]].curve, sizeof work->curve);
}

/* The work at `at`, and at each size as it is told where that size is left out (left_out: count works, or
 * NULL).  A size by which the forms of growth are not judged keeps what was measured. */
static void follow(const struct ws_sized *sized, double at, struct ws_work *work, struct ws_work *left_out)
{
    double *y = ws_alloc_array(sized->count, sizeof *y);

    *work = sized->works[0];
    for (size_t i = 0; left_out && i < sized->count; i++)
        left_out[i] = sized->works[i];
    for (size_t column = 0; column < WS_WORK_COUNTS; column++) {
        struct ws_growth growth;
        for (size_t i = 0; i < sized->count; i++)
            y[i] = sized->works[i].counts[column];
        ws_growth_fit(sized->sizes, y, sized->count, at, &growth);
        work->counts[column] = ws_growth_at(&growth, at);
        for (size_t i = 0; left_out && i < sized->count; i++)
            if (!isnan(growth.left_out[i]))
                left_out[i].counts[column] = growth.left_out[i];
        ws_growth_free(&growth);
    }
    follow_curve(sized, at, sized->count, work);
    for (size_t i = 0; left_out && sized->count > 2 && i < sized->count; i++)
        follow_curve(sized, sized->sizes[i], i, &left_out[i]);
    free(y);
}

void ws_work_at_size(const struct ws_sized *sized, double at, struct ws_work *work)
{
    follow(sized, at, work, NULL);
}

/* ---- the time of the counts ---- */

struct by_counts {
    double time_s, error, worst;
};

/* What the times differ from their theory by; false where that knows none. */
static bool corrections_of(const struct ws_sized *sized, ws_theory *theory, const void *context,
                           double *corrections)
{
    for (size_t i = 0; i < sized->count; i++) {
        double theory_s = theory(context, &sized->works[i]);
        if (!(theory_s > 0))
            return false;
        corrections[i] = sized->times_s[i] / theory_s;
    }
    return true;
}

/* How well sizes left out are told. */
static void judge(const struct ws_sized *sized, ws_theory *theory, const void *context,
                  const struct ws_growth *growth, const struct ws_work *left_out, struct by_counts *estimate)
{
    double sum = 0;
    size_t tried = 0;

    estimate->worst = 0;
    for (size_t i = 0; i < sized->count; i++) {
        double guess_s = isnan(growth->left_out[i]) ? 0 : growth->left_out[i] * theory(context, &left_out[i]);
        if (guess_s > 0) {
            double error = fabs(log(guess_s / sized->times_s[i]));
            sum += error;
            estimate->worst = fmax(estimate->worst, error);
            tried++;
        }
    }
    estimate->error = tried ? sum / (double)tried : NAN;
}

/* The correction changes slowly with the size: it is followed as well. */
static bool estimate_by_counts(const struct ws_sized *sized, ws_theory *theory, const void *context,
                               double at, struct by_counts *estimate)
{
    struct ws_work work, *left_out = ws_alloc_array(sized->count, sizeof *left_out);
    double *corrections = ws_alloc_array(sized->count, sizeof *corrections);
    bool known = corrections_of(sized, theory, context, corrections);
    struct ws_growth growth;

    if (known) {
        follow(sized, at, &work, left_out);
        ws_growth_fit(sized->sizes, corrections, sized->count, at, &growth);
        judge(sized, theory, context, &growth, left_out, estimate);
        estimate->time_s = theory(context, &work) * ws_growth_at(&growth, at);
        ws_growth_free(&growth);
    }
    free(left_out);
    free(corrections);
    return known && !isnan(estimate->error) && estimate->time_s > 0 && isfinite(estimate->time_s);
}

/* ---- the choice ---- */

void ws_size_estimate(const struct ws_sized *sized, ws_theory *theory, const void *context, double at,
                      struct ws_size_estimate *estimate)
{
    size_t last = sized->count - 1;
    struct ws_growth growth;
    struct by_counts counts;

    ws_growth_fit(sized->sizes, sized->times_s, sized->count, at, &growth);
    *estimate = (struct ws_size_estimate){
        .time_s = ws_growth_at(&growth, at),
        .form = growth.name,
        .extrapolated = ws_growth_extrapolates(&growth, at),
        .error = growth.error,
        .worst = growth.worst,
        .power_law_s = ws_paper_power_law(sized->sizes[0], sized->times_s[0], sized->sizes[last],
                                          sized->times_s[last], at),
    };
    if (theory && sized->works && estimate_by_counts(sized, theory, context, at, &counts) &&
        (isnan(growth.error) || counts.error < growth.error)) {
        estimate->time_s = counts.time_s;
        estimate->by_counts = true;
        estimate->error = counts.error;
        estimate->worst = counts.worst;
    }
    ws_growth_free(&growth);
}
