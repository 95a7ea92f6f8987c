/* The value of an expression over one event, where none is computed often enough for a formula. */
#ifndef WS_ENGINE_EVALUATE_H
#define WS_ENGINE_EVALUATE_H

#include "rules/kb.h"

/* All members that the expression names are this event: it names one only.  False where the value is
 * undefined; aggregates always are. */
bool ws_evaluate(const struct ws_expr *expr, const struct ws_event *event, union ws_value *result);

#endif
