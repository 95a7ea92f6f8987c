/* A trace diagnosed by the members of a team. */
#ifndef WS_DIAGNOSIS_TOGETHER_H
#define WS_DIAGNOSIS_TOGETHER_H

#include "diagnosis/findings.h"
#include "team/team.h"

/* What they come to, at member 0. */
struct ws_together {
    struct ws_trace *trace; /* each member's part; member 0's knows of the whole */
    struct ws_findings findings;
    struct ws_engine_stats stats;
};
/* Every member calls it; all get the same result and error.  Frees what it filled with ws_together_free, also
 * where it fails. */
int ws_together_run(struct ws_together *together, const char *directory, const struct ws_kb *kb,
                    const struct ws_schema *schema, const struct ws_engine_ops *ops,
                    const struct ws_diagnosis_options *options, struct ws_error *error);
void ws_together_free(struct ws_together *together);

#endif
