/* How a quantity grows with the size of the input: several forms are fitted on relative error to the sizes
 * that were measured; which one is taken is decided by leaving out each size and estimating it from the
 * others. */
#ifndef WS_PREDICT_GROWTH_H
#define WS_PREDICT_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

#define WS_GROWTH_TERMS 46 /* of the sum of terms x^i log2(x)^j */

struct ws_growth_form;

struct ws_growth {
    const struct ws_growth_form *form; /* NULL: nothing was fitted */
    const char *name;                  /* of the form: "piecewise power law" */
    size_t count;
    double *x, *y;
    double *left_out; /* what the form tells of each size that was left out; NAN where it was not tried */
    double error; /* mean of |ln(estimate / measured)| over those; NAN where too few sizes were measured to
                     try */
    double worst; /* the largest of them */
    double parameters[WS_GROWTH_TERMS];
};

/* Fits the quantity y, of which none is negative, over sizes x that are > 0 and increase, to be asked for
 * sizes near `at`: within those measured the forms are judged by the inner sizes, beyond them by how well
 * they reach the outermost from the others.  count >= 1; of one size a constant is all that can be said.
 * ws_growth_free. */
void ws_growth_fit(const double *x, const double *y, size_t count, double at, struct ws_growth *growth);
/* The quantity at a size > 0; >= 0 and finite. */
double ws_growth_at(const struct ws_growth *growth, double x);
bool ws_growth_extrapolates(const struct ws_growth *growth, double x);
void ws_growth_free(struct ws_growth *growth);

#endif
