/* How long each rank was in each phase, and how much of that inside recorded calls: for the efficiencies of a
 * phase (diagnosis/efficiency.h).  Of a phase T is the time of the rank that was longest in it, all its parts
 * together, u_i what rank i computed in it, and the mean goes over the ranks that were in it at all.  So
 * ranks may begin and end a phase at different times, no rank counts for what it did in another, and for a
 * run of one phase that all begin and end together the values are the run's. */
#ifndef WS_DIAGNOSIS_PHASE_TIMES_H
#define WS_DIAGNOSIS_PHASE_TIMES_H

#include "diagnosis/diagnosis.h"

struct ws_phase_times {
    const struct ws_trace_info *info; /* borrowed */
    size_t *first;                    /* [ranks + 1] the rank's first part: before its first mark */
    int64_t *time_ns, *calls_ns;      /* [part] calls: summed over threads */
};

void ws_phase_times_init(struct ws_phase_times *times, const struct ws_trace_info *info);
/* A call of a rank, each once; the parts that it lies in get their shares. */
void ws_phase_times_call(struct ws_phase_times *times, uint32_t rank, int64_t begin_ns, int64_t end_ns);
/* Whether all time of the run is known to be in calls or outside of them: not where recording was stopped, or
 * calls were only counted. */
bool ws_phase_times_known(const struct ws_trace_info *info);
/* Fills the efficiencies of phases, found by their names.  They stay unknown where the times are.  ideal_ns:
 * [part] the time on an ideal network; NULL: not known. */
void ws_phase_times_fill(const struct ws_phase_times *times, const int64_t *ideal_ns,
                         struct ws_phase_problems *phases, size_t phase_count);
void ws_phase_times_free(struct ws_phase_times *times);

/* Reads a trace for its calls. */
int ws_phase_times_read(struct ws_phase_times *times, struct ws_trace *trace, struct ws_error *error);

#endif
