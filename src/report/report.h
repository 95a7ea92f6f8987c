/* A diagnosis, or what was made of several, in one of the report formats. */
#ifndef WS_REPORT_REPORT_H
#define WS_REPORT_REPORT_H

#include "diagnosis/verdict.h"

#include <stdio.h>

/* format: "text" (for reading), "json" (docs/report.md) "brief" (a line for each of the worst problems) or
 * "what-if" (what fixes would gain).
 * Fails with WS_USAGE for another one and with WS_ENVIRONMENT where `out` cannot be written. */
int ws_report_write(const struct ws_diagnosis *diagnosis, const char *format, FILE *out,
                    struct ws_error *error);
/* The same of a comparison: "text" or "json". */
int ws_report_comparison(const struct ws_comparison *comparison, const char *format, FILE *out,
                         struct ws_error *error);
/* The same of a check: "text", "json" or "junit" (XML that CI servers read). */
int ws_report_verdict(const struct ws_verdict *verdict, const char *format, FILE *out,
                      struct ws_error *error);

/* What "json" wrote, read again (ws_diagnosis_free): all but phases, counted calls, what replaying the run
 * told of its problems and what is known of clocks. Fails with WS_BAD_INPUT, naming the file and the place in it. */
#define WS_REPORT_JSON_FORMAT 1
int ws_report_read(const char *path, struct ws_diagnosis *diagnosis, struct ws_error *error);

#endif
