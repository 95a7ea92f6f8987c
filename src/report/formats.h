/* Between the files of this room: the formats of report.c's table, and what they share. */
#ifndef WS_REPORT_FORMATS_H
#define WS_REPORT_FORMATS_H

#include "diagnosis/diagnosis.h"

#include <stdio.h>

/* text.c, json.c: the diagnosis as a report; errors of `out` are left to the caller; -1 only where the report
 * cannot be made. */
int ws_report_text(const struct ws_diagnosis *diagnosis, FILE *out);
int ws_report_json(const struct ws_diagnosis *diagnosis, FILE *out);

/* source.c: the text of one source line without the space around it (free()); NULL where the file is
 * not there, is not a regular file, or has no such line. */
char *ws_source_line(const char *path, int line);

#endif
