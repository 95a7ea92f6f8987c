/* A gate for CI: a run checked against conditions, and against an earlier run.  A case of each rule for each
 * problem type, whether it occurs or not, so that who keeps the results finds the same cases in all of them.
 */
#ifndef WS_DIAGNOSIS_VERDICT_H
#define WS_DIAGNOSIS_VERDICT_H

#include "diagnosis/compare.h"
#include "diagnosis/gate.h"

struct ws_verdict_case {
    const char *rule; /* the condition, or "baseline" */
    const char *name; /* the problem type's id; "run": the condition is of the run; "time": of the run, beside
                         the baseline's; "problems": there is no problem, and no type is known */
    bool failed;
    const char *values; /* where the condition is of the run: those that it names; else NULL */
    const struct ws_problem **problems; /* for which the condition holds, the worst first */
    size_t problem_count;
    const struct ws_compared_problem **changes; /* new or worse than in the baseline */
    size_t change_count;
};
struct ws_verdict {
    struct ws_arena arena;
    const char *path;
    const struct ws_diagnosis *run;         /* borrowed, as the next */
    const struct ws_comparison *comparison; /* NULL: there is no baseline */
    const char *const *types;               /* ids of the problem types */
    size_t type_count;
    struct ws_verdict_case *cases;
    size_t case_count, case_capacity, failed_count;
};

/* A check of the run in `path`, so far without cases.  types: the ids of the problem types that are known,
 * borrowed; others that the run has are added. */
void ws_verdict_begin(struct ws_verdict *verdict, const char *path, const struct ws_diagnosis *run,
                      const char *const *types, size_t type_count);
/* Adds the cases of a condition.  Fails with WS_BAD_INPUT where the run does not tell what it asks for. */
int ws_verdict_condition(struct ws_verdict *verdict, const struct ws_gate *gate, struct ws_error *error);
/* Adds those of a comparison of the baseline with this run: no problem new or worse, and not slower; all
 * clearly. */
void ws_verdict_baseline(struct ws_verdict *verdict, const struct ws_comparison *comparison);
void ws_verdict_free(struct ws_verdict *verdict);

#endif
