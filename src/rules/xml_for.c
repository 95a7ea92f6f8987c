#include "rules/xml_for.h"

#include "rules/append.h"

#include <string.h>

static size_t count_attributes(const char **attributes)
{
    size_t count = 0;

    while (attributes && attributes[count])
        count++;
    return count;
}

static const char **copy_attributes(struct ws_arena *arena, const char **attributes)
{
    size_t count = count_attributes(attributes);
    const char **copy = ws_arena_alloc(arena, (count + 1) * sizeof *copy);

    for (size_t i = 0; i < count; i++)
        copy[i] = ws_arena_strdup(arena, attributes[i]);
    return copy;
}

void ws_xml_for_keep(struct ws_xml_for *loop, struct ws_arena *arena, struct ws_xml_piece piece)
{
    piece.text = ws_arena_strdup(arena, piece.text);
    piece.attributes = copy_attributes(arena, piece.attributes);
    WS_APPEND(arena, loop->pieces, loop->piece_count) = piece;
}

/* The next "{name}" in the text; NULL where there is none. */
static const char *find_place(const char *text, const char *name, size_t length)
{
    for (text = strchr(text, '{'); text; text = strchr(text + 1, '{'))
        if (strncmp(text + 1, name, length) == 0 && text[1 + length] == '}')
            return text;
    return NULL;
}

static const char *put_word(struct ws_arena *arena, const char *text, const char *name, const char *word)
{
    size_t length = strlen(name);

    for (const char *place; (place = find_place(text, name, length));)
        text = ws_arena_printf(arena, "%.*s%s%s", (int)(place - text), text, word, place + length + 2);
    return text;
}

struct ws_xml_piece ws_xml_for_piece(const struct ws_xml_for *loop, struct ws_arena *arena, size_t index,
                                     const char *word)
{
    struct ws_xml_piece piece = loop->pieces[index];
    size_t count = count_attributes(piece.attributes);

    if (piece.what == WS_XML_TEXT)
        piece.text = put_word(arena, piece.text, loop->name, word);
    piece.attributes = copy_attributes(arena, piece.attributes);
    for (size_t i = 1; i < count; i += 2)
        piece.attributes[i] = put_word(arena, piece.attributes[i], loop->name, word);
    return piece;
}
