/* The phases that a program marked, and what waits in each. */
#ifndef WS_DIAGNOSIS_PHASES_H
#define WS_DIAGNOSIS_PHASES_H

#include "diagnosis/findings.h"

/* For ws_findings.phase; context: the trace's const struct ws_trace_info.  "" before the first mark. */
const char *ws_phase_at(void *info, uint32_t rank, int64_t ns);
/* Fills diagnosis->phases from findings that tell phases apart. */
void ws_phases_fill(struct ws_findings *findings, const struct ws_trace_info *info,
                    struct ws_diagnosis *diagnosis);

#endif
