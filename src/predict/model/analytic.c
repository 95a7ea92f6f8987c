#include "predict/model/analytic.h"

#include <math.h>

#define LINE_BYTES 64
#define ACCESS_BYTES 8
#define FAR_BYTES 1e15 /* what no cache holds */

static double mix_s(const double *c, const double *h)
{
    return h[WS_INSTRUCTIONS] *
           (h[WS_INTEGER_SHARE] / c[WS_INTEGER_OPS] + h[WS_FLOAT_SHARE] / c[WS_FLOAT_OPS]);
}

/* Seconds that these misses of a cache of `size_bytes` wait, whose data lie in a block that size holds no
 * more. */
static double waiting_s(const struct ws_node *node, double beyond_bytes, double misses, double regular)
{
    return regular * LINE_BYTES / ws_ladder_bandwidth_Bps(node, false, beyond_bytes) +
           (misses - regular) * ws_ladder_latency_s(node, false, beyond_bytes);
}

static struct ws_miss_point misses_of(const struct ws_work *work, const double *h, size_t level,
                                      double size_bytes)
{
    if (work->curve_count)
        return ws_work_misses(work, size_bytes);
    return (struct ws_miss_point){size_bytes, level == 0 ? h[WS_L1_MISSES] : h[WS_L2_MISSES], 0};
}

struct ws_analytic_time ws_analytic_theory(const struct ws_node *node, const struct ws_work *work,
                                           const double h[WS_PARAMETERS])
{
    static const double assumed[] = {32768, 1 << 20};
    const double *c = node->characteristics;
    size_t levels = node->cache_count ? node->cache_count : 2;
    struct ws_analytic_time t = {0};

    t.compute_s = fmax(mix_s(c, h), ACCESS_BYTES * h[WS_L1_ACCESSES] / c[WS_L1_BANDWIDTH]);
    for (size_t level = 0; level < levels; level++) {
        double size = node->cache_count ? node->caches[level].size_bytes : assumed[level];
        double next =
            node->cache_count && level + 1 < levels ? node->caches[level + 1].size_bytes : assumed[1];
        struct ws_miss_point here = misses_of(work, h, level, size);
        if (level + 1 < levels) {
            struct ws_miss_point beyond = misses_of(work, h, level + 1, next);
            double misses = fmax(here.misses - beyond.misses, 0);
            t.cache_s += waiting_s(node, next, misses, fmin(fmax(here.regular - beyond.regular, 0), misses));
        } else {
            t.memory_s = waiting_s(node, FAR_BYTES, here.misses, here.regular);
        }
    }
    t.total_s = t.compute_s + t.cache_s + t.memory_s;
    return t;
}
