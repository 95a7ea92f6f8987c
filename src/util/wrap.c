#include "util/wrap.h"

#include "util/utf8.h"

#include <ctype.h>
#include <string.h>

/* The length of the next word; a number and its unit are one. */
static size_t word_length(const char *text)
{
    static const char *const units[] = {"ns", "us", "ms", "s", "%"};
    size_t length = strcspn(text, " \n");

    if (length == 0 || text[length] != ' ' || !isdigit((unsigned char)text[length - 1]))
        return length;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i]);
        const char *after = text + length + 1 + unit;
        if (strncmp(text + length + 1, units[i], unit) == 0 && !isalnum((unsigned char)*after))
            return length + 1 + strcspn(text + length + 1, " \n");
    }
    return length;
}

static void break_line(struct ws_text *out, size_t left)
{
    ws_text_printf(out, "\n%*s", (int)left, "");
}

void ws_wrap(struct ws_text *out, const char *text, size_t left, size_t column, size_t width)
{
    bool fresh = true; /* no space before the next word */

    while (*text) {
        size_t spaces = strspn(text, " "), length, columns;
        text += spaces;
        length = word_length(text);
        columns = ws_utf8_columns(text, length);
        spaces = fresh ? 0 : spaces;
        if (length && !fresh && column + spaces + columns > width) {
            break_line(out, left);
            column = left;
            spaces = 0;
        }
        if (length) {
            ws_text_printf(out, "%*s", (int)spaces, "");
            ws_text_add(out, text, length);
            column += spaces + columns;
            fresh = false;
        }
        text += length;
        if (*text == '\n') {
            if (text[1])
                break_line(out, text[1] == '\n' ? 0 : left);
            column = left;
            fresh = true;
            text++;
        }
    }
}
