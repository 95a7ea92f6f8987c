/* The CLIPS constructs of a scope's rules, for people to read. */
#ifndef WS_ENGINE_CLIPS_PRINT_H
#define WS_ENGINE_CLIPS_PRINT_H

#include "rules/kb.h"

/* Each construct follows a comment that names the rule's file and line. */
int ws_clips_print(const struct ws_kb *kb, const struct ws_scope *scope, struct ws_text *out,
                   struct ws_error *error);

#endif
