/* A diagnosis in one of the report formats. */
#ifndef WS_REPORT_REPORT_H
#define WS_REPORT_REPORT_H

#include "diagnosis/diagnosis.h"

#include <stdio.h>

/* format: "text" (for reading), "json" (docs/report.md) or "brief" (a line for each of the worst problems).  Fails with WS_USAGE for another one and with
 * WS_ENVIRONMENT where `out` cannot be written. */
int ws_report_write(const struct ws_diagnosis *diagnosis, const char *format, FILE *out,
                    struct ws_error *error);

#endif
