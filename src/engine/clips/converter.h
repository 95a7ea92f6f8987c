/* Between the files that convert rules: the program that grows, the scope at hand. */
#ifndef WS_ENGINE_CLIPS_CONVERTER_H
#define WS_ENGINE_CLIPS_CONVERTER_H

#include "engine/clips/convert.h"
#include "engine/clips/scene.h"

struct ws_converter {
    struct ws_clips_program *program;
    const struct ws_plan *plan;
    const struct ws_scope *scope;
    const char *scope_name; /* fit for CLIPS */
};

/* Ends the text as a construct of the program; takes the text. */
void ws_convert_construct(struct ws_converter *converter, const char *name, const char *comment,
                          struct ws_pos pos, struct ws_text *text);
/* SCOPE.NAME and a suffix. */
const char *ws_convert_name(struct ws_converter *converter, const char *name, size_t number,
                            const char *suffix);
struct ws_clips_slot *ws_convert_add_slot(struct ws_clips_template *made, const char *name,
                                          enum ws_clips_source source, enum ws_type type);
/* The event's slots that are needed, as slots of the template. */
void ws_convert_add_slots(struct ws_converter *converter, struct ws_clips_template *made,
                          const struct ws_event_type *type, const bool *needed);
/* (deftemplate ...) of the template. */
void ws_convert_template(struct ws_converter *converter, const struct ws_clips_template *made,
                         const char *comment, struct ws_pos pos);
/* Adds the piece, on a new line where it does not fit, and frees it. */
void ws_convert_wrapped(struct ws_text *out, struct ws_text *piece);
/* " (slot variable)" for each slot of the stage's event that is needed. */
void ws_convert_pattern_slots(const struct ws_scene *scene, uint32_t stage, struct ws_text *out);
/* Of a composite rule: a scene with its members as stages, nothing needed yet. */
void ws_convert_rule_scene(struct ws_converter *converter, const struct ws_composite_rule *rule,
                           struct ws_scene *scene);

/* convert_group.c */
void ws_convert_group(struct ws_converter *converter, const struct ws_plan_rule *rule);

#endif
