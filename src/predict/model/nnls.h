/* Non-negative least squares: the x >= 0 that makes |A x - b| least.  C. L. Lawson, R. J. Hanson, "Solving
 * Least Squares Problems" (1974), chapter 23. */
#ifndef WS_PREDICT_NNLS_H
#define WS_PREDICT_NNLS_H

#include <stddef.h>

/* a: rows * columns numbers, row by row; b: rows; x: gets columns.  *residual (may be NULL) gets |A x - b|.
 * Columns of zeros get 0.  -1 where a number is not finite: then x is all zero. */
int ws_nnls(size_t rows, size_t columns, const double *a, const double *b, double *x, double *residual);

#endif
