/* The elements in a <for>, kept as they were read, and read again with each of its words in place of its
 * name. */
#ifndef WS_RULES_XML_FOR_H
#define WS_RULES_XML_FOR_H

#include "util/alloc.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a tag or a text stands in the file. */
struct ws_xml_tag {
    size_t offset, bytes;
};

/* A piece of what was read: an element's begin, with its attributes, its end, or a text. */
struct ws_xml_piece {
    enum { WS_XML_OPEN, WS_XML_CLOSE, WS_XML_TEXT } what;
    struct ws_xml_tag tag;
    const char *text;        /* the element's name, or the text */
    const char **attributes; /* name, value, ..., NULL */
};

struct ws_xml_for {
    const char *name;
    const char **words;
    size_t word_count;
    size_t depth; /* of elements in it that are open */
    struct ws_xml_piece *pieces;
    size_t piece_count;
};

/* Keeps a copy of the piece in the arena. */
void ws_xml_for_keep(struct ws_xml_for *loop, struct ws_arena *arena, struct ws_xml_piece piece);
/* The piece with `word` wherever "{name}" stands in its text or a value. */
struct ws_xml_piece ws_xml_for_piece(const struct ws_xml_for *loop, struct ws_arena *arena, size_t index,
                                     const char *word);

#endif
