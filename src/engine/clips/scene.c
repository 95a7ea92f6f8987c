#include "engine/clips/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NAME 60

void ws_scene_init(struct ws_scene *scene, struct ws_arena *arena, size_t stages)
{
    memset(scene, 0, sizeof *scene);
    scene->arena = arena;
    scene->stages = ws_arena_alloc(arena, (stages + 1) * sizeof *scene->stages);
}

void ws_stage_set(struct ws_scene *scene, size_t stage, const struct ws_event_type *type, const char *name)
{
    struct ws_stage *set = &scene->stages[stage];

    set->type = type;
    set->name = ws_clips_name(scene->arena, name, stage);
    set->event = ws_arena_printf(scene->arena, "?%s", set->name);
    set->slots = ws_arena_alloc(scene->arena, (type->slot_count + 1) * sizeof *set->slots);
    set->needed = ws_arena_alloc(scene->arena, (type->slot_count + 1) * sizeof *set->needed);
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

const char *ws_clips_name(struct ws_arena *arena, const char *name, size_t number)
{
    size_t length = strnlen(name, LONGEST_NAME + 1);
    bool changed = length == 0 || length > LONGEST_NAME;
    char *plain = ws_arena_strndup(arena, name, length > LONGEST_NAME ? LONGEST_NAME : length);

    for (char *c = plain; *c; c++)
        if (!is_plain(*c)) {
            *c = '_';
            changed = true;
        }
    return changed ? ws_arena_printf(arena, "%s+%zu", plain, number) : plain;
}

const char *ws_scene_variable(const struct ws_scene *scene, uint32_t stage, uint32_t slot)
{
    struct ws_stage *place = &scene->stages[stage];

    if (!place->slots[slot])
        place->slots[slot] =
            ws_arena_printf(scene->arena, "%s.%s", place->event,
                            ws_clips_name(scene->arena, place->type->slots[slot].name, slot));
    return place->slots[slot];
}

/* ---- needs ---- */

static uint32_t begin_slot(const struct ws_event_type *type)
{
    return type->composite ? (uint32_t)WS_CATTR_BEGIN : (uint32_t)WS_ATTR_T;
}

static uint32_t end_slot(const struct ws_event_type *type)
{
    return type->composite ? (uint32_t)WS_CATTR_END : (uint32_t)WS_ATTR_END;
}

static void need_interval(struct ws_scene *scene, uint32_t stage)
{
    struct ws_stage *place = &scene->stages[stage];

    place->needed[begin_slot(place->type)] = true;
    place->needed[end_slot(place->type)] = true;
}

void ws_scene_need(struct ws_scene *scene, const struct ws_expr *expr)
{
    if (!expr)
        return;
    if (expr->op == WS_OP_SLOT)
        scene->stages[expr->member].needed[expr->slot] = true;
    if (expr->op == WS_OP_OVERLAPS) {
        need_interval(scene, expr->member);
        need_interval(scene, expr->slot);
    }
    for (size_t i = 0; i < expr->arg_count; i++)
        ws_scene_need(scene, expr->args[i]);
}

/* ---- printing ---- */

static void print_string(const char *string, struct ws_text *out)
{
    ws_text_puts(out, "\"");
    for (const char *c = string ? string : ""; *c; c++)
        ws_text_printf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    ws_text_puts(out, "\"");
}

static void print_real(double value, struct ws_text *out)
{
    char digits[40];

    snprintf(digits, sizeof digits, "%.17g", value == 0 ? 0.0 : value);
    ws_text_printf(out, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static void print_constant(const struct ws_expr *expr, struct ws_text *out)
{
    if (expr->type == WS_TYPE_STRING)
        print_string(expr->value.s, out);
    else if (expr->type == WS_TYPE_BOOLEAN)
        ws_text_puts(out, expr->value.i ? "TRUE" : "FALSE");
    else if (expr->type != WS_TYPE_REAL)
        ws_text_printf(out, "%" PRId64, expr->value.i);
    else if (isfinite(expr->value.r))
        print_real(expr->value.r, out);
    else
        ws_text_puts(out, "(ws-defined undefined 0.0)");
}

/* A value of the type, to go on with where the true one is undefined. */
static const char *stand_in(enum ws_type type)
{
    switch (type) {
    case WS_TYPE_REAL:
        return "0.0";
    case WS_TYPE_BOOLEAN:
        return "FALSE";
    case WS_TYPE_STRING:
        return "\"\"";
    default:
        return "0";
    }
}

/* A real that comes from the program may be no finite number; composite events have none such. */
static bool may_be_undefined(const struct ws_scene *scene, const struct ws_expr *expr)
{
    return expr->op == WS_OP_SLOT && expr->type == WS_TYPE_REAL &&
           !scene->stages[expr->member].type->composite;
}

static void print_interval(const struct ws_scene *scene, uint32_t stage, struct ws_text *out)
{
    const struct ws_event_type *type = scene->stages[stage].type;

    ws_text_printf(out, " %s", ws_scene_variable(scene, stage, begin_slot(type)));
    ws_text_printf(out, " %s", ws_scene_variable(scene, stage, end_slot(type)));
}

static const char *function_name(const struct ws_expr *expr)
{
    static const char *const names[WS_OP_COUNT] = {
        [WS_OP_NEGATE] = "ws-negate",
        [WS_OP_NOT] = "not",
        [WS_OP_ADD] = "ws-add",
        [WS_OP_SUBTRACT] = "ws-subtract",
        [WS_OP_MULTIPLY] = "ws-multiply",
        [WS_OP_DIVIDE] = "ws-divide",
        [WS_OP_REMAINDER] = "ws-remainder",
        [WS_OP_EQUAL] = "eq",
        [WS_OP_UNEQUAL] = "neq",
        [WS_OP_LESS] = "<",
        [WS_OP_LESS_EQUAL] = "<=",
        [WS_OP_GREATER] = ">",
        [WS_OP_GREATER_EQUAL] = ">=",
        [WS_OP_AND] = "and",
        [WS_OP_OR] = "or",
        [WS_OP_MIN] = "min",
        [WS_OP_MAX] = "max",
        [WS_OP_CLAMP] = "ws-clamp",
        [WS_OP_ABS] = "ws-abs",
        [WS_OP_TO_REAL] = "ws-real",
    };
    enum ws_type type = expr->arg_count ? expr->args[0]->type : WS_TYPE_NONE;

    if (expr->op == WS_OP_DIVIDE && type == WS_TYPE_TIME && expr->args[1]->type == WS_TYPE_TIME)
        return "ws-ratio";
    if (expr->op == WS_OP_TO_REAL && type == WS_TYPE_TIME)
        return "ws-seconds";
    if (expr->op == WS_OP_EQUAL && type == WS_TYPE_REAL)
        return "=";
    if (expr->op == WS_OP_UNEQUAL && type == WS_TYPE_REAL)
        return "<>";
    return names[expr->op];
}

static void print_call(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out)
{
    bool by_bytes =
        expr->op >= WS_OP_LESS && expr->op <= WS_OP_GREATER_EQUAL && expr->args[0]->type == WS_TYPE_STRING;

    ws_text_printf(out, "(%s", function_name(expr));
    if (by_bytes)
        ws_text_puts(out, " (ws-compare");
    for (size_t i = 0; i < expr->arg_count; i++) {
        ws_text_puts(out, " ");
        ws_scene_print(scene, expr->args[i], out);
    }
    ws_text_puts(out, by_bytes ? ") 0)" : ")");
}

static void print_if(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out)
{
    static const char *const words[] = {"(if ", " then ", " else "};

    for (size_t i = 0; i < 3; i++) {
        ws_text_puts(out, words[i]);
        ws_scene_print(scene, expr->args[i], out);
    }
    ws_text_puts(out, ")");
}

static void print_slot(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out)
{
    const char *variable = ws_scene_variable(scene, expr->member, expr->slot);

    if (may_be_undefined(scene, expr))
        ws_text_printf(out, "(ws-defined %s 0.0)", variable);
    else
        ws_text_puts(out, variable);
}

static void print_aggregate(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out)
{
    if (scene->aggregates[expr->aggregate].kind == WS_AGG_COUNT)
        ws_text_printf(out, "?ws-aggregate-%" PRIu32, expr->aggregate);
    else
        ws_text_printf(out, "(ws-defined ?ws-aggregate-%" PRIu32 " %s)", expr->aggregate,
                       stand_in(expr->type));
}

void ws_scene_print(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out)
{
    switch (expr->op) {
    case WS_OP_CONSTANT:
        print_constant(expr, out);
        return;
    case WS_OP_SLOT:
        print_slot(scene, expr, out);
        return;
    case WS_OP_MEMBER:
        ws_text_puts(out, scene->stages[expr->member].event);
        return;
    case WS_OP_AGGREGATE:
        print_aggregate(scene, expr, out);
        return;
    case WS_OP_OVERLAPS:
        ws_text_puts(out, "(ws-overlaps");
        print_interval(scene, expr->member, out);
        print_interval(scene, expr->slot, out);
        ws_text_puts(out, ")");
        return;
    case WS_OP_IF:
        print_if(scene, expr, out);
        return;
    default:
        if ((expr->op == WS_OP_AND || expr->op == WS_OP_OR || expr->op == WS_OP_MIN ||
             expr->op == WS_OP_MAX) &&
            expr->arg_count == 1)
            ws_scene_print(scene, expr->args[0], out);
        else
            print_call(scene, expr, out);
    }
}

static bool is_arithmetic(enum ws_operator op)
{
    return op == WS_OP_NEGATE || op == WS_OP_ABS || (op >= WS_OP_ADD && op <= WS_OP_REMAINDER);
}

/* May its value be undefined? */
static bool may_fail(const struct ws_scene *scene, const struct ws_expr *expr)
{
    if (is_arithmetic(expr->op) || may_be_undefined(scene, expr))
        return true;
    if (expr->op == WS_OP_AGGREGATE)
        return scene->aggregates[expr->aggregate].kind != WS_AGG_COUNT;
    if (expr->op == WS_OP_CONSTANT)
        return expr->type == WS_TYPE_REAL && !isfinite(expr->value.r);
    for (size_t i = 0; i < expr->arg_count; i++)
        if (may_fail(scene, expr->args[i]))
            return true;
    return false;
}

void ws_scene_print_test(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out)
{
    bool atom = expr->op == WS_OP_CONSTANT || expr->op == WS_OP_SLOT || expr->op == WS_OP_AGGREGATE ||
                expr->op == WS_OP_AND || expr->op == WS_OP_OR || expr->op == WS_OP_IF;

    if (!atom && !may_fail(scene, expr)) {
        ws_scene_print(scene, expr, out);
        return;
    }
    ws_text_puts(out, "(ws-true ");
    ws_scene_print(scene, expr, out);
    ws_text_puts(out, ")");
}

void ws_scene_print_value(const struct ws_scene *scene, const struct ws_expr *expr, struct ws_text *out)
{
    if (!expr) {
        ws_text_puts(out, "nil");
        return;
    }
    if (!may_fail(scene, expr)) {
        ws_scene_print(scene, expr, out);
        return;
    }
    ws_text_puts(out, "(ws-value ");
    ws_scene_print(scene, expr, out);
    ws_text_puts(out, ")");
}
