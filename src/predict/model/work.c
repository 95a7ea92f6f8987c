#include "predict/model/work.h"

#include <math.h>

#define LINE_BYTES 64 /* what a miss of the curve moves */

const char *const ws_column_names[WS_COLUMNS] = {
    [WS_COLUMN_LOADS] = "loads",
    [WS_COLUMN_STORES] = "stores",
    [WS_COLUMN_INTEGER] = "integer",
    [WS_COLUMN_MULTIPLY] = "multiply",
    [WS_COLUMN_DIVIDE] = "divide",
    [WS_COLUMN_FLOAT] = "float",
    [WS_COLUMN_FLOAT_DIVIDE] = "float_divide",
    [WS_COLUMN_VECTOR] = "vector",
    [WS_COLUMN_BRANCHES] = "branches",
    [WS_COLUMN_BRANCH_MISSES] = "branch_misses",
    [WS_COLUMN_CALLS] = "calls",
    [WS_COLUMN_OTHER] = "other",
    [WS_COLUMN_IO_SESSIONS] = "io_sessions",
    [WS_COLUMN_IO_BYTES] = "io_bytes",
    [WS_COLUMN_IRREGULAR] = "memory_irregular",
    [WS_COLUMN_REGULAR] = "memory_regular",
};

/* ---- the ladder ---- */

struct step {
    double size_bytes, latency_s, bandwidth_Bps;
};

bool ws_ladder_has(const struct ws_node *node, bool huge_pages)
{
    for (size_t i = 0; i < node->ladder_count; i++)
        if (node->ladder[i].huge_pages == huge_pages)
            return true;
    return false;
}

/* The steps around a size: the largest not above it, the smallest not below it. */
static bool measured_steps(const struct ws_node *node, bool huge_pages, double size_bytes,
                           struct step around[2])
{
    bool found[2] = {false, false};

    for (size_t i = 0; i < node->ladder_count; i++) {
        const struct ws_ladder_step *step = &node->ladder[i];
        bool above = step->size_bytes > size_bytes;
        if (step->huge_pages != huge_pages)
            continue;
        if (!found[above] ||
            (above ? step->size_bytes < around[1].size_bytes : step->size_bytes > around[0].size_bytes)) {
            around[above] = (struct step){step->size_bytes, step->latency_s, step->bandwidth_Bps};
            found[above] = true;
        }
    }
    if (!found[0])
        around[0] = around[1];
    if (!found[1])
        around[1] = around[0];
    return found[0] || found[1];
}

/* Of a node without a ladder: the level that holds the block. */
static void stated_steps(const struct ws_node *node, double size_bytes, struct step around[2])
{
    const double *c = node->characteristics;
    const struct step levels[] = {
        {node->cache_count > 0 ? node->caches[0].size_bytes : 32768, c[WS_L1_LATENCY], c[WS_L1_BANDWIDTH]},
        {node->cache_count > 1 ? node->caches[1].size_bytes : 1 << 20, c[WS_L2_LATENCY], c[WS_L2_BANDWIDTH]},
        {node->cache_count > 2 ? node->caches[2].size_bytes : 0,
         sqrt(c[WS_L2_LATENCY] * c[WS_MEMORY_LATENCY]), sqrt(c[WS_L2_BANDWIDTH] * c[WS_MEMORY_BANDWIDTH])},
        {INFINITY, c[WS_MEMORY_LATENCY], c[WS_MEMORY_BANDWIDTH]},
    };
    size_t level = 0;

    while (size_bytes > levels[level].size_bytes)
        level++;
    around[0] = around[1] = levels[level];
}

static void steps_around(const struct ws_node *node, bool huge_pages, double size_bytes,
                         struct step around[2])
{
    if (!measured_steps(node, huge_pages, size_bytes, around) &&
        !measured_steps(node, !huge_pages, size_bytes, around))
        stated_steps(node, size_bytes, around);
}

static double between(double x0, double y0, double x1, double y1, double x)
{
    return x1 > x0 ? y0 * pow(y1 / y0, log(x / x0) / log(x1 / x0)) : y0;
}

double ws_ladder_latency_s(const struct ws_node *node, bool huge_pages, double size_bytes)
{
    struct step s[2];

    steps_around(node, huge_pages, size_bytes, s);
    return between(s[0].size_bytes, s[0].latency_s, s[1].size_bytes, s[1].latency_s, size_bytes);
}

double ws_ladder_bandwidth_Bps(const struct ws_node *node, bool huge_pages, double size_bytes)
{
    struct step s[2];

    steps_around(node, huge_pages, size_bytes, s);
    return between(s[0].size_bytes, s[0].bandwidth_Bps, s[1].size_bytes, s[1].bandwidth_Bps, size_bytes);
}

/* ---- the miss curve ---- */

/* Misses that a cache of point i has and the next larger of the curve has no more: what they find is as far
 * away as a block between both sizes is. */
static struct ws_miss_point band(const struct ws_work *work, size_t i)
{
    struct ws_miss_point at = work->curve[i];

    if (i + 1 < work->curve_count) {
        at.size_bytes = sqrt(at.size_bytes * work->curve[i + 1].size_bytes);
        at.misses = fmax(at.misses - work->curve[i + 1].misses, 0);
        at.regular = fmin(fmax(at.regular - work->curve[i + 1].regular, 0), at.misses);
    } else {
        at.size_bytes *= 4; /* beyond the largest cache of the curve: memory */
    }
    return at;
}

void ws_work_columns(const struct ws_work *work, const struct ws_node *node, bool huge_pages,
                     double columns[WS_COLUMNS])
{
    double first_size = work->curve_count ? work->curve[0].size_bytes : 0;

    for (size_t i = 0; i < WS_WORK_COUNTS; i++)
        columns[i] = work->counts[i];
    columns[WS_COLUMN_IRREGULAR] = columns[WS_COLUMN_REGULAR] = 0;
    for (size_t i = 0; i < work->curve_count; i++) {
        struct ws_miss_point miss = band(work, i);
        double latency_s = ws_ladder_latency_s(node, huge_pages, miss.size_bytes) -
                           ws_ladder_latency_s(node, huge_pages, first_size);
        double transfer_s = LINE_BYTES / ws_ladder_bandwidth_Bps(node, huge_pages, miss.size_bytes) -
                            LINE_BYTES / ws_ladder_bandwidth_Bps(node, huge_pages, first_size);
        columns[WS_COLUMN_IRREGULAR] += (miss.misses - miss.regular) * fmax(latency_s, 0);
        columns[WS_COLUMN_REGULAR] += miss.regular * fmax(transfer_s, 0);
    }
}

struct ws_miss_point ws_work_misses(const struct ws_work *work, double size_bytes)
{
    size_t i = 0;
    struct ws_miss_point a, b, at = {size_bytes, 0, 0};

    if (!work->curve_count)
        return at;
    while (i + 2 < work->curve_count && size_bytes > work->curve[i + 1].size_bytes)
        i++;
    a = work->curve[i];
    b = work->curve[i + 1 < work->curve_count ? i + 1 : i];
    size_bytes = fmin(fmax(size_bytes, a.size_bytes), b.size_bytes);
    /* + 1: there may be none */
    at.misses = between(a.size_bytes, a.misses + 1, b.size_bytes, b.misses + 1, size_bytes) - 1;
    at.regular =
        fmin(at.misses, between(a.size_bytes, a.regular + 1, b.size_bytes, b.regular + 1, size_bytes) - 1);
    return at;
}
