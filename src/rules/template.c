#include "rules/template.h"

#include "rules/append.h"

#include <string.h>

static const char *const function_names[] = {
    [WS_PIECE_SUM] = "sum", [WS_PIECE_MEAN] = "mean", [WS_PIECE_MIN] = "min", [WS_PIECE_MAX] = "max"};
#define FUNCTION_COUNT (sizeof function_names / sizeof *function_names)

struct splitter {
    struct ws_arena *arena;
    struct ws_diagnostics *diagnostics;
    const struct ws_tree_text *text;
    size_t at;
    struct ws_template_pieces pieces;
};

/* ---- characters ---- */

static struct ws_pos pos_of(const struct splitter *splitter, size_t at)
{
    struct ws_spot spot = splitter->text->spots[at];
    return (struct ws_pos){splitter->text->file, spot.line, spot.column};
}

/* Columns from one byte to another, 1 where a line is crossed. */
static int width_of(const struct splitter *splitter, size_t from, size_t to)
{
    struct ws_spot a = splitter->text->spots[from], b = splitter->text->spots[to];
    return a.line == b.line && b.column > a.column ? b.column - a.column : 1;
}

static bool left(const struct splitter *splitter)
{
    return splitter->at < splitter->text->length;
}

static char peek(const struct splitter *splitter, size_t ahead)
{
    size_t at = splitter->at + ahead;
    return at < splitter->text->length ? splitter->text->bytes[at] : '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

static void skip_blanks(struct splitter *splitter)
{
    while (left(splitter) && (peek(splitter, 0) == ' ' || peek(splitter, 0) == '\n'))
        splitter->at++;
}

static void wrong(struct splitter *splitter, size_t from, const char *why)
{
    ws_mistake(splitter->diagnostics, pos_of(splitter, from), width_of(splitter, from, splitter->at), NULL,
               "%s", why);
}

/* ---- places ---- */

static struct ws_word word(struct splitter *splitter)
{
    size_t from;
    struct ws_word word = {0};

    skip_blanks(splitter);
    from = splitter->at;
    while (left(splitter) && is_letter(peek(splitter, 0)))
        splitter->at++;
    word.pos = pos_of(splitter, from);
    word.width = width_of(splitter, from, splitter->at);
    if (splitter->at > from)
        word.text = ws_arena_strndup(splitter->arena, splitter->text->bytes + from, splitter->at - from);
    skip_blanks(splitter);
    return word;
}

/* Of two words side by side the first must be a function. */
static bool find_function(struct splitter *splitter, struct ws_template_piece *piece)
{
    if (!piece->function_word.text)
        return true;
    for (size_t i = WS_PIECE_SUM; i < FUNCTION_COUNT; i++)
        if (strcmp(piece->function_word.text, function_names[i]) == 0) {
            piece->function = (enum ws_piece_function)i;
            return true;
        }
    ws_mistake(
        splitter->diagnostics, piece->function_word.pos, piece->function_word.width,
        ws_suggest(piece->function_word.text, function_names + WS_PIECE_SUM, FUNCTION_COUNT - WS_PIECE_SUM),
        "unknown function '%s' in a template: there are sum, mean, min and max", piece->function_word.text);
    return false;
}

/* [ function ] NAME [ "." NAME ]: false where something is missing. */
static bool split_words(struct splitter *splitter, struct ws_template_piece *piece)
{
    piece->name = word(splitter);
    if (piece->name.text && is_letter(peek(splitter, 0))) {
        piece->function_word = piece->name;
        piece->name = word(splitter);
    }
    if (peek(splitter, 0) != '.')
        return piece->name.text != NULL;
    splitter->at++;
    piece->attribute = word(splitter);
    return piece->name.text && piece->attribute.text;
}

/* "{" words "}": false, after reporting it, where it is not that; read to its end. */
static bool split_place(struct splitter *splitter, struct ws_template_piece *piece)
{
    size_t open = splitter->at++, close;
    const char *bytes = splitter->text->bytes,
               *end = memchr(bytes + open, '}', splitter->text->length - open);

    close = end ? (size_t)(end - bytes) : splitter->text->length;
    if (!end || memchr(bytes + open + 1, '{', close - open - 1)) {
        wrong(splitter, open, "this '{' has no '}': a brace itself is written '{{'");
        return false;
    }
    bool formed = split_words(splitter, piece) && splitter->at == close;
    splitter->at = close + 1;
    if (!formed)
        wrong(splitter, open, "a place is written {name}, {name.attribute} or {sum name}");
    return formed && find_function(splitter, piece);
}

/* ---- text ---- */

static void add_text(struct splitter *splitter, struct ws_text *text)
{
    if (text->length > 0)
        WS_APPEND(splitter->arena, splitter->pieces.list, splitter->pieces.count) =
            (struct ws_template_piece){.text = ws_arena_strndup(splitter->arena, text->bytes, text->length)};
    ws_text_clear(text);
}

/* A character of the text, or a doubled brace. */
static void split_text(struct splitter *splitter, struct ws_text *text)
{
    char c = peek(splitter, 0);
    size_t from = splitter->at++;

    if (c == '}' || c == '{') {
        if (peek(splitter, 0) == c)
            splitter->at++;
        else
            wrong(splitter, from, "this '}' has no '{': a brace itself is written '}}'");
    }
    ws_text_add(text, &c, 1);
}

struct ws_template_pieces ws_template_split(struct ws_arena *arena, struct ws_diagnostics *diagnostics,
                                            const struct ws_tree_text *text)
{
    struct splitter splitter = {arena, diagnostics, text, 0, {0}};
    struct ws_text literal = {0};

    while (left(&splitter)) {
        struct ws_template_piece piece = {0};
        if (peek(&splitter, 0) != '{' || peek(&splitter, 1) == '{') {
            split_text(&splitter, &literal);
            continue;
        }
        add_text(&splitter, &literal);
        if (split_place(&splitter, &piece))
            WS_APPEND(arena, splitter.pieces.list, splitter.pieces.count) = piece;
    }
    add_text(&splitter, &literal);
    ws_text_free(&literal);
    return splitter.pieces;
}
