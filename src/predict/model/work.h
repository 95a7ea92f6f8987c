/* What a run of a program, or of a calibration kernel, asks of a node: how often it does what, and how its
 * accesses miss caches of every size.  A node's cost for each of these columns is what the model fits. */
#ifndef WS_PREDICT_WORK_H
#define WS_PREDICT_WORK_H

#include "predict/node.h"

/* The columns of the model: the first are counts of the run itself; those of the memory depend on the node's
 * caches. */
enum ws_column {
    WS_COLUMN_LOADS,
    WS_COLUMN_STORES,
    WS_COLUMN_INTEGER,
    WS_COLUMN_MULTIPLY,
    WS_COLUMN_DIVIDE,
    WS_COLUMN_FLOAT,
    WS_COLUMN_FLOAT_DIVIDE,
    WS_COLUMN_VECTOR,
    WS_COLUMN_BRANCHES,
    WS_COLUMN_BRANCH_MISSES,
    WS_COLUMN_CALLS,
    WS_COLUMN_OTHER,
    WS_COLUMN_IO_SESSIONS, /* read and write calls */
    WS_COLUMN_IO_BYTES,
    WS_WORK_COUNTS,                       /* so many are counts */
    WS_COLUMN_IRREGULAR = WS_WORK_COUNTS, /* seconds of latency beyond the first level, of misses at random */
    WS_COLUMN_REGULAR, /* seconds of transfer beyond the first level, of misses in sequence */
    WS_COLUMNS
};
extern const char
    *const ws_column_names[WS_COLUMNS]; /* "branch_misses": as PROGRAM.json and the shares say */

/* Misses of a data cache of a size: the curve, from the smallest cache on. */
struct ws_miss_point {
    double size_bytes, misses, regular; /* regular: how many of the misses are in sequence or strided */
};
#define WS_CURVE_POINTS 24

struct ws_work {
    double counts[WS_WORK_COUNTS];
    size_t curve_count;
    struct ws_miss_point curve[WS_CURVE_POINTS];
};

/* Latency and bandwidth by the size of the block that is worked on, from the steps of a node's ladder on
 * small or on huge pages; where it has no ladder of this kind, of the other; where none, of its
 * characteristics and the sizes of its caches (32 kB and 1 MB where it does not tell them). */
double ws_ladder_latency_s(const struct ws_node *node, bool huge_pages, double size_bytes);
double ws_ladder_bandwidth_Bps(const struct ws_node *node, bool huge_pages, double size_bytes);
bool ws_ladder_has(const struct ws_node *node, bool huge_pages);

/* The columns of a run on a node: its counts, and the miss curve weighed with the node's ladder. */
void ws_work_columns(const struct ws_work *work, const struct ws_node *node, bool huge_pages,
                     double columns[WS_COLUMNS]);

/* Misses of a cache of this size, between the points of the curve by power laws. */
struct ws_miss_point ws_work_misses(const struct ws_work *work, double size_bytes);

#endif
