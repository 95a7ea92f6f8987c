/* Text broken into lines for reading. */
#ifndef WS_UTIL_WRAP_H
#define WS_UTIL_WRAP_H

#include "util/text.h"

/* Adds valid UTF-8 to *out, broken at spaces where a line would be wider than `width` columns; a newline in
 * the text breaks the line too, and one at its end is dropped.  The text begins in `column`, its further
 * lines in the column `left`.  A number and its unit stay together; spaces within a line stay as many as they
 * are. */
void ws_wrap(struct ws_text *out, const char *text, size_t left, size_t column, size_t width);

#endif
