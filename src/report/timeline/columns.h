/* Sections of a page's timeline (docs/page.md): columns of numbers. */
#ifndef WS_REPORT_TIMELINE_COLUMNS_H
#define WS_REPORT_TIMELINE_COLUMNS_H

#include "report/timeline/zip.h"

/* The head of a section of so many bytes, which the caller adds; then ws_section_end. */
void ws_section_begin(struct ws_zip *zip, const char tag[4], size_t bytes);
void ws_section_end(struct ws_zip *zip, size_t bytes);

/* type, param: 0 but for a parameter's values. */
void ws_column_write(struct ws_zip *zip, const char tag[4], uint32_t type, uint32_t param,
                     const int64_t *values, size_t count);
void ws_column_write_reals(struct ws_zip *zip, const char tag[4], uint32_t type, uint32_t param,
                           const double *values, size_t count);

#endif
