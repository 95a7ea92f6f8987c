/* The page as it is built (src/report/page/), which is part of the executable, and data put into it. */
#ifndef WS_REPORT_TEMPLATE_H
#define WS_REPORT_TEMPLATE_H

#include "util/error.h"
#include "util/text.h"

#include <jansson.h>

/* Adds the page up to where the report's data stand, and with them; `timeline` follows, which the caller adds
 * as base64; then the rest.  docs/page.md describes both. */
void ws_template_begin(struct ws_text *out, json_t *report);
void ws_template_end(struct ws_text *out);

/* Adds JSON that stays within a script element whatever its texts are. */
void ws_template_json(struct ws_text *out, json_t *value);

#endif
