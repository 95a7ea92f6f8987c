/* A report for reading, as it is laid out: one page wide, no colour unless on a terminal. */
#ifndef WS_REPORT_SHEET_H
#define WS_REPORT_SHEET_H

#include <stddef.h>
#include <stdio.h>

#define WS_SHEET_LABEL 11 /* columns of a label */

struct ws_sheet {
    FILE *out;
    size_t width;
    const char *strong, *plain; /* escape sequences, or "" */
    const char *process;        /* what the runtime calls a process: "rank" */
    char *folder;               /* the current one with '/' at the end: paths in it are shown from there */
};

struct ws_sheet ws_sheet_open(FILE *out);
void ws_sheet_close(struct ws_sheet *sheet);

void ws_sheet_indent(const struct ws_sheet *sheet, size_t columns);
/* Writes text from `column` on, its further lines from `left` on, and ends the line.  The text is made safe
 * to print here, so that every name goes through. */
void ws_sheet_wrapped(const struct ws_sheet *sheet, const char *text, size_t left, size_t column);
void ws_sheet_line(const struct ws_sheet *sheet, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "Label      text", the text wrapped beside the label. */
void ws_sheet_labelled(const struct ws_sheet *sheet, size_t left, const char *label, const char *text);
/* "Label: text", the text wrapped below the label. */
void ws_sheet_paragraph(const struct ws_sheet *sheet, size_t left, const char *label, const char *text);

#endif
