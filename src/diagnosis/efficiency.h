/* How much of a run was useful work, as the POP Centre of Excellence defines it for MPI programs ("POP
 * Standard Metrics for Parallel Performance Analysis", https://pop-coe.eu/node/69).  With u_i the useful time of
 * rank i, in which it computes, T the time that the run took and T_id what it would take on an ideal network, whose
 * messages take no time and whose calls cost none:
 *   load balance              mean(u) / max(u)
 *   communication efficiency  max(u) / T        = serialisation * transfer
 *   serialisation efficiency  max(u) / T_id
 *   transfer efficiency       T_id / T
 *   parallel efficiency       mean(u) / T       = load balance * communication
 * Each is 1 where nothing is lost. */
#ifndef WS_DIAGNOSIS_EFFICIENCY_H
#define WS_DIAGNOSIS_EFFICIENCY_H

#include "diagnosis/diagnosis.h"

/* Of useful times and the run's, all of one unit.  Not known where no time passed or nothing was useful. */
struct ws_efficiency ws_efficiency_of(const double *useful, size_t count, double run);
/* The same of their sum, the greatest and their number. */
struct ws_efficiency ws_efficiency_from(double sum, double most, size_t count, double run);
/* Adds the parts of communication, from the run's time and that on an ideal network, of one unit.  An ideal time that
 * is longer than the run, or shorter than the useful time of a rank, as rounding and the ends of a replay may have
 * it, is taken as that. */
void ws_efficiency_replayed(struct ws_efficiency *efficiency, double run, double ideal);
/* Of a trace: useful is what a rank spends outside of recorded calls, T the recorded part of the run, without
 * what all ranks spent while recording was stopped. */
struct ws_efficiency ws_efficiency_of_run(const struct ws_trace_info *info);
/* That T. */
double ws_efficiency_run_ns(const struct ws_trace_info *info);

/* The recorded part of the run: from the first rank's begin to the last end; end < begin where no rank has
 * any time. */
void ws_run_span(const struct ws_trace_info *info, int64_t *begin_ns, int64_t *end_ns);
/* The rank's recorded time: from its begin to its end without that in which recording was stopped. */
int64_t ws_rank_time_ns(const struct ws_trace_rank *rank);
/* Of that in recorded calls; where several threads made such, the mean of these threads. */
int64_t ws_rank_calls_ns(const struct ws_trace_rank *rank);

#endif
