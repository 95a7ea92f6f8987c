/* Estimates for an input size that was not measured, from those at the sizes that were.  Two ways, of which
 * the one is taken that tells sizes left out better: the estimates themselves are followed (growth.h), or the
 * counts are, and the model tells the time of the counts, which goes round the corners that a curve of times
 * has where the work outgrows a cache. */
#ifndef WS_PREDICT_SIZES_H
#define WS_PREDICT_SIZES_H

#include "predict/model/growth.h"
#include "predict/model/work.h"

/* What was measured; sizes are > 0 and increase, times > 0. */
struct ws_sized {
    size_t count;
    const double *sizes;
    const double *times_s;       /* estimates on the target at these sizes */
    const struct ws_work *works; /* NULL: not known */
};

/* The time that a model gives some work, 0 where it knows none. */
typedef double ws_theory(const void *context, const struct ws_work *work);

struct ws_size_estimate {
    double time_s;
    const char *form; /* "start-up term and power law" … */
    bool by_counts;   /* the counts were followed */
    bool extrapolated;
    double error, worst; /* ln, of the sizes left out: mean and largest; NAN where too few were measured */
    double power_law_s;  /* stage X of the methodology; 0 where there is one size only */
};

/* theory may be NULL: then the times alone are followed.  count >= 2. */
void ws_size_estimate(const struct ws_sized *sized, ws_theory *theory, const void *context, double at,
                      struct ws_size_estimate *estimate);

/* The work at a size, each count followed by itself. */
void ws_work_at_size(const struct ws_sized *sized, double at, struct ws_work *work);

#endif
