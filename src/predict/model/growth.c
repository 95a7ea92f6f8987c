#include "predict/model/growth.h"

#include "predict/model/nnls.h"
#include "util/alloc.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sizes that a form is fitted to. */
struct points {
    const double *x, *y;
    size_t count;
};

/* A form: `least` points are needed, all with y > 0 where it is `positive`. */
struct ws_growth_form {
    const char *name;
    size_t least;
    bool positive;
    void (*fit)(const struct points *points, double *parameters);
    double (*at)(const struct points *points, const double *parameters, double x);
};

/* ---- c0 + c1 t(x), both >= 0, on relative error ---- */

/* Gives the sum of the squared relative errors. */
static double fit_term(const struct points *points, const double *t, double *c0, double *c1)
{
    double aa = 0, ab = 0, bb = 0, a = 0, b = 0, left = 0, determinant;

    for (size_t i = 0; i < points->count; i++) {
        double u = 1 / points->y[i], v = t[i] / points->y[i];
        aa += u * u, ab += u * v, bb += v * v;
        a += u, b += v;
    }
    determinant = aa * bb - ab * ab;
    *c0 = determinant > 1e-12 * aa * bb ? (a * bb - b * ab) / determinant : 0;
    *c1 = determinant > 1e-12 * aa * bb ? (b * aa - a * ab) / determinant : b / bb;
    if (*c0 < 0) {
        *c0 = 0;
        *c1 = b / bb;
    } else if (*c1 < 0) {
        *c0 = a / aa;
        *c1 = 0;
    }
    for (size_t i = 0; i < points->count; i++)
        left += pow((*c0 + *c1 * t[i]) / points->y[i] - 1, 2);
    return left;
}

/* ---- a power law: c x^e, by least squares of the logarithms ---- */

static void fit_power(const struct points *points, double *parameters)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = (double)points->count;

    for (size_t i = 0; i < points->count; i++) {
        double u = log(points->x[i]), v = log(points->y[i]);
        sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    parameters[1] = points->count > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : 0;
    parameters[0] = (sy - parameters[1] * sx) / n;
}

static double power_at(const struct points *points, const double *parameters, double x)
{
    (void)points;
    return exp(parameters[0] + parameters[1] * log(x));
}

/* ---- a start-up term and a power law: a + b (x / x0)^e ---- */

static double startup_error(const struct points *points, double exponent, double *parameters)
{
    double *t = ws_alloc_array(points->count, sizeof *t), error;

    for (size_t i = 0; i < points->count; i++)
        t[i] = pow(points->x[i] / points->x[0], exponent);
    parameters[2] = exponent;
    error = fit_term(points, t, &parameters[0], &parameters[1]);
    free(t);
    return error;
}

static void fit_startup(const struct points *points, double *parameters)
{
    double best = 0, least = DBL_MAX, step = 0.125;

    for (double exponent = step; exponent <= 6; exponent += step) {
        double error = startup_error(points, exponent, parameters);
        if (error < least) {
            least = error;
            best = exponent;
        }
    }
    for (; step > 1e-6; step /= 2)
        for (int side = -1; side <= 1; side += 2) {
            double error = startup_error(points, best + side * step, parameters);
            if (error < least) {
                least = error;
                best += side * step;
            }
        }
    startup_error(points, best, parameters);
}

static double startup_at(const struct points *points, const double *parameters, double x)
{
    return parameters[0] + parameters[1] * pow(x / points->x[0], parameters[2]);
}

/* ---- power laws from size to size ---- */

static size_t segment(const struct points *points, double x)
{
    size_t i = 0;

    while (i + 2 < points->count && x > points->x[i + 1])
        i++;
    return i;
}

static double slope(const struct points *points, size_t i)
{
    return log(points->y[i + 1] / points->y[i]) / log(points->x[i + 1] / points->x[i]);
}

static void fit_nothing(const struct points *points, double *parameters)
{
    (void)points;
    (void)parameters;
}

static double piecewise_at(const struct points *points, const double *parameters, double x)
{
    size_t i = segment(points, x);

    (void)parameters;
    return points->count < 2 ? points->y[0] : points->y[i] * pow(x / points->x[i], slope(points, i));
}

/* The same with exponents that change smoothly: a cubic Hermite spline of the logarithms that keeps monotone
 * what is (F. N. Fritsch, J. Butland 1984). */
static double knot_slope(const struct points *points, size_t i)
{
    double before, after, h0, h1;

    if (i == 0)
        return slope(points, 0);
    if (i + 1 == points->count)
        return slope(points, i - 1);
    before = slope(points, i - 1);
    after = slope(points, i);
    if (before * after <= 0)
        return 0;
    h0 = log(points->x[i] / points->x[i - 1]);
    h1 = log(points->x[i + 1] / points->x[i]);
    return 3 * (h0 + h1) / ((2 * h1 + h0) / before + (h1 + 2 * h0) / after);
}

static double smooth_at(const struct points *points, const double *parameters, double x)
{
    size_t i = segment(points, x);
    double h, t, y0, y1;

    if (points->count < 3 || x < points->x[0] || x > points->x[points->count - 1])
        return piecewise_at(points, parameters, x);
    h = log(points->x[i + 1] / points->x[i]);
    t = log(x / points->x[i]) / h;
    y0 = log(points->y[i]), y1 = log(points->y[i + 1]);
    return exp((1 + 2 * t) * (1 - t) * (1 - t) * y0 + t * (1 - t) * (1 - t) * h * knot_slope(points, i) +
               t * t * (3 - 2 * t) * y1 - t * t * (1 - t) * h * knot_slope(points, i + 1));
}

/* ---- the normal form of performance models: c0 + c1 x^i log2(x)^j (A. Calotoiu et al. 2013) ---- */

static const double exponents[] = {0,       1.0 / 4, 1.0 / 3, 1.0 / 2, 2.0 / 3, 3.0 / 4, 1, 5.0 / 4,
                                   4.0 / 3, 3.0 / 2, 5.0 / 3, 7.0 / 4, 2,       5.0 / 2, 3};
#define EXPONENTS (sizeof exponents / sizeof *exponents)
#define LOG_POWERS 3 /* j = 0, 1, 2 */

/* Number of terms: without x^0 log^0, the constant, which comes first in a sum of them. */
#define TERMS (EXPONENTS * LOG_POWERS)
_Static_assert(TERMS <= WS_GROWTH_TERMS, "a sum of terms has room");

static double term(const struct points *points, size_t number, double x)
{
    return pow(x / points->x[0], exponents[number / LOG_POWERS]) *
           pow(log2(x), (double)(number % LOG_POWERS));
}

/* Logarithms of sizes near 1 would be 0 or negative. */
static bool has_term(const struct points *points, size_t number)
{
    return number > 0 && (number % LOG_POWERS == 0 || points->x[0] >= 2);
}

static void fit_normal(const struct points *points, double *parameters)
{
    double *t = ws_alloc_array(points->count, sizeof *t), least = DBL_MAX;

    for (size_t k = 0; k < TERMS; k++) {
        double c0, c1, error;
        if (!has_term(points, k))
            continue;
        for (size_t i = 0; i < points->count; i++)
            t[i] = term(points, k, points->x[i]);
        error = fit_term(points, t, &c0, &c1);
        if (error < least) {
            least = error;
            parameters[0] = c0, parameters[1] = c1, parameters[2] = (double)k;
        }
    }
    free(t);
}

static double normal_at(const struct points *points, const double *parameters, double x)
{
    return parameters[0] + parameters[1] * term(points, (size_t)parameters[2], fmax(x, 1));
}

/* Several terms at once: few of them remain, since none may be negative. */
static void fit_terms(const struct points *points, double *parameters)
{
    double *a = ws_alloc_array(points->count * TERMS, sizeof *a);
    double *one = ws_alloc_array(points->count, sizeof *one);

    for (size_t i = 0; i < points->count; i++) {
        one[i] = 1;
        for (size_t k = 0; k < TERMS; k++)
            a[i * TERMS + k] = k == 0                ? 1 / points->y[i]
                               : has_term(points, k) ? term(points, k, points->x[i]) / points->y[i]
                                                     : 0;
    }
    ws_nnls(points->count, TERMS, a, one, parameters, NULL);
    free(a);
    free(one);
}

static double terms_at(const struct points *points, const double *parameters, double x)
{
    double sum = parameters[0];

    for (size_t k = 1; k < TERMS; k++)
        if (parameters[k] > 0)
            sum += parameters[k] * term(points, k, fmax(x, 1));
    return sum;
}

/* ---- where the quantity is 0 somewhere: straight lines from size to size ---- */

static double linear_at(const struct points *points, const double *parameters, double x)
{
    size_t i = segment(points, x);

    (void)parameters;
    if (points->count < 2)
        return points->y[0];
    return points->y[i] +
           (points->y[i + 1] - points->y[i]) * (x - points->x[i]) / (points->x[i + 1] - points->x[i]);
}

/* ---- the choice ---- */

/* The simplest first: of those that do equally well it is taken. */
static const struct ws_growth_form forms[] = {
    {"power law", 2, true, fit_power, power_at},
    {"start-up term and power law", 3, true, fit_startup, startup_at},
    {"performance model normal form", 3, true, fit_normal, normal_at},
    {"sum of normal form terms", 4, true, fit_terms, terms_at},
    {"piecewise power law", 2, true, fit_nothing, piecewise_at},
    {"smooth piecewise power law", 3, true, fit_nothing, smooth_at},
    {"piecewise linear", 1, false, fit_nothing, linear_at},
};
#define FORMS (sizeof forms / sizeof *forms)

static double bounded(double value)
{
    return value > 0 ? fmin(value, DBL_MAX / 1e10) : 0;
}

/* What a form tells of point `out`, fitted to those from `begin` to `end` without it; NAN where it does not
 * tell. */
static double without(const struct ws_growth_form *form, const struct ws_growth *growth, size_t begin,
                      size_t end, size_t out)
{
    double *x = ws_alloc_array(growth->count + 1, sizeof *x),
           *y = ws_alloc_array(growth->count + 1, sizeof *y);
    double parameters[WS_GROWTH_TERMS] = {0}, value = NAN;
    struct points points = {x, y, 0};

    for (size_t i = begin; i < end; i++)
        if (i != out) {
            x[points.count] = growth->x[i];
            y[points.count++] = growth->y[i];
        }
    if (points.count >= form->least && points.count >= 1) {
        form->fit(&points, parameters);
        value = bounded(form->at(&points, parameters, growth->x[out]));
    }
    free(x);
    free(y);
    return value;
}

/* Which points a form is judged by, and from which others: the inner ones for sizes within; for sizes beyond,
 * the two outermost from those that are farther in. */
static double left_out(const struct ws_growth_form *form, const struct ws_growth *growth, double at, size_t i)
{
    size_t n = growth->count;

    if (at > growth->x[n - 1])
        return i + 2 >= n && i >= 2 ? without(form, growth, 0, i + 1, i) : NAN;
    if (at < growth->x[0])
        return i < 2 && i + 2 < n ? without(form, growth, i, n, i) : NAN;
    return i > 0 && i + 1 < n ? without(form, growth, 0, n, i) : NAN;
}

static double distance(double estimate, double measured, double scale)
{
    if (measured > 0 && estimate > 0)
        return fmin(fabs(log(estimate / measured)), 10);
    return fabs(estimate - measured) / scale;
}

/* Tries a form; true where it is better than what there is. */
static bool try_form(const struct ws_growth_form *form, double at, struct ws_growth *growth, double scale)
{
    double *values = ws_alloc_array(growth->count, sizeof *values), sum = 0, worst = 0;
    size_t tried = 0;
    bool better;

    for (size_t i = 0; i < growth->count; i++) {
        values[i] = left_out(form, growth, at, i);
        if (!isnan(values[i])) {
            double error = distance(values[i], growth->y[i], scale);
            sum += error;
            worst = fmax(worst, error);
            tried++;
        }
    }
    better = !growth->form ||
             (tried && (isnan(growth->error) || sum / (double)tried < 0.9 * growth->error - 1e-6));
    if (better) {
        growth->form = form;
        growth->error = tried ? sum / (double)tried : NAN;
        growth->worst = tried ? worst : NAN;
        memcpy(growth->left_out, values, growth->count * sizeof *values);
    }
    free(values);
    return better;
}

void ws_growth_fit(const double *x, const double *y, size_t count, double at, struct ws_growth *growth)
{
    struct points points;
    double largest = DBL_MIN;
    bool positive = true;

    *growth = (struct ws_growth){.count = count, .error = NAN, .worst = NAN};
    growth->x = ws_alloc_array(count, sizeof *x);
    growth->y = ws_alloc_array(count, sizeof *y);
    growth->left_out = ws_alloc_array(count, sizeof *y);
    memcpy(growth->x, x, count * sizeof *x);
    memcpy(growth->y, y, count * sizeof *y);
    for (size_t i = 0; i < count; i++) {
        positive = positive && y[i] > 0;
        largest = fmax(largest, y[i]);
    }
    for (size_t i = 0; i < FORMS; i++)
        if (count >= forms[i].least && (forms[i].positive ? positive : !positive || count == 1))
            try_form(&forms[i], at, growth, largest);
    points = (struct points){growth->x, growth->y, count};
    growth->name = growth->form->name;
    growth->form->fit(&points, growth->parameters);
}

double ws_growth_at(const struct ws_growth *growth, double x)
{
    const struct points points = {growth->x, growth->y, growth->count};

    return bounded(growth->form->at(&points, growth->parameters, x));
}

bool ws_growth_extrapolates(const struct ws_growth *growth, double x)
{
    return x < growth->x[0] || x > growth->x[growth->count - 1];
}

void ws_growth_free(struct ws_growth *growth)
{
    free(growth->x);
    free(growth->y);
    free(growth->left_out);
    *growth = (struct ws_growth){0};
}
