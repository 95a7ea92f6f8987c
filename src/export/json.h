/* JSON, piece by piece. */
#ifndef WS_EXPORT_JSON_H
#define WS_EXPORT_JSON_H

#include "util/text.h"

/* The text in quotes; bytes that are no UTF-8 become U+FFFD. */
void ws_json_string(struct ws_text *out, const char *text);
/* null where it is no finite number. */
void ws_json_real(struct ws_text *out, double value);

#endif
