#include "rules/diagnostics.h"

#include "util/file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of rubbish has as many mistakes as words: after so many they are counted only. */
#define SHOWN_MOST 500
/* Columns of a source line that are shown, and how many of them stand before the caret at most. */
#define LINE_MOST 110
#define LINE_BEFORE 70
#define MESSAGE_MOST 400

/* ---- UTF-8 ---- */

/* Bytes of the well-formed character at the start of bytes[0..left), or 0. */
static size_t character_length(const unsigned char *bytes, size_t left)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };

    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        size_t length = forms[f].length;
        if (bytes[0] < forms[f].first_low || bytes[0] > forms[f].first_high)
            continue;
        if (length > left)
            return 0;
        if (length > 1 && (bytes[1] < forms[f].second_low || bytes[1] > forms[f].second_high))
            return 0;
        for (size_t i = 2; i < length; i++)
            if ((bytes[i] & 0xc0) != 0x80)
                return 0;
        return length;
    }
    return 0;
}

/* A character that would move the cursor or reorder the line: C0, DEL, C1, bidirectional controls. */
static bool is_control(const unsigned char *bytes, size_t length)
{
    if (length == 1)
        return bytes[0] < 0x20 || bytes[0] == 0x7f;
    if (length == 2)
        return bytes[0] == 0xc2 && bytes[1] < 0xa0;
    if (length == 3 && bytes[0] == 0xe2 && bytes[1] == 0x80)
        return bytes[2] == 0x8e || bytes[2] == 0x8f || (bytes[2] >= 0xa8 && bytes[2] <= 0xae);
    return length == 3 && bytes[0] == 0xe2 && bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9;
}

/* Adds one character as it may be shown, and gives the bytes it took. */
static size_t show_character(struct ws_text *out, const char *bytes, size_t left)
{
    size_t length = character_length((const unsigned char *)bytes, left);

    if (length == 0 || is_control((const unsigned char *)bytes, length))
        ws_text_puts(out, *bytes == '\t' ? " " : "?");
    else
        ws_text_add(out, bytes, length);
    return length ? length : 1;
}

/* Adds a message or path, cut where it is longer than anyone reads. */
static void show_text(struct ws_text *out, const char *text)
{
    size_t length = strlen(text), at = 0;

    while (at < length && at < MESSAGE_MOST)
        at += show_character(out, text + at, length - at);
    if (at < length)
        ws_text_puts(out, "...");
}

/* ---- source lines ---- */

static const struct ws_source *source_of(const struct ws_diagnostics *diagnostics, const char *path)
{
    for (size_t i = diagnostics->source_count; path && i > 0; i--)
        if (strcmp(diagnostics->sources[i - 1]->path, path) == 0)
            return diagnostics->sources[i - 1];
    return NULL;
}

/* The bytes of a line (from 1) without its end; false where there is none. */
static bool find_line(const struct ws_source *source, int line, const char **start, size_t *length)
{
    const char *end = source->bytes + source->length, *at = source->bytes;

    if (line < 1)
        return false;
    for (; line > 1; line--) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at)
            return false;
        at++;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop)
        stop = end;
    if (stop > at && stop[-1] == '\r')
        stop--;
    *start = at;
    *length = (size_t)(stop - at);
    return true;
}

/* Skips `columns` characters; gives the bytes they take. */
static size_t skip_columns(const char *line, size_t length, size_t columns)
{
    size_t at = 0;

    for (; columns > 0 && at < length; columns--) {
        size_t step = character_length((const unsigned char *)line + at, length - at);
        at += step ? step : 1;
    }
    return at;
}

/* The caret's line: under column `before` of what is shown, as wide as the mistake but not past it. */
static void show_caret(struct ws_text *out, size_t before, size_t shown, int width)
{
    ws_text_printf(out, "      | %*s^", (int)before, "");
    for (size_t i = 1; i < (size_t)(width > 1 ? width : 1) && before + i < shown; i++)
        ws_text_puts(out, "~");
    ws_text_puts(out, "\n");
}

static void show_source(struct ws_text *out, const struct ws_source *source, struct ws_pos pos, int width)
{
    size_t length, at, first, shown = 0, dots = 0;
    const char *line;

    if (!find_line(source, pos.line, &line, &length) || pos.column < 1)
        return;
    first = (size_t)pos.column - 1 > LINE_BEFORE ? (size_t)pos.column - 1 - LINE_BEFORE : 0;
    if (skip_columns(line, length, LINE_MOST) == length)
        first = 0;
    at = skip_columns(line, length, first);
    ws_text_printf(out, "%5d | ", pos.line);
    if (first > 0) {
        ws_text_puts(out, "...");
        dots = 3;
    }
    for (; at < length && shown < LINE_MOST; shown++)
        at += show_character(out, line + at, length - at);
    ws_text_puts(out, at < length ? "...\n" : "\n");
    show_caret(out, (size_t)pos.column - 1 - first + dots, shown + dots, width);
}

/* ---- reports ---- */

struct ws_reported {
    struct ws_pos pos; /* file: borrowed from the arena */
    size_t begin;      /* of its text in the report */
    struct ws_remark remark;
};

static const char *kept(struct ws_diagnostics *diagnostics, struct ws_text *text)
{
    const char *copy = ws_arena_strdup(&diagnostics->arena, ws_text_string(text));

    ws_text_clear(text);
    return copy;
}

static struct ws_remark describe(struct ws_diagnostics *diagnostics, const char *kind, struct ws_pos pos,
                                 int width, const char *suggestion, const char *message)
{
    const struct ws_source *source = source_of(diagnostics, pos.file);
    struct ws_remark remark = {.kind = kind, .line = pos.line, .column = pos.line > 0 ? pos.column : 0};
    struct ws_text text = {0};

    show_text(&text, pos.file);
    remark.file = kept(diagnostics, &text);
    show_text(&text, message);
    if (suggestion) {
        ws_text_puts(&text, "; did you mean '");
        show_text(&text, suggestion);
        ws_text_puts(&text, "'?");
    }
    remark.message = kept(diagnostics, &text);
    if (source)
        show_source(&text, source, pos, width);
    remark.shown = kept(diagnostics, &text);
    ws_text_free(&text);
    return remark;
}

static void print_remark(const struct ws_remark *remark, struct ws_text *out)
{
    ws_text_puts(out, remark->file);
    if (remark->line > 0)
        ws_text_printf(out, ":%d:%d", remark->line, remark->column);
    ws_text_printf(out, ": %s: %s\n%s", remark->kind, remark->message, remark->shown);
}

static bool is_behind(struct ws_pos a, struct ws_pos b)
{
    return a.line != b.line ? a.line > b.line : a.column > b.column;
}

/* Where in the list a mistake belongs: after those of its file that do not stand behind it. */
static size_t place_in_report(const struct ws_diagnostics *diagnostics, struct ws_pos pos)
{
    size_t place = diagnostics->reported_count;

    for (size_t i = diagnostics->reported_count; i > 0; i--) {
        if (strcmp(diagnostics->reported[i - 1].pos.file, pos.file) != 0)
            continue;
        if (place == diagnostics->reported_count)
            place = i;
        if (!is_behind(diagnostics->reported[i - 1].pos, pos))
            break;
        place = i - 1;
    }
    return place;
}

/* Puts a remark and its text into the report where its place belongs. */
static void insert(struct ws_diagnostics *diagnostics, struct ws_pos pos, const struct ws_remark *remark,
                   const struct ws_text *text)
{
    struct ws_text *report = diagnostics->report;
    size_t place = place_in_report(diagnostics, pos), count = diagnostics->reported_count;
    size_t at = place < count ? diagnostics->reported[place].begin : report->length;
    struct ws_reported *list;

    ws_text_add(report, text->bytes, text->length);
    memmove(report->bytes + at + text->length, report->bytes + at, report->length - text->length - at);
    memcpy(report->bytes + at, text->bytes, text->length);
    WS_PUSH(diagnostics->reported, diagnostics->reported_count, diagnostics->reported_capacity) =
        (struct ws_reported){0};
    list = diagnostics->reported;
    for (size_t i = count; i > place; i--) {
        list[i] = list[i - 1];
        list[i].begin += text->length;
    }
    pos.file = ws_arena_strdup(&diagnostics->arena, pos.file);
    list[place] = (struct ws_reported){pos, at, *remark};
}

static void report(struct ws_diagnostics *diagnostics, const char *kind, struct ws_pos pos, int width,
                   const char *suggestion, const char *format, va_list args)
{
    size_t number = diagnostics->mistakes + diagnostics->warnings;
    struct ws_text text = {0};
    struct ws_remark remark;
    char *message;

    if (!diagnostics->report || number > SHOWN_MOST + 1)
        return;
    if (number == SHOWN_MOST + 1) {
        ws_text_puts(diagnostics->report, "(further mistakes are not shown)\n");
        return;
    }
    if (!pos.file)
        pos.file = "(built in)";
    if (vasprintf(&message, format, args) < 0)
        return;
    remark = describe(diagnostics, kind, pos, width, suggestion, message);
    print_remark(&remark, &text);
    insert(diagnostics, pos, &remark, &text);
    free(message);
    ws_text_free(&text);
}

void ws_mistake(struct ws_diagnostics *diagnostics, struct ws_pos pos, int width, const char *suggestion,
                const char *format, ...)
{
    va_list args;

    if (diagnostics->mistakes++ == 0 && pos.file)
        diagnostics->first_file = ws_arena_strdup(&diagnostics->arena, pos.file);
    va_start(args, format);
    report(diagnostics, "error", pos, width, suggestion, format, args);
    va_end(args);
}

void ws_warning(struct ws_diagnostics *diagnostics, struct ws_pos pos, int width, const char *suggestion,
                const char *format, ...)
{
    va_list args;

    diagnostics->warnings++;
    va_start(args, format);
    report(diagnostics, "warning", pos, width, suggestion, format, args);
    va_end(args);
}

void ws_diagnostics_remarks(const struct ws_diagnostics *diagnostics, struct ws_remarks *remarks)
{
    remarks->count = diagnostics->reported_count;
    remarks->items = ws_arena_alloc(&remarks->arena, (remarks->count + 1) * sizeof *remarks->items);
    for (size_t i = 0; i < remarks->count; i++) {
        struct ws_remark remark = diagnostics->reported[i].remark; /* its kind is a literal */
        remark.file = ws_arena_strdup(&remarks->arena, remark.file);
        remark.message = ws_arena_strdup(&remarks->arena, remark.message);
        remark.shown = ws_arena_strdup(&remarks->arena, remark.shown);
        remarks->items[i] = remark;
    }
}

void ws_remarks_free(struct ws_remarks *remarks)
{
    ws_arena_free(&remarks->arena);
    *remarks = (struct ws_remarks){0};
}

/* ---- sources ---- */

/* Reports the first byte that no text file has; true where there is none. */
static bool is_text(struct ws_diagnostics *diagnostics, const struct ws_source *source)
{
    struct ws_pos pos = {source->path, 1, 1};

    for (size_t at = 0; at < source->length; pos.column++) {
        const unsigned char *byte = (const unsigned char *)source->bytes + at;
        size_t length = character_length(byte, source->length - at);
        if (length == 0 || *byte == 0) {
            ws_mistake(diagnostics, pos, 1, NULL, "not a text file: %s",
                       length ? "it has a NUL byte here" : "this byte is not UTF-8");
            return false;
        }
        if (*byte == '\n') {
            pos.line++;
            pos.column = 0;
        }
        at += length;
    }
    return true;
}

const struct ws_source *ws_source_add(struct ws_diagnostics *diagnostics, const char *path, const char *bytes,
                                      size_t length)
{
    struct ws_source *source = ws_arena_alloc(&diagnostics->arena, sizeof *source);

    source->path = ws_arena_strdup(&diagnostics->arena, path);
    source->bytes = ws_arena_strndup(&diagnostics->arena, bytes, length);
    source->length = length;
    WS_PUSH(diagnostics->sources, diagnostics->source_count, diagnostics->source_capacity) = source;
    return is_text(diagnostics, source) ? source : NULL;
}

const struct ws_source *ws_source_read(struct ws_diagnostics *diagnostics, const char *path)
{
    struct ws_pos pos = {path, 0, 0};
    const struct ws_source *source;
    struct ws_error error = {0};
    size_t length;
    char *bytes = ws_file_read(path, WS_RULE_FILE_MOST, &length, &error);

    if (!bytes) {
        size_t prefix = strlen(path) + strlen(": ");
        bool named = strncmp(error.text, path, strlen(path)) == 0 && strlen(error.text) > prefix;
        ws_mistake(diagnostics, pos, 0, NULL, "%s", named ? error.text + prefix : error.text);
        return NULL;
    }
    source = ws_source_add(diagnostics, path, bytes, length);
    free(bytes);
    return source;
}

void ws_diagnostics_free(struct ws_diagnostics *diagnostics)
{
    free(diagnostics->sources);
    free(diagnostics->reported);
    ws_arena_free(&diagnostics->arena);
    memset(diagnostics, 0, sizeof *diagnostics);
}

int ws_word_width(const char *word)
{
    size_t length = strlen(word);
    return length > 200 ? 200 : length > 0 ? (int)length : 1;
}
