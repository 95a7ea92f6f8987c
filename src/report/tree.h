/* A report for programs as a tree of JSON, for those that write it and those that add to it. */
#ifndef WS_REPORT_TREE_H
#define WS_REPORT_TREE_H

#include "diagnosis/compare.h"

#include <jansson.h>
#include <stdio.h>

/* What `diagnose --json` prints (docs/report.md); json_decref. */
json_t *ws_report_tree(const struct ws_diagnosis *diagnosis);
/* What `compare --json` prints; json_decref. */
json_t *ws_comparison_tree(const struct ws_comparison *comparison);
/* Writes a tree as all of them are, and frees it; -1 where that fails. */
int ws_tree_write(json_t *root, FILE *out);

/* Values in its style: seconds to the nanosecond, whole numbers up to INT64_MAX, text that is valid UTF-8. */
json_t *ws_tree_seconds(int64_t ns);
json_t *ws_tree_count(uint64_t number);
json_t *ws_tree_string(const char *text);
json_t *ws_tree_rounded(double number, double unit); /* a multiple of the unit */
/* gains: NULL where they are not known. */
json_t *ws_tree_problem(const struct ws_problem *problem, const struct ws_gains *gains);
json_t *ws_tree_efficiency(const struct ws_efficiency *efficiency); /* null where it is not known */
json_t *ws_tree_place(const struct ws_place *place); /* a call site, without its role */

#endif
