#include "predict/model/nnls.h"

#include "util/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The problem with columns of length 1, so that one tolerance fits all of them. */
struct problem {
    size_t rows, columns;
    double *a; /* column by column */
    const double *b;
    double *scale;    /* of each column: its length before */
    bool *passive;    /* may be greater than 0 */
    bool *barred;     /* only rounding makes it look steep */
    double *x, *best; /* best: of the passive columns without the bounds */
    double *rest;     /* b - A x */
    double *work;     /* rows * (columns + 1) for the triangle */
};

static double *column(const struct problem *problem, size_t j)
{
    return problem->a + j * problem->rows;
}

static double product(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static int set_up(struct problem *problem, const double *a, const double *b)
{
    size_t rows = problem->rows, columns = problem->columns;

    problem->a = ws_alloc_array(rows * columns + 1, sizeof(double));
    problem->scale = ws_alloc_array(columns + 1, sizeof(double));
    problem->passive = ws_alloc_array(columns + 1, sizeof(bool));
    problem->barred = ws_alloc_array(columns + 1, sizeof(bool));
    problem->x = ws_alloc_array(columns + 1, sizeof(double));
    problem->best = ws_alloc_array(columns + 1, sizeof(double));
    problem->rest = ws_alloc_array(rows + 1, sizeof(double));
    problem->work = ws_alloc_array(rows * (columns + 1) + 1, sizeof(double));
    problem->b = b;
    for (size_t j = 0; j < columns; j++) {
        double *to = column(problem, j);
        for (size_t i = 0; i < rows; i++)
            to[i] = a[i * columns + j];
        problem->scale[j] = sqrt(product(to, to, rows));
        if (!isfinite(problem->scale[j]))
            return -1;
        for (size_t i = 0; i < rows && problem->scale[j] > 0; i++)
            to[i] /= problem->scale[j];
    }
    return isfinite(product(b, b, rows)) ? 0 : -1;
}

static void release(struct problem *problem)
{
    free(problem->a);
    free(problem->scale);
    free(problem->passive);
    free(problem->barred);
    free(problem->x);
    free(problem->best);
    free(problem->rest);
    free(problem->work);
}

/* Reflects the columns from `from` on so that what lies below the diagonal of that one is zero (Householder).
 */
static void reflect(double *matrix, size_t rows, size_t columns, size_t from)
{
    double *pivot = matrix + from * rows, length = sqrt(product(pivot + from, pivot + from, rows - from));
    double head = pivot[from] > 0 ? -length : length, square;

    if (length == 0)
        return;
    pivot[from] -= head;
    square = product(pivot + from, pivot + from, rows - from);
    for (size_t j = from + 1; j < columns; j++) {
        double *other = matrix + j * rows;
        double factor = 2 * product(pivot + from, other + from, rows - from) / square;
        for (size_t i = from; i < rows; i++)
            other[i] -= factor * pivot[i];
    }
    pivot[from] = head;
}

/* Least squares over the passive columns alone, into best.  A column that the ones before it span gets 0. */
static void solve_passive(struct problem *problem)
{
    size_t rows = problem->rows, count = 0;
    size_t *which = ws_alloc_array(problem->columns + 1, sizeof *which);

    memset(problem->best, 0, problem->columns * sizeof(double));
    for (size_t j = 0; j < problem->columns; j++)
        if (problem->passive[j]) {
            memcpy(problem->work + count * rows, column(problem, j), rows * sizeof(double));
            which[count++] = j;
        }
    memcpy(problem->work + count * rows, problem->b, rows * sizeof(double));
    for (size_t j = 0; j < count && j < rows; j++)
        reflect(problem->work, rows, count + 1, j);
    for (size_t j = count; j-- > 0;) {
        double value = j < rows ? problem->work[count * rows + j] : 0;
        double diagonal = j < rows ? problem->work[j * rows + j] : 0;
        for (size_t k = j + 1; k < count && j < rows; k++)
            value -= problem->work[k * rows + j] * problem->best[which[k]];
        problem->best[which[j]] = fabs(diagonal) > 1e-10 ? value / diagonal : 0;
    }
    free(which);
}

static void subtract(struct problem *problem)
{
    memcpy(problem->rest, problem->b, problem->rows * sizeof(double));
    for (size_t j = 0; j < problem->columns; j++)
        for (size_t i = 0; i < problem->rows && problem->x[j] > 0; i++)
            problem->rest[i] -= problem->x[j] * column(problem, j)[i];
}

/* The bounded column along which the residual falls steepest; `columns` where it falls along none. */
static size_t steepest(const struct problem *problem, double tolerance)
{
    size_t found = problem->columns;
    double most = tolerance;

    for (size_t j = 0; j < problem->columns; j++) {
        double slope = 0;
        if (!problem->passive[j] && !problem->barred[j])
            slope = product(column(problem, j), problem->rest, problem->rows);
        if (slope > most) {
            most = slope;
            found = j;
        }
    }
    return found;
}

/* Goes from x towards best as far as nothing becomes negative; what becomes 0 is bounded again.  Returns
 * whether best was reached. */
static bool step(struct problem *problem)
{
    size_t first = problem->columns; /* the one that becomes 0 first */
    double part = 1;

    for (size_t j = 0; j < problem->columns; j++) {
        double until = 1;
        if (problem->passive[j] && problem->best[j] <= 0)
            until = problem->x[j] > 0 ? problem->x[j] / (problem->x[j] - problem->best[j]) : 0;
        if (until < part || (until == 1 && problem->passive[j] && problem->best[j] <= 0)) {
            part = until;
            first = j;
        }
    }
    for (size_t j = 0; j < problem->columns; j++)
        if (problem->passive[j])
            problem->x[j] += part * (problem->best[j] - problem->x[j]);
    if (first == problem->columns)
        return true;
    problem->x[first] = 0;
    problem->passive[first] = false;
    return false;
}

/* Takes the bounds off a column; false where that gains nothing. */
static bool let_go(struct problem *problem, size_t next)
{
    problem->passive[next] = true;
    solve_passive(problem);
    if (problem->best[next] > 0)
        return true;
    problem->passive[next] = false;
    problem->barred[next] = true;
    return false;
}

static void iterate(struct problem *problem)
{
    double tolerance = 1e-12 * sqrt(product(problem->b, problem->b, problem->rows));

    /* The method ends by itself; the limit is for what rounding may do. */
    for (size_t turn = 0; turn < 10 * problem->columns + 10; turn++) {
        size_t next;
        subtract(problem);
        next = steepest(problem, tolerance);
        if (next == problem->columns)
            return;
        if (!let_go(problem, next))
            continue;
        memset(problem->barred, 0, problem->columns * sizeof(bool));
        while (!step(problem))
            solve_passive(problem);
    }
}

int ws_nnls(size_t rows, size_t columns, const double *a, const double *b, double *x, double *residual)
{
    struct problem problem = {.rows = rows, .columns = columns};
    int result = set_up(&problem, a, b);

    if (result == 0)
        iterate(&problem);
    subtract(&problem);
    for (size_t j = 0; j < columns; j++)
        x[j] = result == 0 && problem.scale[j] > 0 ? problem.x[j] / problem.scale[j] : 0;
    if (residual)
        *residual = result == 0 ? sqrt(product(problem.rest, problem.rest, rows)) : 0;
    release(&problem);
    return result;
}
