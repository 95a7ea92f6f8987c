/* Advice templates: a text with places to fill in (docs/language.md, "Templates").
 *   template = { TEXT | "{{" | "}}" | "{" [ ("sum"|"mean"|"min"|"max") " " ] NAME [ "." NAME ] "}" } .
 * Here a text is split; what a place names is looked up by the checker. */
#ifndef WS_RULES_TEMPLATE_H
#define WS_RULES_TEMPLATE_H

#include "rules/tree.h"

struct ws_template_piece {
    const char *text; /* literal text; NULL for a place */
    enum ws_piece_function function;
    struct ws_word function_word; /* text NULL: none was written */
    struct ws_word name, attribute;
};
struct ws_template_pieces {
    struct ws_template_piece *list;
    size_t count;
};

/* Splits a text; places with a mistake in their form are reported and left out. */
struct ws_template_pieces ws_template_split(struct ws_arena *arena, struct ws_diagnostics *diagnostics,
                                            const struct ws_tree_text *text);

#endif
