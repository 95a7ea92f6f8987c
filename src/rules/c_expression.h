/* The C expressions of the trace rules: not parsed, but read token by token, so that what is no single
 * expression or names what is not there is found here and not in the generated code. */
#ifndef WS_RULES_C_EXPRESSION_H
#define WS_RULES_C_EXPRESSION_H

#include "rules/xml.h"

struct ws_c_context {
    const struct ws_kb *kb;               /* its helpers may be called */
    struct ws_function *const *functions; /* names must be arguments of all of these */
    size_t function_count;
    bool index;       /* `i` may be used */
    const char *what; /* for messages: "the source of 'peer'" */
    struct ws_xml_place place;
};

/* Reports every mistake in `text`. */
void ws_c_expression_check(struct ws_diagnostics *diagnostics, const struct ws_c_context *context,
                           const char *text);

/* A C identifier, not longer than any compiler needs. */
#define WS_NAME_MOST 128
bool ws_is_name(const char *text);

#endif
