/* How much of a run was useful work, as the POP Centre of Excellence defines it for MPI programs ("POP
 * Standard Metrics for Parallel Performance Analysis", https://pop-coe.eu/node/69).  With u_i the useful time
 * of rank i, in which it computes, and T the time that the run took: load balance              mean(u) /
 * max(u) communication efficiency  max(u) / T parallel efficiency       mean(u) / T, the product of both Each
 * is 1 where nothing is lost. */
#ifndef WS_DIAGNOSIS_EFFICIENCY_H
#define WS_DIAGNOSIS_EFFICIENCY_H

#include "diagnosis/diagnosis.h"

/* Of useful times and the run's, all of one unit.  Not known where no time passed or nothing was useful. */
struct ws_efficiency ws_efficiency_of(const double *useful, size_t count, double run);
/* Of a trace: useful is what a rank spends outside of recorded calls, T the recorded part of the run, without
 * what all ranks spent while recording was stopped. */
struct ws_efficiency ws_efficiency_of_run(const struct ws_trace_info *info);

/* The recorded part of the run: from the first rank's begin to the last end; end < begin where no rank has
 * any time. */
void ws_run_span(const struct ws_trace_info *info, int64_t *begin_ns, int64_t *end_ns);
/* The rank's recorded time: from its begin to its end without that in which recording was stopped. */
int64_t ws_rank_time_ns(const struct ws_trace_rank *rank);
/* Of that in recorded calls; where several threads made such, the mean of these threads. */
int64_t ws_rank_calls_ns(const struct ws_trace_rank *rank);

#endif
