/* Between the files of this room: loading goes read XML, read rules, then check all of them. */
#ifndef WS_RULES_INTERNAL_H
#define WS_RULES_INTERNAL_H

#include "rules/diagnostics.h"
#include "rules/kb.h"

#define WS_USUAL_COMPILERS "cc|gcc|clang"

/* runtimes.c: what is usual where the element <runtime> says nothing, or is not there. */
void ws_runtime_complete(struct ws_kb *kb);
/* load.c: the last part of a folder's path, also where it is written as ".". */
const char *ws_folder_name(struct ws_arena *arena, const char *folder);

/* xml.c: reads the declarations of a trace-rule file into kb->helpers, functions and trace_rules
 * (pattern as written, functions not yet matched).  False where the file could not be read to its end:
 * then what follows from it cannot be checked. */
bool ws_xml_read(struct ws_kb *kb, const char *path, struct ws_diagnostics *diagnostics);
/* Up to the element <runtime> only, into kb->about. */
bool ws_xml_read_runtime(struct ws_kb *kb, const char *path, struct ws_diagnostics *diagnostics);
/* trace_rules.c: matches patterns, makes the simple event types, checks sources, formats, numbers. */
void ws_trace_rules_check(struct ws_kb *kb, struct ws_diagnostics *diagnostics);

/* transfer.c: what the events move, when all types are known. */
void ws_transfers_check(struct ws_kb *kb, struct ws_diagnostics *diagnostics);
bool ws_same_transfers(const struct ws_trace_rule *a, const struct ws_trace_rule *b);

/* parser.c: adds the declarations of an analysis-rule file, as written in this scope, to the tree (tree.h).
 */
struct ws_tree;
struct ws_tree *ws_tree_new(struct ws_arena *arena);
void ws_rules_read(struct ws_tree *tree, struct ws_kb *kb, struct ws_scope *scope, const char *path,
                   struct ws_diagnostics *diagnostics);
/* checker.c: from the tree to composite types, rules and problem rules in kb and its scopes. */
void ws_rules_check(struct ws_tree *tree, struct ws_kb *kb, struct ws_diagnostics *diagnostics);

#endif
