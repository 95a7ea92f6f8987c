/* Places in an XML file.  Those inside values are found again in its text when a mistake is reported: so
 * the knowledge base keeps the place of each element only. */
#ifndef WS_RULES_XML_H
#define WS_RULES_XML_H

#include "rules/internal.h"

struct ws_xml_place {
    struct ws_pos element;
    const char *attribute; /* NULL: `element` is where a text begins */
};

/* Where the character `offset` bytes into the (decoded) value stands in the file. */
struct ws_pos ws_xml_pos(const struct ws_diagnostics *diagnostics, struct ws_xml_place place, size_t offset);

/* A place in the text that moves forward most of the time, so that counting lines costs one pass. */
struct ws_xml_cursor {
    size_t offset;
    int line, column; /* in characters, from 1 */
};
extern const struct ws_xml_cursor ws_xml_begin;
struct ws_pos ws_xml_move_to(struct ws_xml_cursor *cursor, const struct ws_source *source, const char *path,
                             size_t offset);

size_t ws_xml_skip_space(const char *bytes, size_t at);
/* The offset of an attribute's name in the tag that begins at `at`, and of its value in *value; the tag
 * itself where it has no such attribute.  The tag is well-formed: expat has read it. */
size_t ws_xml_find_attribute(const char *bytes, size_t at, const char *name, size_t *value);

#endif
