/* A trace for other tools: one format is one row of a table (ws_export_formats). */
#ifndef WS_EXPORT_EXPORT_H
#define WS_EXPORT_EXPORT_H

#include "rules/kb.h"
#include "util/error.h"
#include "util/text.h"

struct ws_export_format {
    const char *name;   /* "chrome" */
    const char *line;   /* what it is and who reads it */
    const char *suffix; /* of the file's name; of a folder's */
    bool folder;        /* it is a folder of files */
    bool streams;       /* it can be written to standard output */
};
/* NULL with *error (WS_USAGE) where there is none of this name. */
const struct ws_export_format *ws_export_find(const char *name, struct ws_error *error);
/* The i-th format, or NULL. */
const struct ws_export_format *ws_export_nth(size_t i);

struct ws_export_options {
    const struct ws_export_format *format;
    const char *output; /* file or folder; "-" standard output */
    bool replace;       /* a file of that name may be replaced */
    /* Called now and then with the share of the work that is done, 0 to 1.  NULL: not called. */
    void (*progress)(double share, void *context);
    void *context;
};
/* Writes the trace in a folder.  What is written has its name only when it is complete.  Memory does not grow
 * with the trace, but for what is under way at one moment.  *warning: what cannot be in this format, "" or a
 * sentence. */
int ws_export(const char *directory, const struct ws_kb *kb, const struct ws_export_options *options,
              struct ws_text *warning, struct ws_error *error);

#endif
