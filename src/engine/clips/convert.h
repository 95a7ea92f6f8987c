/* From the knowledge base to CLIPS constructs.  Each scope has its own facts:
 *   SCOPE.TYPE            an event that may fill a place there or is under a problem rule there
 *   SCOPE.TYPE.waiting    an element of such a composite event while it is judged
 *   SCOPE.RULE.element    an event while it is offered to a group rule
 *   SCOPE.RULE.group      an open group: its keys and what its aggregates have come to
 *   SCOPE.RULE.close      the group is complete
 * A rule's names are only those of the knowledge base with all but letters, digits and _ replaced; strings
 * are escaped; nothing of a rule's text reaches CLIPS as it is. */
#ifndef WS_ENGINE_CLIPS_CONVERT_H
#define WS_ENGINE_CLIPS_CONVERT_H

#include "engine/formula.h"
#include "engine/plan.h"

/* What a slot of a fact is filled with. */
enum ws_clips_source {
    WS_CLIPS_ORDER, /* the event's order: its identity */
    WS_CLIPS_OF,    /* the order of the composite event that it is judged under */
    WS_CLIPS_SLOT,  /* value[index] of the event */
    WS_CLIPS_VALUE, /* formula over the event */
    WS_CLIPS_GROUP, /* the group's number */
};
struct ws_clips_slot {
    const char *name;
    enum ws_clips_source source;
    uint32_t index;
    struct ws_formula formula;
    enum ws_type type;
};
struct ws_clips_template {
    const char *name; /* NULL: there is none */
    struct ws_clips_slot *slots;
    size_t slot_count, slot_capacity;
    void *handle; /* of CLIPS, when it is loaded */
};
struct ws_clips_construct {
    const char *name, *text;
    const char *comment; /* what it is for; NULL: as the one before */
    struct ws_pos pos;   /* of the rule that it comes from */
};
struct ws_clips_program {
    struct ws_arena arena;
    struct ws_formula_pool formulas;
    struct ws_clips_construct *constructs;
    size_t construct_count, construct_capacity;
    struct ws_clips_template *events, *waiting;  /* [use index] */
    struct ws_clips_template *elements, *closes; /* [rule number] */
    size_t use_count, rule_count;
};

/* Converts one scope's rules, or all scopes' (NULL).  Free with ws_clips_program_free in any case. */
int ws_clips_convert(struct ws_clips_program *program, const struct ws_plan *plan,
                     const struct ws_scope *scope, struct ws_error *error);
void ws_clips_program_free(struct ws_clips_program *program);

#endif
