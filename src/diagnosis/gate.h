/* Conditions on the problems of a run, and on the run (docs/report.md, "A gate for CI"): an expression of the
 * rule languages whose names are values of a report. */
#ifndef WS_DIAGNOSIS_GATE_H
#define WS_DIAGNOSIS_GATE_H

#include "diagnosis/diagnosis.h"
#include "util/text.h"

struct ws_gate;

/* NULL after adding what is wrong to the report, with its place. */
struct ws_gate *ws_gate_read(const char *condition, struct ws_text *report);
void ws_gate_free(struct ws_gate *gate);
/* As it was written; borrowed. */
const char *ws_gate_condition(const struct ws_gate *gate);
/* Does it name a value of problems?  Then it is asked of each of them; else of the run. */
bool ws_gate_is_of_problems(const struct ws_gate *gate);
/* Does it hold: holds[i] of problem i of the run, or holds[0] where it is of the run.  Fails with
 * WS_BAD_INPUT where a value that it names is not known of this run. */
int ws_gate_ask(const struct ws_gate *gate, const struct ws_diagnosis *run, bool *holds,
                struct ws_error *error);
/* What the run has of the values that it names: "efficiency 47.2, ranks 4"; those of problems are left out.
 */
void ws_gate_tell(const struct ws_gate *gate, const struct ws_diagnosis *run, struct ws_text *out);
/* The values that there are, one a line with what they mean: for --help. */
void ws_gate_values(struct ws_text *out);

#endif
