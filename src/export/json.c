#include "export/json.h"

#include "util/utf8.h"

#include <math.h>
#include <stdlib.h>

void ws_json_string(struct ws_text *out, const char *text)
{
    char *valid;

    ws_text_puts(out, "\"");
    if (ws_is_plain(text, "\"\\")) {
        ws_text_puts(out, text);
        ws_text_puts(out, "\"");
        return;
    }
    valid = ws_utf8_copy(text, false);
    for (const char *at = valid; *at; at++) {
        if (*at == '"' || *at == '\\')
            ws_text_printf(out, "\\%c", *at);
        else if ((unsigned char)*at < ' ' || *at == 127)
            ws_text_printf(out, "\\u%04x", (unsigned)*at);
        else
            ws_text_add(out, at, 1);
    }
    ws_text_puts(out, "\"");
    free(valid);
}

void ws_json_real(struct ws_text *out, double value)
{
    if (isfinite(value))
        ws_text_printf(out, "%.17g", value);
    else
        ws_text_puts(out, "null");
}
