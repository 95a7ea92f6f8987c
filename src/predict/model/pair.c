#include "predict/model/pair.h"

#include "predict/model/nnls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is known of both nodes ---- */

/* The kernels as rows; columns depend on the pages that count. */
struct table {
    size_t count;
    const struct ws_work **works;
    double *times_s[2], *weights[2]; /* reference, target */
    double *columns[2][2];           /* by side and huge pages */
};

static double weight_of(double spread)
{
    double noise = spread / 0.05; /* what repeats within 5 % counts fully */

    return 1 / sqrt(1 + noise * noise);
}

static void add_row(struct table *table, const struct ws_work *work, const struct ws_kernel_time *reference,
                    const struct ws_kernel_time *target, const struct ws_node *const nodes[2])
{
    const struct ws_kernel_time *const times[2] = {reference, target};
    size_t row = table->count++;

    table->works[row] = work;
    for (size_t side = 0; side < 2; side++) {
        table->times_s[side][row] = times[side]->time_s;
        table->weights[side][row] = weight_of(times[side]->spread);
        for (size_t huge = 0; huge < 2; huge++)
            ws_work_columns(work, nodes[side], huge, table->columns[side][huge] + row * WS_COLUMNS);
    }
}

static void table_fill(struct table *table, const struct ws_calibration *kernels,
                       const struct ws_node *const nodes[2])
{
    *table = (struct table){.works = ws_alloc_array(kernels->count + 1, sizeof *table->works)};
    for (size_t side = 0; side < 2; side++) {
        table->times_s[side] = ws_alloc_array(kernels->count + 1, sizeof(double));
        table->weights[side] = ws_alloc_array(kernels->count + 1, sizeof(double));
        for (size_t huge = 0; huge < 2; huge++)
            table->columns[side][huge] = ws_alloc_array((kernels->count + 1) * WS_COLUMNS, sizeof(double));
    }
    for (size_t i = 0; i < kernels->count; i++) {
        const struct ws_kernel_time *reference = ws_node_kernel(nodes[0], kernels->names[i]);
        const struct ws_kernel_time *target = ws_node_kernel(nodes[1], kernels->names[i]);
        if (reference && target)
            add_row(table, &kernels->works[i], reference, target, nodes);
    }
}

static void table_free(struct table *table)
{
    free(table->works);
    for (size_t side = 0; side < 2; side++) {
        free(table->times_s[side]);
        free(table->weights[side]);
        free(table->columns[side][0]);
        free(table->columns[side][1]);
    }
}

/* ---- costs ---- */

#define NONE ((size_t)-1)

/* How much a column matters: the root mean square of its count by time, so that cost * scale is a share. */
static double scale_of(const struct table *table, size_t side, bool huge, size_t column)
{
    double sum = 0;

    for (size_t i = 0; i < table->count; i++) {
        double share = table->columns[side][huge][i * WS_COLUMNS + column] / table->times_s[side][i];
        sum += share * share;
    }
    return sqrt(sum / (double)table->count);
}

/* The kernels' rows with these weights, and the costs that the fit is drawn to. */
static void solve(const struct table *table, size_t side, bool huge, const double *weights,
                  const double *toward, double prior, double costs[WS_COLUMNS])
{
    size_t rows = table->count + WS_COLUMNS;
    double *a = ws_alloc_array(rows * WS_COLUMNS, sizeof *a), *b = ws_alloc_array(rows, sizeof *b);

    for (size_t i = 0; i < table->count; i++) {
        for (size_t j = 0; j < WS_COLUMNS; j++)
            a[i * WS_COLUMNS + j] = weights[i] * table->columns[side][huge][i * WS_COLUMNS + j];
        b[i] = weights[i] * table->times_s[side][i];
    }
    for (size_t j = 0; j < WS_COLUMNS && prior > 0; j++) {
        double weight = sqrt(prior * (double)table->count) * scale_of(table, side, huge, j);
        a[(table->count + j) * WS_COLUMNS + j] = weight;
        b[table->count + j] = weight * toward[j];
    }
    ws_nnls(rows, WS_COLUMNS, a, b, costs, NULL);
    free(a);
    free(b);
}

static double sum_of(const double *columns, const double *costs)
{
    double sum = 0;

    for (size_t j = 0; j < WS_COLUMNS; j++)
        sum += columns[j] * costs[j];
    return sum;
}

#define TURNS 4
#define LEAST_GUESS 1e-3 /* of the measured time: below, an estimate is as bad as it can be */

/* Fits a side without kernel `out`; `toward` are costs that the fit is drawn to with weight `prior`.  An
 * error relative to the measured time counts an estimate that is far too small as 1 at most, and one that is
 * far too large as anything; so from the second turn on errors are relative to the geometric mean of both,
 * which treats them alike. */
static void fit_costs(const struct table *table, size_t side, bool huge, size_t out, const double *toward,
                      double prior, double costs[WS_COLUMNS])
{
    double *weights = ws_alloc_array(table->count, sizeof *weights);

    for (int turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < table->count; i++) {
            double time_s = table->times_s[side][i], guess_s = time_s;
            if (turn > 0)
                guess_s =
                    fmax(sum_of(table->columns[side][huge] + i * WS_COLUMNS, costs), LEAST_GUESS * time_s);
            weights[i] = i == out ? 0 : table->weights[side][i] / sqrt(time_s * guess_s);
        }
        solve(table, side, huge, weights, toward, prior, costs);
    }
    free(weights);
}

static double geometric_factor(const struct table *table, size_t out)
{
    double sum = 0, weights = 0;

    for (size_t i = 0; i < table->count; i++) {
        double weight = i == out ? 0 : 1;
        sum += weight * log(table->times_s[1][i] / table->times_s[0][i]);
        weights += weight;
    }
    return exp(sum / weights);
}

/* The target's costs, drawn to the reference's times the node factor. */
static void fit_target(const struct table *table, bool huge, size_t out, double prior,
                       const double reference[WS_COLUMNS], double costs[WS_COLUMNS])
{
    double factor = geometric_factor(table, out), toward[WS_COLUMNS];

    for (size_t j = 0; j < WS_COLUMNS; j++)
        toward[j] = factor * reference[j];
    fit_costs(table, 1, huge, out, toward, prior, costs);
}

/* ---- starting a process ---- */

static double start_s(const struct ws_node *node)
{
    const struct ws_kernel_time *start = ws_node_kernel(node, WS_START_KERNEL);

    return start ? start->time_s : 0;
}

static double transfer_s(double theory_target_s, double reference_s, double theory_reference_s,
                         double exponent)
{
    if (!(theory_target_s > 0 && theory_reference_s > 0))
        return 0;
    return theory_target_s * pow(reference_s / theory_reference_s, exponent);
}

/* ---- cross-validation ---- */

static const double priors[] = {0, 0.01, 0.1, 0.3, 1, 10};
#define PRIORS (sizeof priors / sizeof *priors)
#define EXPONENT_STEPS 20
#define DETAIL_STEPS 10

/* What the others tell of a kernel, with the kernel's own times. */
struct guess {
    double theory_s[2], time_s[2], factor;
};

/* What is tried together. */
struct choice {
    double exponent, detail;
};

/* The estimate by costs, drawn to that by the node factor. */
static double mixed_s(double by_costs_s, double by_factor_s, double detail)
{
    return by_costs_s > 0 ? by_factor_s * pow(by_costs_s / by_factor_s, detail) : 0;
}

static double log_error(const struct guess *guess, const struct choice *choice)
{
    double costs_s = transfer_s(guess->theory_s[1], guess->time_s[0], guess->theory_s[0], choice->exponent);
    double estimate_s = mixed_s(costs_s, guess->factor * guess->time_s[0], choice->detail);

    return estimate_s > 0 ? fmin(fmax(log(guess->time_s[1] / estimate_s), -5), 5) : 5;
}

static double mean_error(const struct guess *guesses, size_t count, const struct choice *choice)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += fabs(log_error(&guesses[i], choice));
    return sum / (double)count;
}

/* references: the costs there without each kernel. */
static void guess_each(const struct table *table, const bool huge[2], double prior,
                       const double (*references)[WS_COLUMNS], struct guess *guesses)
{
    for (size_t i = 0; i < table->count; i++) {
        double target[WS_COLUMNS];
        const double *const costs[2] = {references[i], target};
        fit_target(table, huge[1], i, prior, references[i], target);
        guesses[i].factor = geometric_factor(table, i);
        for (size_t side = 0; side < 2; side++) {
            guesses[i].theory_s[side] =
                sum_of(table->columns[side][huge[side]] + i * WS_COLUMNS, costs[side]);
            guesses[i].time_s[side] = table->times_s[side][i];
        }
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The distance that at least the share `coverage` of further cases keeps to: of n distances the ceil((n + 1)
 * share)-th (V. Vovk et al. 2005). */
static double quantile(double *distances, size_t count, double coverage)
{
    size_t rank = (size_t)ceil((double)(count + 1) * coverage);

    qsort(distances, count, sizeof *distances, by_size);
    return distances[rank < count ? rank - 1 : count - 1];
}

/* Keeps what is better than all before. */
static void keep_better(const struct table *table, const bool huge[2], double prior,
                        const struct choice *choice, const struct guess *guesses, struct ws_pair *pair)
{
    double error = mean_error(guesses, table->count, choice), *distances;

    if (!(error < pair->error))
        return;
    pair->error = error;
    pair->exponent = choice->exponent;
    pair->detail = choice->detail;
    pair->prior = prior;
    pair->reference.huge_pages = huge[0];
    pair->target.huge_pages = huge[1];
    distances = ws_alloc_array(table->count, sizeof *distances);
    for (size_t i = 0; i < table->count; i++)
        distances[i] = fabs(log_error(&guesses[i], choice));
    pair->half_width = quantile(distances, table->count, pair->coverage);
    free(distances);
}

/* All priors, for these pages of both. */
static void try_pages(const struct table *table, const bool huge[2], const double (*references)[WS_COLUMNS],
                      struct ws_pair *pair)
{
    struct guess *guesses = ws_alloc_array(table->count, sizeof *guesses);

    for (size_t i = 0; i < PRIORS; i++) {
        guess_each(table, huge, priors[i], references, guesses);
        for (int step = 0; step <= EXPONENT_STEPS; step++)
            for (int part = 0; part <= DETAIL_STEPS; part++) {
                const struct choice choice = {(double)step / EXPONENT_STEPS, (double)part / DETAIL_STEPS};
                keep_better(table, huge, priors[i], &choice, guesses, pair);
            }
    }
    free(guesses);
}

static void choose(const struct table *table, struct ws_pair *pair)
{
    double(*references)[WS_COLUMNS] = ws_alloc_array(table->count, sizeof *references);

    pair->error = INFINITY;
    for (int here = 0; here <= ws_ladder_has(pair->reference.node, true); here++) {
        for (size_t i = 0; i < table->count; i++)
            fit_costs(table, 0, here, i, NULL, 0, references[i]);
        for (int there = 0; there <= ws_ladder_has(pair->target.node, true); there++)
            try_pages(table, (bool[2]){here, there}, references, pair);
    }
    free(references);
}

static void judge_factor(const struct table *table, struct ws_pair *pair)
{
    double *distances = ws_alloc_array(table->count, sizeof *distances), sum = 0;

    for (size_t i = 0; i < table->count; i++) {
        distances[i] = fabs(log(table->times_s[1][i] / table->times_s[0][i] / geometric_factor(table, i)));
        sum += distances[i];
    }
    pair->node_factor = geometric_factor(table, NONE);
    pair->factor_error = sum / (double)table->count;
    pair->factor_half_width = quantile(distances, table->count, pair->coverage);
    free(distances);
}

/* ---- what the kernels span ---- */

/* What a unit of a column takes on any node, roughly: cycles, or seconds where the column is in seconds. */
static const double nominal_cycles[WS_WORK_COUNTS] = {
    [WS_COLUMN_LOADS] = 0.5,        [WS_COLUMN_STORES] = 1,      [WS_COLUMN_INTEGER] = 0.5,
    [WS_COLUMN_MULTIPLY] = 1,       [WS_COLUMN_DIVIDE] = 15,     [WS_COLUMN_FLOAT] = 1,
    [WS_COLUMN_FLOAT_DIVIDE] = 10,  [WS_COLUMN_VECTOR] = 1,      [WS_COLUMN_BRANCHES] = 0.5,
    [WS_COLUMN_BRANCH_MISSES] = 15, [WS_COLUMN_CALLS] = 2,       [WS_COLUMN_OTHER] = 0.5,
    [WS_COLUMN_IO_SESSIONS] = 1500, [WS_COLUMN_IO_BYTES] = 0.25,
};

/* Shares of nominal time by column. */
static void nominal_shares(const struct ws_work *work, const struct ws_side *side, double shares[WS_COLUMNS])
{
    double sum = 0;

    ws_work_columns(work, side->node, side->huge_pages, shares);
    for (size_t j = 0; j < WS_COLUMNS; j++) {
        if (j < WS_WORK_COUNTS)
            shares[j] *= nominal_cycles[j] / side->node->characteristics[WS_CLOCK];
        sum += shares[j];
    }
    for (size_t j = 0; j < WS_COLUMNS; j++)
        shares[j] = sum > 0 ? shares[j] / sum : 0;
}

double ws_pair_outside(const struct ws_pair *pair, const struct ws_work *work, enum ws_column *column)
{
    double shares[WS_COLUMNS], *a = ws_alloc_array(WS_COLUMNS * pair->kernel_count, sizeof *a);
    double *mixture = ws_alloc_array(pair->kernel_count, sizeof *mixture), outside = 0, most = 0;

    nominal_shares(work, &pair->reference, shares);
    for (size_t j = 0; j < WS_COLUMNS; j++)
        for (size_t k = 0; k < pair->kernel_count; k++)
            a[j * pair->kernel_count + k] = pair->spans[k * WS_COLUMNS + j];
    ws_nnls(WS_COLUMNS, pair->kernel_count, a, shares, mixture, NULL);
    *column = 0;
    for (size_t j = 0; j < WS_COLUMNS; j++) {
        double missing = shares[j];
        for (size_t k = 0; k < pair->kernel_count; k++)
            missing -= a[j * pair->kernel_count + k] * mixture[k];
        outside += fmax(missing, 0);
        if (missing > most) {
            most = missing;
            *column = (enum ws_column)j;
        }
    }
    free(a);
    free(mixture);
    return fmin(outside, 1);
}

/* ---- the pair ---- */

static void span(const struct table *table, struct ws_pair *pair)
{
    pair->spans = ws_alloc_array(table->count * WS_COLUMNS, sizeof *pair->spans);
    for (size_t i = 0; i < table->count; i++)
        nominal_shares(table->works[i], &pair->reference, pair->spans + i * WS_COLUMNS);
}

bool ws_pair_fit(const struct ws_calibration *kernels, const struct ws_node *reference,
                 const struct ws_node *target, double coverage, struct ws_pair *pair)
{
    const struct ws_node *const nodes[2] = {reference, target};
    struct table table;

    *pair = (struct ws_pair){.reference.node = reference, .target.node = target, .coverage = coverage};
    table_fill(&table, kernels, nodes);
    pair->kernel_count = table.count;
    if (table.count >= WS_LEAST_KERNELS) {
        choose(&table, pair);
        fit_costs(&table, 0, pair->reference.huge_pages, NONE, NULL, 0, pair->reference.costs);
        fit_target(&table, pair->target.huge_pages, NONE, pair->prior, pair->reference.costs,
                   pair->target.costs);
        judge_factor(&table, pair);
        span(&table, pair);
    }
    table_free(&table);
    return pair->kernel_count >= WS_LEAST_KERNELS;
}

void ws_pair_free(struct ws_pair *pair)
{
    free(pair->spans);
    pair->spans = NULL;
}

double ws_side_time_s(const struct ws_side *side, const struct ws_work *work, double shares_s[WS_COLUMNS])
{
    double sum = 0;

    ws_work_columns(work, side->node, side->huge_pages, shares_s);
    for (size_t j = 0; j < WS_COLUMNS; j++)
        sum += shares_s[j] *= side->costs[j];
    return sum;
}

double ws_pair_start_s(const struct ws_side *side, double processes, double time_s)
{
    return fmin(start_s(side->node) * processes, 0.9 * time_s);
}

double ws_pair_transfer_s(const struct ws_pair *pair, const struct ws_work *work, double processes,
                          double reference_s)
{
    double shares_s[WS_COLUMNS], reference = ws_side_time_s(&pair->reference, work, shares_s);
    double target = ws_side_time_s(&pair->target, work, shares_s);
    double own_s = reference_s - ws_pair_start_s(&pair->reference, processes, reference_s);

    target = mixed_s(transfer_s(target, own_s, reference, pair->exponent), pair->node_factor * own_s,
                     pair->detail);
    return target > 0 ? target + start_s(pair->target.node) * processes : 0;
}
