#include "predict/model/reuse.h"

#include <math.h>

/* What lies nearer than the smallest cache, or farther than the largest, lies somewhere beyond by this
 * factor. */
#define BEYOND 16

static double accesses(const struct ws_work *work)
{
    return fmax(work->counts[WS_COLUMN_LOADS] + work->counts[WS_COLUMN_STORES], 1);
}

/* Misses by access of a cache of point i. */
static double share(const struct ws_work *work, bool regular, size_t i)
{
    const struct ws_miss_point *point = &work->curve[i];

    return (regular ? point->regular : point->misses - point->regular) / accesses(work);
}

/* ln of the cache size at which so large a share of the accesses misses: the distance of that part. */
static double log_distance(const struct ws_work *work, bool regular, double part)
{
    size_t last = work->curve_count - 1;
    double before = log(work->curve[0].size_bytes);

    if (part > share(work, regular, 0))
        return before - log(BEYOND);
    for (size_t i = 0; i < last; i++) {
        double high = share(work, regular, i), low = share(work, regular, i + 1);
        double after = log(work->curve[i + 1].size_bytes);
        if (part >= low && high > low)
            return before + (after - before) * (high - part) / (high - low);
        before = after;
    }
    return log(work->curve[last].size_bytes * BEYOND);
}

/* The share of accesses that are farther away than this, where the distances of both runs are mixed. */
static double share_beyond(const struct ws_work *run0, const struct ws_work *run1, double weight,
                           bool regular, double log_size)
{
    double low = 0, high = 1;

    for (int turn = 0; turn < 50; turn++) {
        double part = (low + high) / 2;
        double distance =
            (1 - weight) * log_distance(run0, regular, part) + weight * log_distance(run1, regular, part);
        if (distance > log_size)
            low = part;
        else
            high = part;
    }
    return low;
}

void ws_reuse_between(double x0, const struct ws_work *run0, double x1, const struct ws_work *run1, double at,
                      struct ws_work *work)
{
    double weight = log(at / x0) / log(x1 / x0), all = accesses(work);

    work->curve_count = run0->curve_count && run1->curve_count ? run0->curve_count : 0;
    for (size_t i = 0; i < work->curve_count; i++) {
        double size = run0->curve[i].size_bytes;
        double regular = share_beyond(run0, run1, weight, true, log(size));
        double irregular = share_beyond(run0, run1, weight, false, log(size));
        work->curve[i] = (struct ws_miss_point){size, all * (regular + irregular), all * regular};
    }
}
