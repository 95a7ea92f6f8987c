#include "util/utf8.h"

#include "util/text.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* The length of the character that begins at `text`, and its code; 0 where it is not valid UTF-8
 * (overlong forms, surrogates and what lies above U+10FFFF included). */
static size_t decode(const unsigned char *text, uint32_t *code)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};

    for (size_t more = 0; more < sizeof forms / sizeof *forms; more++) {
        if ((text[0] & forms[more].mask) != forms[more].lead)
            continue;
        *code = text[0] & (unsigned char)~forms[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if ((text[i] & 0xC0) != 0x80)
                return 0;
            *code = *code << 6 | (text[i] & 0x3F);
        }
        if (*code < forms[more].least || *code > 0x10FFFF || (*code >= 0xD800 && *code <= 0xDFFF))
            return 0;
        return more + 1;
    }
    return 0;
}

/* Characters that act on a terminal instead of being shown: controls, and changes of direction. */
static bool is_steering(uint32_t code)
{
    return (code < 0x20 && code != '\n') || (code >= 0x7F && code < 0xA0) || code == 0x2028 ||
           code == 0x2029 || (code >= 0x200E && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

char *ws_utf8_copy(const char *text, bool printable)
{
    const unsigned char *at = (const unsigned char *)text;
    struct ws_text copy = {0};

    ws_text_puts(&copy, "");
    while (*at) {
        uint32_t code;
        size_t length = decode(at, &code);
        if (length == 0)
            ws_text_puts(&copy, REPLACEMENT);
        else if (printable && is_steering(code))
            ws_text_puts(&copy, code == '\t' ? " " : "?");
        else
            ws_text_add(&copy, (const char *)at, length);
        at += length ? length : 1;
    }
    return copy.bytes;
}

size_t ws_utf8_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

size_t ws_utf8_prefix(const char *text, size_t columns)
{
    size_t length = 0;

    for (; text[length]; length++)
        if (((unsigned char)text[length] & 0xC0) != 0x80 && columns-- == 0)
            break;
    return length;
}

bool ws_is_plain(const char *text, const char *without)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || strchr(without, *text))
            return false;
    return true;
}
