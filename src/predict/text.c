/* Estimates for people. */
#include "predict/predict.h"

#include "util/text.h"
#include "util/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARES_SHOWN 5

static void print_valid(const char *text, FILE *out)
{
    char *valid = ws_utf8_copy(text, true);

    fputs(valid, out);
    free(valid);
}

/* "1.24 s", "1 h 10 min": a duration in seconds. */
static const char *duration(double s, char buffer[static 32])
{
    if (s >= 7200)
        snprintf(buffer, 32, "%.3g h", s / 3600);
    else if (s >= 600)
        snprintf(buffer, 32, "%.3g min", s / 60);
    else
        ws_format_ns(ws_round(s * 1e9), buffer);
    return buffer;
}

static int larger(const void *a, const void *b)
{
    double x = ((const struct ws_share *)a)->share, y = ((const struct ws_share *)b)->share;

    return (x < y) - (x > y);
}

static void print_shares(const struct ws_estimate *estimate, FILE *out)
{
    struct ws_share shares[WS_COLUMNS + 1];
    size_t shown = 0;
    double rest = 0;

    memcpy(shares, estimate->shares, sizeof shares);
    qsort(shares, estimate->share_count, sizeof *shares, larger);
    if (!estimate->share_count)
        return;
    fputs("    made of ", out);
    for (size_t i = 0; i < estimate->share_count; i++)
        if (shown < SHARES_SHOWN && shares[i].share >= 0.01)
            fprintf(out, "%s%s %.0f %%", shown++ ? ", " : "", shares[i].name, shares[i].share * 100);
        else
            rest += shares[i].share;
    if (rest >= 0.005)
        fprintf(out, ", others %.0f %%", rest * 100);
    fputc('\n', out);
}

static void print_guess(const char *name, double s, bool *first, FILE *out)
{
    char buffer[32];

    if (!(s > 0))
        return;
    fprintf(out, "%s%s %s", *first ? "    simpler guesses: " : ", ", name, duration(s, buffer));
    *first = false;
}

static void print_guesses(const struct ws_estimate *estimate, FILE *out)
{
    bool first = true;

    print_guess("clock ratio", estimate->clock_ratio_s, &first, out);
    print_guess("node factor", estimate->node_factor_s, &first, out);
    print_guess("power law", estimate->power_law_s, &first, out);
    print_guess("the request", estimate->request_s, &first, out);
    if (!first)
        fputc('\n', out);
}

static void print_origin(const struct ws_estimate *estimate, FILE *out)
{
    char buffer[32];

    fprintf(out, "    %s on ", estimate->size_form ? "followed" : "measured");
    print_valid(estimate->reference, out);
    fprintf(out, ": %s", duration(estimate->reference_s, buffer));
    if (estimate->correction > 0)
        fprintf(out, ", %.3g times what the model tells, of which the power %.2g is carried over",
                estimate->correction, estimate->exponent);
    fputc('\n', out);
    if (estimate->size_form)
        fprintf(out, "    size %g: %s%s%s\n", estimate->size, estimate->size_form,
                estimate->by_counts ? " of its counts" : "", estimate->extrapolated ? ", extrapolated" : "");
    if (estimate->anchor_factor != 1)
        fprintf(out, "    the run on the target moved it by a factor of %.3g\n", estimate->anchor_factor);
}

static void print_time(const struct ws_estimate *estimate, FILE *out)
{
    char buffers[3][32];

    if (estimate->refusal) {
        fprintf(out, "no estimate: %s\n", estimate->refusal);
        return;
    }
    fprintf(out, "%s, between %s and %s", duration(estimate->estimate_s, buffers[0]),
            duration(estimate->low_s, buffers[1]), duration(estimate->high_s, buffers[2]));
    if (estimate->coverage > 0)
        fprintf(out, " in %.0f of 100 cases (%s)\n", estimate->coverage * 100, estimate->model);
    else
        fprintf(out, " if it is not off by more than a factor of two (%s)\n", estimate->model);
}

static void print_estimate(const struct ws_estimate *estimate, FILE *out)
{
    print_valid(estimate->program, out);
    if (estimate->size > 0)
        fprintf(out, ", size %g", estimate->size);
    fputs(", on ", out);
    print_valid(estimate->target, out);
    fputs(": ", out);
    print_time(estimate, out);
    if (!estimate->refusal)
        print_shares(estimate, out);
    print_origin(estimate, out);
    print_guesses(estimate, out);
    for (size_t i = 0; i < estimate->warning_count; i++) {
        fputs("    warning: ", out);
        print_valid(estimate->warnings[i], out);
        fputc('\n', out);
    }
}

/* ---- what each kind of work costs ---- */

static void print_costs(const struct ws_pair *pair, FILE *out)
{
    static const char *const units[] = {"ns each", "of its seconds"};

    fprintf(out, "\n  %-18s %12s %12s\n", "cost", "reference", "target");
    for (size_t j = 0; j < WS_COLUMNS; j++) {
        bool seconds = j >= WS_WORK_COUNTS;
        double factor = seconds ? 1 : 1e9;
        if (pair->reference.costs[j] > 0 || pair->target.costs[j] > 0)
            fprintf(out, "  %-18s %12.4g %12.4g  %s\n", ws_column_names[j], pair->reference.costs[j] * factor,
                    pair->target.costs[j] * factor, units[seconds]);
    }
}

static void print_pair(const struct ws_pair *pair, bool explain, FILE *out)
{
    if (pair->kernel_count < WS_LEAST_KERNELS)
        return;
    print_valid(pair->target.node->name, out);
    fprintf(
        out,
        ": %zu kernels compare it with the reference; each told from the others is off by %.1f %% on average "
        "(by one factor for all, %.3g, it would be %.1f %%)\n",
        pair->kernel_count, 100 * (exp(pair->error) - 1), pair->node_factor,
        100 * (exp(pair->factor_error) - 1));
    if (explain)
        print_costs(pair, out);
}

void ws_prediction_write_text(const struct ws_prediction *prediction, bool explain, FILE *out)
{
    for (size_t i = 0; i < prediction->count; i++)
        print_estimate(&prediction->estimates[i], out);
    if (prediction->count)
        fputc('\n', out);
    for (size_t i = 0; i < prediction->target_count; i++)
        print_pair(&prediction->pairs[i], explain, out);
}
