#include "rules/xml.h"

#include <string.h>

#define EXACT_MOST 1000

const struct ws_xml_cursor ws_xml_begin = {.line = 1, .column = 1};

/* Does a character (not the rest of one) begin with this byte of UTF-8? */
static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

struct ws_pos ws_xml_move_to(struct ws_xml_cursor *cursor, const struct ws_source *source, const char *path,
                             size_t offset)
{
    if (offset < cursor->offset)
        *cursor = ws_xml_begin;
    while (cursor->offset < offset && cursor->offset < source->length) {
        char byte = source->bytes[cursor->offset++];
        if (byte == '\n') {
            cursor->line++;
            cursor->column = 1;
        } else if (begins_character(byte)) {
            cursor->column++;
        }
    }
    return (struct ws_pos){path, cursor->line, cursor->column};
}

size_t ws_xml_skip_space(const char *bytes, size_t at)
{
    while (bytes[at] && strchr(" \t\r\n", bytes[at]))
        at++;
    return at;
}

size_t ws_xml_find_attribute(const char *bytes, size_t at, const char *name, size_t *value)
{
    size_t tag = at, length;
    char quote;

    *value = at;
    at++;
    at += strcspn(bytes + at, " \t\r\n/>");
    for (;;) {
        at = ws_xml_skip_space(bytes, at);
        length = strcspn(bytes + at, " \t\r\n=/>");
        if (length == 0)
            return tag;
        size_t begin = at;
        at = ws_xml_skip_space(bytes, at + length);
        if (bytes[at] != '=')
            return tag;
        at = ws_xml_skip_space(bytes, at + 1);
        quote = bytes[at];
        if (quote != '"' && quote != '\'')
            return tag;
        if (strlen(name) == length && memcmp(name, bytes + begin, length) == 0) {
            *value = at + 1;
            return begin;
        }
        const char *end = strchr(bytes + at + 1, quote);
        if (!end)
            return tag;
        at = (size_t)(end - bytes) + 1;
    }
}

/* How many bytes at `at` stand for `*decoded` bytes of the value (0: markup that stands for none). */
static size_t raw_unit(const char *bytes, size_t at, size_t *decoded)
{
    static const struct {
        const char *begin, *end;
    } markup[] = {{"<![CDATA[", ""}, {"]]>", ""}, {"<!--", "-->"}, {"<?", "?>"}};
    const char *end;

    *decoded = 0;
    for (size_t i = 0; i < sizeof markup / sizeof *markup; i++)
        if (strncmp(bytes + at, markup[i].begin, strlen(markup[i].begin)) == 0) {
            size_t length = strlen(markup[i].begin);
            end = strstr(bytes + at + length, markup[i].end);
            return end ? (size_t)(end - bytes) - at + strlen(markup[i].end) : length;
        }
    if (bytes[at] == '\r' && bytes[at + 1] == '\n')
        return 1;
    *decoded = 1;
    if (bytes[at] == '&' && (end = strchr(bytes + at, ';')))
        return (size_t)(end - bytes) - at + 1;
    return 1;
}

static size_t raw_offset(const char *bytes, size_t at, size_t offset)
{
    size_t decoded, unit;

    while (bytes[at]) {
        unit = raw_unit(bytes, at, &decoded);
        if (decoded && offset == 0)
            break;
        at += unit;
        offset -= decoded;
    }
    return at;
}

static const struct ws_source *find_source(const struct ws_diagnostics *diagnostics, const char *path)
{
    for (size_t i = 0; path && i < diagnostics->source_count; i++)
        if (strcmp(diagnostics->sources[i]->path, path) == 0)
            return diagnostics->sources[i];
    return NULL;
}

static size_t find_offset(const struct ws_source *source, struct ws_pos pos)
{
    size_t at = 0;

    for (int line = 1; line < pos.line && source->bytes[at]; at++)
        line += source->bytes[at] == '\n';
    for (int column = 1; column < pos.column && source->bytes[at]; column++)
        for (at++; source->bytes[at] && !begins_character(source->bytes[at]);)
            at++;
    return at;
}

struct ws_pos ws_xml_pos(const struct ws_diagnostics *diagnostics, struct ws_xml_place place, size_t offset)
{
    const struct ws_source *source = find_source(diagnostics, place.element.file);
    struct ws_xml_cursor cursor = ws_xml_begin;
    size_t at;

    /* Of a file of rubbish not all mistakes are shown; counting its lines for each would take for ever. */
    if (!source || place.element.line < 1 || diagnostics->mistakes > EXACT_MOST)
        return place.element;
    at = find_offset(source, place.element);
    if (place.attribute)
        ws_xml_find_attribute(source->bytes, at, place.attribute, &at);
    return ws_xml_move_to(&cursor, source, place.element.file, raw_offset(source->bytes, at, offset));
}
