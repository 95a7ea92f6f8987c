#include "util/text.h"

#include "util/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ws_text_reserve(struct ws_text *text, size_t more)
{
    size_t need = text->length + more + 1;
    if (need <= text->capacity)
        return;
    text->capacity = need < 2 * text->capacity ? 2 * text->capacity : need;
    text->bytes = ws_realloc_array(text->bytes, text->capacity, 1);
}

void ws_text_add(struct ws_text *text, const char *bytes, size_t length)
{
    ws_text_reserve(text, length);
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void ws_text_puts(struct ws_text *text, const char *string)
{
    ws_text_add(text, string, strlen(string));
}

void ws_text_integer(struct ws_text *text, int64_t number)
{
    uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;
    char digits[24];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + size % 10);
        size /= 10;
    } while (size);
    if (number < 0)
        digits[--at] = '-';
    ws_text_add(text, digits + at, sizeof digits - at);
}

void ws_text_printf(struct ws_text *text, const char *format, ...)
{
    va_list args, again;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length > 0) {
        ws_text_reserve(text, (size_t)length);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

const char *ws_text_string(const struct ws_text *text)
{
    return text->bytes ? text->bytes : "";
}

void ws_text_clear(struct ws_text *text)
{
    text->length = 0;
    if (text->bytes)
        text->bytes[0] = '\0';
}

void ws_text_free(struct ws_text *text)
{
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

bool ws_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

const char *ws_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

#define LONGEST_WORD 64

static size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST_WORD + 1], n = strlen(b);

    if (strlen(a) > LONGEST_WORD || n > LONGEST_WORD)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < least ? change : least;
        }
    }
    return row[n];
}

const char *ws_suggest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word), best = length > 1 ? length / 3 + 2 : 1; /* any letter is near any other */
    const char *found = NULL;

    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        if (distance < best) {
            best = distance;
            found = candidates[i];
        }
    }
    return found;
}

uint64_t ws_hash(uint64_t seed, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        seed = (seed ^ byte[i]) * UINT64_C(1099511628211);
    return seed;
}

int64_t ws_round(double number)
{
    if (number != number)
        return 0;
    if (number >= 0x1p63)
        return INT64_MAX;
    return number < -0x1p63 ? INT64_MIN : (int64_t)(number < 0 ? number - 0.5 : number + 0.5);
}

char *ws_format_ns(int64_t ns, char buffer[static 32])
{
    static const struct {
        double least_ns, unit_ns;
        const char *name;
    } units[] = {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "us"}, {0, 1, "ns"}};
    double size = ns < 0 ? -(double)ns : (double)ns;
    size_t i = 0;

    while (size < units[i].least_ns)
        i++;
    snprintf(buffer, 32, "%.3g %s", (double)ns / units[i].unit_ns, units[i].name);
    if (size / units[i].unit_ns >= 1000)
        snprintf(buffer, 32, "%.0f %s", (double)ns / units[i].unit_ns, units[i].name);
    return buffer;
}
