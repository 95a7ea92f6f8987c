/* Between the files of this room. */
#ifndef WS_TRACEGEN_INTERNAL_H
#define WS_TRACEGEN_INTERNAL_H

#include "tracegen/tracegen.h"

/* The kind of record that a rule writes: rules with equal type, role and fields share one.  Its index;
 * record_count where there is none yet. */
size_t ws_tracegen_record(const struct ws_schema *schema, const struct ws_trace_rule *rule);
/* The kind for completions of this kind that bring nothing new (they leave everything as it was started):
 * its index; record_count where there is none. */
size_t ws_tracegen_twin(const struct ws_schema *schema, size_t completion);
/* The function's number in the schema; function_count where no rule names it. */
size_t ws_tracegen_function(const struct ws_schema *schema, const char *name);

#endif
