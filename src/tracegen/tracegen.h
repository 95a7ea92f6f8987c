/* From the knowledge base to the recorder: the schema of the trace and the wrappers in C. */
#ifndef WS_TRACEGEN_TRACEGEN_H
#define WS_TRACEGEN_TRACEGEN_H

#include "rules/kb.h"
#include "trace/schema.h"

/* The schema that a recorder generated from this knowledge base writes by: types in the order of
 * kb->types (the simple ones), one kind of record for all rules with the same type, role and fields.  The
 * schema owns its strings (ws_schema_free) and may outlive the knowledge base.  Fails with WS_BAD_INPUT. */
int ws_schema_from_kb(const struct ws_kb *kb, struct ws_schema *schema, struct ws_error *error);

/* The C source of the wrappers (one for each function that a trace rule names).  A helper of the knowledge
 * base named ws_before_F or ws_after_F is a hook: it is called around the program's calls of F, recorded or
 * not, and F is wrapped even where no rule names it.  ws_before_F takes F's arguments, ws_after_F its result
 * (unless F returns nothing) and then its arguments.  Adds to *out; fails with WS_BAD_INPUT where a function
 * needs more than a wrapper can hold. */
int ws_tracegen_wrappers(const struct ws_kb *kb, const struct ws_schema *schema, struct ws_text *out,
                         struct ws_error *error);

#endif
