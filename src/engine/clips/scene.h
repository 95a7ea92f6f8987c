/* Writing expressions of the rule language as CLIPS expressions: which variable stands for what. */
#ifndef WS_ENGINE_CLIPS_SCENE_H
#define WS_ENGINE_CLIPS_SCENE_H

#include "rules/kb.h"

/* The event in a place of the construct. */
struct ws_stage {
    const struct ws_event_type *type;
    const char *name;   /* of the place, fit for CLIPS */
    const char *event;  /* variable of its order */
    const char **slots; /* [slot] its variable; NULL: ?name.slot */
    bool *needed;       /* [slot] */
};
struct ws_scene {
    struct ws_arena *arena;
    struct ws_stage *stages;               /* by expr->member */
    const struct ws_aggregate *aggregates; /* ?ws-aggregate-N stands for the N-th */
};

void ws_scene_init(struct ws_scene *scene, struct ws_arena *arena, size_t stages);
void ws_stage_set(struct ws_scene *scene, size_t stage, const struct ws_event_type *type, const char *name);

/* A name fit for CLIPS; `number` keeps names apart that had to be changed. */
const char *ws_clips_name(struct ws_arena *arena, const char *name, size_t number);
/* The variable of a slot of the event in a place; with the `?`. */
const char *ws_scene_variable(const struct ws_scene *scene, uint32_t stage, uint32_t slot);
/* Marks what an expression (or NULL) reads in needed[]. */
void ws_scene_need(struct ws_scene *scene, const struct ws_expr *expr);

/* The expression, which sets the mark of undefined values where it has none. */
void ws_scene_print(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out);
/* As a function call that is TRUE where the condition holds, FALSE where it is undefined. */
void ws_scene_print_test(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out);
/* The value, or the symbol `undefined`; NULL gives the symbol `nil`. */
void ws_scene_print_value(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out);

#endif
