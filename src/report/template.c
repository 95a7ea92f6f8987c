#include "report/template.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* WHYSLOW_PAGE: the path of the built page. */
__asm__(".pushsection .rodata\n"
        ".global ws_page\n"
        "ws_page:\n"
        ".incbin \"" WHYSLOW_PAGE "\"\n"
        ".byte 0\n"
        ".popsection\n");
extern const char ws_page[];

static const char marker[] = "<!-- whyslow:data -->";

/* What a text in JSON must not hold, lest a browser sees markup or the end of a line of script. */
void ws_template_json(struct ws_text *out, json_t *value)
{
    char *json = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
    const char *at = json;

    if (!json)
        ws_out_of("memory");
    while (*at) {
        size_t plain = strcspn(at, "<>&\xe2");
        ws_text_add(out, at, plain);
        at += plain;
        if (strncmp(at, "\xe2\x80\xa8", 3) == 0 || strncmp(at, "\xe2\x80\xa9", 3) == 0) {
            ws_text_printf(out, "\\u20%02x", (unsigned char)at[2] - 0x80);
            at += 3;
        } else if (*at == '\xe2') {
            ws_text_add(out, at++, 1);
        } else if (*at) {
            ws_text_printf(out, "\\u%04x", *at++);
        }
    }
    free(json);
}

void ws_template_begin(struct ws_text *out, json_t *report)
{
    ws_text_add(out, ws_page, (size_t)(strstr(ws_page, marker) - ws_page));
    ws_text_puts(out, "<script type=\"application/json\" id=\"ws-report\">");
    ws_template_json(out, report);
    ws_text_puts(out, "</script>\n<script type=\"text/plain\" id=\"ws-timeline\">");
}

void ws_template_end(struct ws_text *out)
{
    ws_text_puts(out, "</script>");
    ws_text_puts(out, strstr(ws_page, marker) + strlen(marker));
}
