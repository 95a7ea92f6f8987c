#include "report/timeline/levels.h"

#include "report/timeline/columns.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- time in parts ---- */

int64_t *ws_time_edges(int64_t begin_ns, int64_t end_ns, uint32_t bins)
{
    int64_t *edges = ws_alloc_array((size_t)bins + 1, sizeof *edges);
    unsigned __int128 span = (uint64_t)end_ns - (uint64_t)begin_ns;

    for (uint32_t i = 0; i <= bins; i++)
        edges[i] = (int64_t)((uint64_t)begin_ns + (uint64_t)(span * i / bins));
    return edges;
}

/* Estimated, then put right: parts differ by a nanosecond at most. */
uint32_t ws_time_bin(const int64_t *edges, uint32_t bins, int64_t ns)
{
    double share = ((double)ns - (double)edges[0]) / ((double)edges[bins] - (double)edges[0]);
    double estimate = share * bins;
    uint32_t bin = estimate < 0 ? 0 : estimate >= bins ? bins - 1 : (uint32_t)estimate;

    while (bin > 0 && edges[bin] > ns)
        bin--;
    while (bin + 1 < bins && edges[bin + 1] <= ns)
        bin++;
    return bin;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- collecting ---- */

static uint32_t choose_bins(uint64_t span_ns, uint32_t rows)
{
    uint32_t bins = WS_LEVEL_MOST_BINS;

    while (bins > WS_LEVEL_LEAST_BINS && (uint64_t)bins * rows > WS_LEVEL_MOST_CELLS)
        bins /= 2;
    while (bins > 1 && bins > span_ns)
        bins /= 2;
    return bins;
}

void ws_levels_init(struct ws_levels *levels, int64_t begin_ns, int64_t end_ns, uint32_t rows)
{
    uint32_t bins = choose_bins((uint64_t)end_ns - (uint64_t)begin_ns, rows);

    *levels = (struct ws_levels){.rows = rows, .bins = bins, .edges = ws_time_edges(begin_ns, end_ns, bins)};
    levels->calls_ns = ws_alloc_array((size_t)rows * bins + 1, sizeof *levels->calls_ns);
}

/* The first bin that the interval touches, which is cut to the levels' time; false where it has none of it.
 */
static bool cut(const struct ws_levels *levels, int64_t *from_ns, int64_t *to_ns, uint32_t *bin)
{
    *from_ns = later(*from_ns, levels->edges[0]);
    *to_ns = earlier(*to_ns, levels->edges[levels->bins]);
    if (*from_ns >= *to_ns)
        return false;
    *bin = ws_time_bin(levels->edges, levels->bins, *from_ns);
    return true;
}

/* How much of the interval lies in the bin. */
static int64_t part_ns(const struct ws_levels *levels, uint32_t bin, int64_t from_ns, int64_t to_ns)
{
    return earlier(levels->edges[bin + 1], to_ns) - later(levels->edges[bin], from_ns);
}

void ws_levels_add_call(struct ws_levels *levels, uint32_t row, int64_t from_ns, int64_t to_ns)
{
    int64_t *cells = levels->calls_ns + (size_t)row * levels->bins;
    uint32_t bin;

    if (!cut(levels, &from_ns, &to_ns, &bin))
        return;
    for (; bin < levels->bins && levels->edges[bin] < to_ns; bin++)
        cells[bin] += part_ns(levels, bin, from_ns, to_ns);
}

void ws_levels_add_wait(struct ws_levels *levels, uint32_t row, uint32_t group, int64_t from_ns,
                        int64_t to_ns)
{
    uint64_t first = (uint64_t)row * levels->bins;
    uint32_t bin;

    if (!cut(levels, &from_ns, &to_ns, &bin))
        return;
    for (; bin < levels->bins && levels->edges[bin] < to_ns; bin++)
        ws_map_reach(&levels->waits, (first + bin) << 32 | group)->value +=
            (uint64_t)part_ns(levels, bin, from_ns, to_ns);
}

void ws_levels_free(struct ws_levels *levels)
{
    free(levels->edges);
    free(levels->calls_ns);
    ws_map_free(&levels->waits);
    *levels = (struct ws_levels){0};
}

/* ---- writing ---- */

uint32_t ws_levels_count(const struct ws_levels *levels)
{
    uint32_t count = 1;

    while (levels->bins >> (count - 1) > WS_LEVEL_COARSEST_BINS)
        count++;
    return count;
}

static int by_key(const void *left, const void *right)
{
    const struct ws_map_entry *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

/* The waits by row, bin and group (free()). */
static struct ws_map_entry *in_order(const struct ws_map *map)
{
    struct ws_map_entry *list = ws_alloc_array(map->count + 1, sizeof *list);
    size_t count = 0;

    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].value)
            list[count++] = map->entries[i];
    qsort(list, count, sizeof *list, by_key);
    return list;
}

/* What is added up for one cell of a level. */
struct cell {
    int64_t calls_ns, waits_ns;
    int64_t by_problem[256];
    uint8_t touched[256];
    size_t touched_count;
};

static void add_wait(struct cell *cell, uint8_t problem, int64_t ns)
{
    if (cell->by_problem[problem] == 0)
        cell->touched[cell->touched_count++] = problem;
    cell->by_problem[problem] += ns;
    cell->waits_ns += ns;
}

/* The one with the most waiting; of equal ones the worse.  Leaves the cell empty. */
static uint8_t take_problem(struct cell *cell)
{
    uint8_t most = WS_CELL_NONE;

    for (size_t i = 0; i < cell->touched_count; i++) {
        uint8_t problem = cell->touched[i];
        if (most == WS_CELL_NONE || cell->by_problem[problem] > cell->by_problem[most] ||
            (cell->by_problem[problem] == cell->by_problem[most] && problem < most))
            most = problem;
    }
    for (size_t i = 0; i < cell->touched_count; i++)
        cell->by_problem[cell->touched[i]] = 0;
    cell->touched_count = 0;
    return most;
}

static uint8_t share_of(int64_t part_ns, int64_t whole_ns)
{
    double share = 255.0 * (double)part_ns / (double)whole_ns + 0.5;

    if (part_ns <= 0)
        return 0;
    return share < 1 ? 1 : share > 255 ? 255 : (uint8_t)share;
}

/* Several threads may be in calls at once, and rules may find waiting outside of calls. */
static void finish_cell(struct cell *cell, int64_t width_ns, uint8_t *calls, uint8_t *waits, uint8_t *problem)
{
    int64_t waits_ns = earlier(cell->waits_ns, cell->calls_ns);

    *calls = share_of(cell->calls_ns, width_ns);
    *waits = share_of(waits_ns, width_ns);
    *problem = take_problem(cell);
    if (*waits == 0)
        *problem = WS_CELL_NONE;
    cell->calls_ns = cell->waits_ns = 0;
}

struct planes {
    uint8_t *calls, *waits, *problems;
};

static void fill_planes(const struct ws_levels *levels, uint32_t level, const struct ws_map_entry *waits,
                        const uint8_t *problems, size_t groups, struct planes planes)
{
    const struct ws_map_entry *end = waits + levels->waits.count;
    uint32_t fine = UINT32_C(1) << level;
    struct cell cell = {.touched_count = 0};
    size_t at = 0;

    for (size_t i = 0; i < (size_t)levels->rows * levels->bins; i += fine, at++) {
        size_t bin = i % levels->bins;
        for (size_t k = 0; k < fine; k++)
            cell.calls_ns +=
                earlier(levels->calls_ns[i + k], levels->edges[bin + k + 1] - levels->edges[bin + k]);
        for (; waits < end && waits->key >> 32 < i + fine; waits++) {
            uint32_t group = (uint32_t)waits->key;
            add_wait(&cell, group < groups ? problems[group] : WS_CELL_SMALL, (int64_t)waits->value);
        }
        finish_cell(&cell, levels->edges[bin + fine] - levels->edges[bin], &planes.calls[at],
                    &planes.waits[at], &planes.problems[at]);
    }
}

static void write_level(struct ws_zip *zip, const struct ws_levels *levels, uint32_t level,
                        struct planes planes)
{
    uint32_t bins = levels->bins >> level;
    size_t cells = (size_t)levels->rows * bins;

    ws_section_begin(zip, "LEVL", 12 + 3 * cells);
    ws_zip_u32(zip, level);
    ws_zip_u32(zip, levels->rows);
    ws_zip_u32(zip, bins);
    ws_zip_add(zip, planes.calls, cells);
    ws_zip_add(zip, planes.waits, cells);
    ws_zip_add(zip, planes.problems, cells);
    ws_section_end(zip, 12 + 3 * cells);
}

void ws_levels_write(const struct ws_levels *levels, const uint8_t *problems, size_t groups,
                     struct ws_zip *zip)
{
    size_t cells = (size_t)levels->rows * levels->bins;
    struct ws_map_entry *waits = in_order(&levels->waits);
    struct planes planes = {ws_alloc_array(cells + 1, 1), ws_alloc_array(cells + 1, 1),
                            ws_alloc_array(cells + 1, 1)};

    for (uint32_t level = 0; level < ws_levels_count(levels); level++) {
        fill_planes(levels, level, waits, problems, groups, planes);
        write_level(zip, levels, level, planes);
    }
    free(planes.calls);
    free(planes.waits);
    free(planes.problems);
    free(waits);
}
