/* Shares of time, in bins of equal width for each recorded rank (a row): how much of it was spent in calls,
 * how much waiting, and of which problem.  Made for the finest level; each coarser one adds up two bins. */
#ifndef WS_REPORT_TIMELINE_LEVELS_H
#define WS_REPORT_TIMELINE_LEVELS_H

#include "report/timeline/zip.h"
#include "trace/map.h"

#define WS_LEVEL_LEAST_BINS 256
#define WS_LEVEL_MOST_BINS 16384
/* About as many cells has the finest level at most. */
#define WS_LEVEL_MOST_CELLS (UINT32_C(1) << 21)
/* Above this number of bins there is a level with half as many. */
#define WS_LEVEL_COARSEST_BINS 512
/* Problems of a cell that are none of the report's list. */
#define WS_CELL_SMALL 254
#define WS_CELL_NONE 255

struct ws_levels {
    uint32_t rows, bins;
    int64_t *edges;      /* [bins + 1] */
    int64_t *calls_ns;   /* [rows * bins] */
    struct ws_map waits; /* cell << 32 | group -> ns */
};

void ws_levels_init(struct ws_levels *levels, int64_t begin_ns, int64_t end_ns, uint32_t rows);
void ws_levels_add_call(struct ws_levels *levels, uint32_t row, int64_t from_ns, int64_t to_ns);
void ws_levels_add_wait(struct ws_levels *levels, uint32_t row, uint32_t group, int64_t from_ns,
                        int64_t to_ns);
/* How many levels there are; level l has bins >> l bins. */
uint32_t ws_levels_count(const struct ws_levels *levels);
/* problems: [groups] place of each group in the report's list, or WS_CELL_SMALL; groups beyond are small. */
void ws_levels_write(const struct ws_levels *levels, const uint8_t *problems, size_t groups,
                     struct ws_zip *zip);
void ws_levels_free(struct ws_levels *levels);

/* The edges of `bins` equal parts of the time, [bins + 1] (free()). */
int64_t *ws_time_edges(int64_t begin_ns, int64_t end_ns, uint32_t bins);
/* The bin in which a moment from begin to before end lies. */
uint32_t ws_time_bin(const int64_t *edges, uint32_t bins, int64_t ns);

#endif
