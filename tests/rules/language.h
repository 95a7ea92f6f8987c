/* A small knowledge base made by hand, to check analysis rules against: the simple events send, recv and
 * barrier, the common scope (file common.rules) and one problem type "test" (file test.rules). */
#ifndef WS_TESTS_LANGUAGE_H
#define WS_TESTS_LANGUAGE_H

#include "rules/append.h"
#include "rules/internal.h"
#include "rules/tree.h"

#include <string.h>

struct language {
    struct ws_kb kb;
    struct ws_diagnostics diagnostics;
    struct ws_text report;
    struct ws_scope common, scope;
    struct ws_scope *scopes[2];
};

static inline void language_slot(struct language *language, struct ws_event_type *type, const char *name,
                                 const char *format, enum ws_type language_type)
{
    WS_APPEND(&language->kb.arena, type->slots, type->slot_count) =
        (struct ws_param){.name = name, .format = format, .type = language_type, .kind = WS_PARAM_IN};
}

static inline struct ws_event_type *language_type(struct language *language, const char *name)
{
    struct ws_event_type *type = ws_arena_alloc(&language->kb.arena, sizeof *type);

    type->name = name;
    type->index = (uint32_t)language->kb.type_count;
    for (size_t i = 0; i < WS_ATTR_COUNT; i++)
        language_slot(language, type, ws_attributes[i].name, NULL, ws_attributes[i].type);
    type->attribute_count = WS_ATTR_COUNT;
    WS_APPEND(&language->kb.arena, language->kb.types, language->kb.type_count) = type;
    language->kb.simple_count++;
    return type;
}

static inline void language_init(struct language *language)
{
    static const char *const messages[] = {"send", "recv"};
    struct ws_event_type *type;

    memset(language, 0, sizeof *language);
    language->diagnostics.report = &language->report;
    for (size_t i = 0; i < 2; i++) {
        type = language_type(language, messages[i]);
        language_slot(language, type, "peer", "rank", WS_TYPE_INTEGER);
        language_slot(language, type, "tag", "int", WS_TYPE_INTEGER);
        language_slot(language, type, "comm", "comm", WS_TYPE_INTEGER);
        language_slot(language, type, "bytes", "bytes", WS_TYPE_INTEGER);
        language_slot(language, type, "load", "real", WS_TYPE_REAL);
        language_slot(language, type, "n", NULL, WS_TYPE_INTEGER);
    }
    language_slot(language, language->kb.types[0], "synchronous", "bool", WS_TYPE_BOOLEAN);
    type = language_type(language, "barrier");
    language_slot(language, type, "comm", "comm", WS_TYPE_INTEGER);
    language_slot(language, type, "size", "int", WS_TYPE_INTEGER);
    language_slot(language, type, "is_root", "bool", WS_TYPE_BOOLEAN);
    language_slot(language, type, "n", NULL, WS_TYPE_INTEGER);
    language->common = (struct ws_scope){.id = "common", .common = true, .index = 0};
    language->scope = (struct ws_scope){.id = "test", .index = 1};
    language->scopes[0] = &language->common;
    language->scopes[1] = &language->scope;
    language->kb.scopes = language->scopes;
    language->kb.scope_count = 2;
}

/* Checks the rules of both scopes (NULL for none) and returns the report. */
static inline const char *language_check(struct language *language, const char *common, const char *text,
                                         size_t length)
{
    struct ws_tree *tree = ws_tree_new(&language->kb.arena);
    const struct ws_source *source;

    if (common) {
        source = ws_source_add(&language->diagnostics, "common.rules", common, strlen(common));
        if (source)
            ws_rules_parse(tree, &language->common, source, &language->diagnostics);
    }
    source = ws_source_add(&language->diagnostics, "test.rules", text, length);
    if (source)
        ws_rules_parse(tree, &language->scope, source, &language->diagnostics);
    ws_rules_check(tree, &language->kb, &language->diagnostics);
    return ws_text_string(&language->report);
}

static inline void language_free(struct language *language)
{
    ws_diagnostics_free(&language->diagnostics);
    ws_text_free(&language->report);
    ws_arena_free(&language->kb.arena);
}

#endif
