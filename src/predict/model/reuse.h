/* How the miss curve of a program changes with the size of its input.  A curve is a distribution of distances
 * after which data are used again: as the input grows each part of the accesses moves to a longer distance.
 * So between two sizes the distances are followed, part by part, and not the misses of each cache, which jump
 * where a part outgrows the cache. */
#ifndef WS_PREDICT_REUSE_H
#define WS_PREDICT_REUSE_H

#include "predict/model/work.h"

/* The curve (into work) at size `at`, from the curves of runs at two sizes x0 < x1, beyond which it is
 * continued. Distances are relative to the accesses (loads and stores) of each run; those of `work` must be
 * known. */
void ws_reuse_between(double x0, const struct ws_work *run0, double x1, const struct ws_work *run1, double at,
                      struct ws_work *work);

#endif
