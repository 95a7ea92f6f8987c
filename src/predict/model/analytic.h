/* The time on a node of which only the twelve characteristics are known: a sound repair of the methodology's
 * equations (system.md 3).  Misses are those of the node's own caches, a miss moves a line, what is in
 * sequence pays bandwidth and what is not pays latency, and hits of the first level pay only where they are
 * more than it delivers. */
#ifndef WS_PREDICT_ANALYTIC_H
#define WS_PREDICT_ANALYTIC_H

#include "predict/model/paper.h"
#include "predict/model/work.h"

struct ws_analytic_time {
    double compute_s; /* max(instruction mix, 8 bytes for each access / bandwidth of the first level) */
    double cache_s;   /* misses of the first level that a further cache holds */
    double memory_s;  /* those that none holds */
    double total_s;
};

/* parameters: h1..h11; work: its miss curve.  Where there is no curve the misses h4, h5 stand for it, as
 * irregular. */
struct ws_analytic_time ws_analytic_theory(const struct ws_node *node, const struct ws_work *work,
                                           const double parameters[WS_PARAMETERS]);

/* Nothing says how good it is on nodes that ran no kernel: an estimate may be off by this factor. */
#define WS_ANALYTIC_UNCERTAINTY 2.0

#endif
