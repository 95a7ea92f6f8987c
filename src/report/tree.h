/* A report for programs as a tree of JSON, for those that write it and those that add to it. */
#ifndef WS_REPORT_TREE_H
#define WS_REPORT_TREE_H

#include "diagnosis/diagnosis.h"

#include <jansson.h>

/* What `diagnose --json` prints (docs/report.md); json_decref. */
json_t *ws_report_tree(const struct ws_diagnosis *diagnosis);

/* Values in its style: seconds to the nanosecond, whole numbers up to INT64_MAX, text that is valid UTF-8. */
json_t *ws_tree_seconds(int64_t ns);
json_t *ws_tree_count(uint64_t number);
json_t *ws_tree_string(const char *text);

#endif
