#include "engine/clips/clips_print.h"

#include "engine/clips/convert.h"

int ws_clips_print(const struct ws_kb *kb, const struct ws_scope *scope, struct ws_text *out,
                   struct ws_error *error)
{
    struct ws_clips_program program;
    struct ws_plan plan;
    int result;

    ws_plan_init(&plan, kb, NULL);
    result = ws_clips_convert(&program, &plan, scope, error);
    for (size_t i = 0; result == 0 && i < program.construct_count; i++) {
        const struct ws_clips_construct *construct = &program.constructs[i];
        ws_text_puts(out, i ? "\n" : "");
        ws_text_puts(out, "; ");
        ws_pos_print(construct->pos, out);
        ws_text_printf(out, "  %s\n%s\n", construct->comment, construct->text);
    }
    ws_clips_program_free(&program);
    ws_plan_free(&plan);
    return result;
}
