#include "engine/formula.h"

#include "rules/arithmetic.h"
#include "rules/expr.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

struct writer {
    struct ws_formula_pool *pool;
    const struct ws_formula_scene *scene;
    struct ws_instruction *list;
    size_t count, capacity;
    uint32_t temporaries;
};

/* Writes what computes the expression; gives where its value will be. */
static ws_operand value(struct writer *w, const struct ws_expr *expr);

static bool is_whole(enum ws_type type)
{
    return type != WS_TYPE_REAL && type != WS_TYPE_STRING && type != WS_TYPE_EVENT;
}

static ws_operand temporary(struct writer *w)
{
    ws_operand operand = ws_operand_of(WS_FRAME_TEMPORARIES, w->temporaries++);

    if (w->temporaries > w->pool->temporary_count)
        w->pool->temporary_count = w->temporaries;
    return operand;
}

static ws_operand constant(struct writer *w, enum ws_type type, union ws_value constant)
{
    struct ws_formula_pool *pool = w->pool;
    size_t i = 0;

    while (i < pool->constant_count &&
           (pool->constant_types[i] != type || memcmp(&pool->constants[i], &constant, sizeof constant) != 0))
        i++;
    for (size_t n = 0; i + n == pool->constant_count && n < (type == WS_TYPE_STRING ? 3 : 1); n++) {
        size_t types = i + n;
        WS_PUSH(pool->constants, pool->constant_count, pool->constant_capacity) = constant;
        WS_PUSH(pool->constant_types, types, pool->type_capacity) = n == 0 ? type : WS_TYPE_NONE;
    }
    return ws_operand_of(WS_FRAME_CONSTANTS, (uint32_t)i);
}

static size_t emit(struct writer *w, enum ws_opcode code, ws_operand to, ws_operand left, ws_operand right)
{
    WS_PUSH(w->list, w->count, w->capacity) =
        (struct ws_instruction){.code = (uint8_t)code, .to = to, .left = left, .right = right};
    return w->count - 1;
}

static void emit_typed(struct writer *w, enum ws_opcode code, enum ws_operator op, enum ws_type type,
                       ws_operand to, ws_operand left, ws_operand right)
{
    size_t at = emit(w, code, to, left, right);
    struct ws_instruction *made = &w->list[at];

    made->op = (uint8_t)op;
    made->type = made->right_type = (uint8_t)type;
}

/* A jump goes to the instruction that is written next. */
static void land(struct writer *w, size_t jump)
{
    w->list[jump].right = (uint32_t)w->count;
}

static const struct ws_event_type *type_of(const struct writer *w, uint32_t member)
{
    return w->scene->one ? w->scene->one : w->scene->types[member];
}

static uint32_t frame_of(const struct writer *w, uint32_t member)
{
    return w->scene->one ? WS_FRAME_MEMBERS : WS_FRAME_MEMBERS + member;
}

static ws_operand slot(struct writer *w, const struct ws_expr *expr)
{
    ws_operand from = ws_operand_of(frame_of(w, expr->member), expr->slot), to;

    if (expr->type != WS_TYPE_REAL || type_of(w, expr->member)->composite)
        return from;
    to = temporary(w);
    emit(w, WS_CODE_REAL, to, from, 0);
    return to;
}

static ws_operand aggregate(struct writer *w, const struct ws_expr *expr)
{
    if (w->scene->aggregates[expr->aggregate].kind != WS_AGG_COUNT)
        emit(w, WS_TEST_TRUE, 0, ws_operand_of(WS_FRAME_AGGREGATES, 2 * expr->aggregate + 1), 0);
    return ws_operand_of(WS_FRAME_AGGREGATES, 2 * expr->aggregate);
}

static ws_operand event(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to = temporary(w);

    emit(w, WS_CODE_EVENT, to, ws_operand_of(frame_of(w, expr->member), 0), 0);
    return to;
}

/* The later begin lies before the earlier end. */
static void interval(struct writer *w, const struct ws_expr *expr, ws_operand *begin, ws_operand *end)
{
    const struct ws_event_type *a = type_of(w, expr->member), *b = type_of(w, expr->slot);
    uint32_t end_a = a->composite ? WS_CATTR_END : WS_ATTR_END,
             end_b = b->composite ? WS_CATTR_END : WS_ATTR_END;
    uint32_t begin_a = a->composite ? WS_CATTR_BEGIN : WS_ATTR_T,
             begin_b = b->composite ? WS_CATTR_BEGIN : WS_ATTR_T;

    *begin = temporary(w);
    *end = temporary(w);
    emit(w, WS_CODE_MAX, *begin, ws_operand_of(frame_of(w, expr->member), begin_a),
         ws_operand_of(frame_of(w, expr->slot), begin_b));
    emit(w, WS_CODE_MIN, *end, ws_operand_of(frame_of(w, expr->member), end_a),
         ws_operand_of(frame_of(w, expr->slot), end_b));
}

/* The value, in this place. */
static void value_to(struct writer *w, const struct ws_expr *expr, ws_operand to)
{
    size_t before = w->count;
    ws_operand from = value(w, expr);

    /* what computes it can as well put it here, unless something jumps over that */
    if (w->count == before + 1 && w->list[before].to == from &&
        (from & (WS_MOST_FRAMES - 1)) == WS_FRAME_TEMPORARIES && w->list[before].code >= WS_CODE_REAL)
        w->list[before].to = to;
    else
        emit(w, WS_CODE_MOVE, to, from, 0);
}

static ws_operand connective(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to = temporary(w);
    const enum ws_opcode decides = expr->op == WS_OP_OR ? WS_JUMP_TRUE : WS_JUMP_FALSE;
    size_t *jumps = ws_alloc_array(expr->arg_count, sizeof *jumps);

    for (size_t i = 0; i < expr->arg_count; i++) {
        value_to(w, expr->args[i], to);
        jumps[i] = i + 1 < expr->arg_count ? emit(w, decides, 0, to, 0) : SIZE_MAX;
    }
    for (size_t i = 0; i + 1 < expr->arg_count; i++)
        land(w, jumps[i]);
    free(jumps);
    return to;
}

static ws_operand choice(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to = temporary(w), condition = value(w, expr->args[0]);
    size_t otherwise = emit(w, WS_JUMP_FALSE, 0, condition, 0), end;

    value_to(w, expr->args[1], to);
    end = emit(w, WS_JUMP, 0, 0, 0);
    land(w, otherwise);
    value_to(w, expr->args[2], to);
    land(w, end);
    return to;
}

static void extreme_of(struct writer *w, enum ws_operator op, enum ws_type type, ws_operand to,
                       ws_operand first, ws_operand second)
{
    if (is_whole(type))
        emit(w, op == WS_OP_MIN ? WS_CODE_MIN : WS_CODE_MAX, to, first, second);
    else
        emit_typed(w, WS_CODE_EXTREME, op, type, to, first, second);
}

static ws_operand extreme(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to = temporary(w), best = value(w, expr->args[0]);

    if (expr->arg_count == 1)
        return best;
    for (size_t i = 1; i < expr->arg_count; i++, best = to)
        extreme_of(w, expr->op, expr->type, to, best, value(w, expr->args[i]));
    return to;
}

/* max(low, min(x, high)) */
static ws_operand clamp(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to = temporary(w), x = value(w, expr->args[0]), low = value(w, expr->args[1]);
    ws_operand high = value(w, expr->args[2]);

    if (is_whole(expr->type)) {
        emit(w, WS_CODE_CLAMP, to, x, high);
        emit(w, WS_CODE_CLAMP, to, low, high);
        return to;
    }
    extreme_of(w, WS_OP_MIN, expr->type, to, x, high);
    extreme_of(w, WS_OP_MAX, expr->type, to, low, to);
    return to;
}

static ws_operand arithmetic(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to = temporary(w), left = value(w, expr->args[0]), right = value(w, expr->args[1]);
    bool whole = is_whole(expr->args[0]->type) && is_whole(expr->args[1]->type);

    if (whole && expr->op == WS_OP_ADD)
        emit(w, WS_CODE_ADD, to, left, right);
    else if (whole && expr->op == WS_OP_SUBTRACT)
        emit(w, WS_CODE_SUBTRACT, to, left, right);
    else if (whole && expr->op == WS_OP_MULTIPLY)
        emit(w, WS_CODE_MULTIPLY, to, left, right);
    else
        emit_typed(w, WS_CODE_ARITHMETIC, expr->op, expr->args[0]->type, to, left, right);
    w->list[w->count - 1].right_type = (uint8_t)expr->args[1]->type;
    return to;
}

/* A constant stands at the right. */
static void strings(struct writer *w, enum ws_opcode code, ws_operand to, ws_operand left, ws_operand right)
{
    bool swapped = ws_operand_frame(left) == WS_FRAME_CONSTANTS;

    emit(w, code, to, swapped ? right : left, swapped ? left : right);
}

/* a > b is b < a. */
static void comparison(struct writer *w, const struct ws_expr *expr, bool tested, ws_operand to)
{
    ws_operand left = value(w, expr->args[0]), right = value(w, expr->args[1]);
    bool swapped = expr->op == WS_OP_GREATER || expr->op == WS_OP_GREATER_EQUAL;
    enum ws_operator op = swapped ? ws_mirrored(expr->op) : expr->op;
    enum ws_opcode codes[][2] = {{WS_CODE_EQUAL, WS_TEST_EQUAL},
                                 {WS_CODE_UNEQUAL, WS_TEST_UNEQUAL},
                                 {WS_CODE_LESS, WS_TEST_LESS},
                                 {WS_CODE_LESS_EQUAL, WS_TEST_LESS_EQUAL}};

    if (expr->args[0]->type == WS_TYPE_STRING && expr->op == WS_OP_EQUAL)
        strings(w, tested ? WS_TEST_SAME : WS_CODE_SAME, to, left, right);
    else if (expr->args[0]->type == WS_TYPE_STRING && expr->op == WS_OP_UNEQUAL)
        strings(w, tested ? WS_TEST_UNLIKE : WS_CODE_UNLIKE, to, left, right);
    else if (!is_whole(expr->args[0]->type))
        emit_typed(w, tested ? WS_TEST_COMPARE : WS_CODE_COMPARE, expr->op, expr->args[0]->type, to, left,
                   right);
    else
        emit(w, codes[op - WS_OP_EQUAL][tested], to, swapped ? right : left, swapped ? left : right);
}

static ws_operand unary(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to = temporary(w), from = value(w, expr->args[0]);

    if (expr->op == WS_OP_NOT)
        emit(w, WS_CODE_NOT, to, from, 0);
    else
        emit_typed(w, WS_CODE_UNARY, expr->op, expr->args[0]->type, to, from, 0);
    return to;
}

static ws_operand folded(struct writer *w, const struct ws_expr *expr)
{
    union ws_value known = expr->value;

    if (!ws_normal_value(expr->type, &known)) /* undefined wherever it is looked at */
        emit(w, WS_TEST_TRUE, 0, constant(w, WS_TYPE_BOOLEAN, (union ws_value){.i = 0}), 0);
    return constant(w, expr->type, known);
}

static ws_operand value(struct writer *w, const struct ws_expr *expr)
{
    ws_operand to, begin, end;

    switch (expr->op) {
    case WS_OP_CONSTANT:
        return folded(w, expr);
    case WS_OP_SLOT:
        return slot(w, expr);
    case WS_OP_MEMBER:
        return event(w, expr);
    case WS_OP_AGGREGATE:
        return aggregate(w, expr);
    case WS_OP_NOT:
    case WS_OP_NEGATE:
    case WS_OP_ABS:
    case WS_OP_TO_REAL:
        return unary(w, expr);
    case WS_OP_ADD:
    case WS_OP_SUBTRACT:
    case WS_OP_MULTIPLY:
    case WS_OP_DIVIDE:
    case WS_OP_REMAINDER:
        return arithmetic(w, expr);
    case WS_OP_AND:
    case WS_OP_OR:
        return connective(w, expr);
    case WS_OP_MIN:
    case WS_OP_MAX:
        return extreme(w, expr);
    case WS_OP_CLAMP:
        return clamp(w, expr);
    case WS_OP_IF:
        return choice(w, expr);
    case WS_OP_OVERLAPS:
        to = temporary(w);
        interval(w, expr, &begin, &end);
        emit(w, WS_CODE_LESS, to, begin, end);
        return to;
    default:
        to = temporary(w);
        comparison(w, expr, false, to);
        return to;
    }
}

static void test_interval(struct writer *w, const struct ws_expr *expr)
{
    ws_operand begin, end;

    interval(w, expr, &begin, &end);
    emit(w, WS_TEST_LESS, 0, begin, end);
}

static void test(struct writer *w, const struct ws_expr *expr);

/* One after the other; what decides leads to the end of the test. */
static void test_any(struct writer *w, const struct ws_expr *expr)
{
    size_t *jumps = ws_alloc_array(expr->arg_count, sizeof *jumps), last = expr->arg_count - 1;

    for (size_t i = 0; i < last; i++) {
        ws_operand condition = value(w, expr->args[i]);
        jumps[i] = emit(w, WS_JUMP_TRUE, 0, condition, 0);
    }
    test(w, expr->args[last]);
    for (size_t i = 0; i < last; i++)
        land(w, jumps[i]);
    free(jumps);
}

/* Ends the code where the condition does not hold or is undefined. */
static void test(struct writer *w, const struct ws_expr *expr)
{
    if (ws_is_comparison(expr->op)) {
        comparison(w, expr, true, 0);
    } else if (expr->op == WS_OP_AND) {
        for (size_t i = 0; i < expr->arg_count; i++)
            test(w, expr->args[i]);
    } else if (expr->op == WS_OP_OR) {
        test_any(w, expr);
    } else if (expr->op == WS_OP_OVERLAPS) {
        test_interval(w, expr);
    } else if (expr->op == WS_OP_NOT) {
        emit(w, WS_TEST_FALSE, 0, value(w, expr->args[0]), 0);
    } else {
        emit(w, WS_TEST_TRUE, 0, value(w, expr), 0);
    }
}

static struct ws_formula finish(struct writer *w, ws_operand result)
{
    struct ws_formula code = {.count = (uint32_t)w->count, .result = result};

    code.instructions = ws_arena_alloc(&w->pool->arena, (w->count + 1) * sizeof *code.instructions);
    if (w->count)
        memcpy(code.instructions, w->list, w->count * sizeof *code.instructions);
    code.instructions[w->count].code = WS_CODE_END;
    free(w->list);
    return code;
}

struct ws_formula ws_formula_of(struct ws_formula_pool *pool, const struct ws_formula_scene *scene,
                                const struct ws_expr *expr)
{
    struct writer w = {.pool = pool, .scene = scene};
    ws_operand result = value(&w, expr);

    return finish(&w, result);
}

struct ws_formula ws_formula_of_all(struct ws_formula_pool *pool, const struct ws_formula_scene *scene,
                                    struct ws_expr *const *conditions, size_t count)
{
    struct writer w = {.pool = pool, .scene = scene};

    for (size_t i = 0; i < count; i++)
        if (conditions[i])
            test(&w, conditions[i]);
    return finish(&w, 0);
}

void ws_formula_pool_free(struct ws_formula_pool *pool)
{
    free(pool->constants);
    free(pool->constant_types);
    ws_arena_free(&pool->arena);
    memset(pool, 0, sizeof *pool);
}

/* ---- running: the hot path ---- */

#define LEFT ws_operand_value(i->left, frames)
#define RIGHT ws_operand_value(i->right, frames)
#define TO frames[i->to & (WS_MOST_FRAMES - 1)][i->to >> WS_FRAME_BITS]

bool ws_formula_compare_strings(const char *left, const char *right)
{
    while (*left == *right && *left)
        left++, right++;
    return *left == *right;
}

static inline bool run_slow(const struct ws_instruction *i, union ws_value *const *frames)
{
    switch ((enum ws_opcode)i->code) {
    case WS_TEST_COMPARE:
        return ws_comparison(i->op, i->type, LEFT, RIGHT);
    case WS_CODE_COMPARE:
        TO.i = ws_comparison(i->op, i->type, LEFT, RIGHT);
        return true;
    case WS_CODE_REAL:
        TO = LEFT;
        return ws_normal_value(WS_TYPE_REAL, &TO);
    case WS_CODE_ARITHMETIC:
        return ws_arithmetic(i->op, i->type, LEFT, i->right_type, RIGHT, &TO);
    case WS_CODE_UNARY:
        return ws_arithmetic_unary(i->op, i->type, LEFT, &TO);
    default: /* WS_CODE_EXTREME */
        TO = ws_extreme(i->op, i->type, LEFT, RIGHT);
        return true;
    }
}

static bool run_with_slow(const struct ws_instruction *first, const struct ws_instruction *from,
                          union ws_value *const *frames);

/* Runs the code from an instruction on.  Without `slow` it leaves the rest to run_with_slow as soon as it
 * meets what calls a function, so that it has to save nothing for these. */
static inline __attribute__((always_inline)) bool run(const struct ws_instruction *const first,
                                                      const struct ws_instruction *from,
                                                      union ws_value *const *frames, bool slow)
{

#define TEST(condition)                                                                                      \
    if (!(condition))                                                                                        \
        return false;                                                                                        \
    break
    for (const struct ws_instruction *i = from;; i++)
        switch ((enum ws_opcode)i->code) {
        case WS_CODE_END:
            return true;
        case WS_TEST_TRUE:
            TEST(LEFT.i);
        case WS_TEST_FALSE:
            TEST(!LEFT.i);
        case WS_TEST_EQUAL:
            TEST(LEFT.i == RIGHT.i);
        case WS_TEST_UNEQUAL:
            TEST(LEFT.i != RIGHT.i);
        case WS_TEST_LESS:
            TEST(LEFT.i < RIGHT.i);
        case WS_TEST_LESS_EQUAL:
            TEST(LEFT.i <= RIGHT.i);
        case WS_TEST_SAME:
            TEST(ws_formula_are_same(i, frames));
        case WS_TEST_UNLIKE:
            TEST(!ws_formula_are_same(i, frames));
        case WS_CODE_MOVE:
            TO = LEFT;
            break;
        case WS_CODE_EVENT:
            TO.e = ws_operand_event(i->left, frames);
            break;
        case WS_CODE_ADD:
            TEST(!__builtin_add_overflow(LEFT.i, RIGHT.i, &TO.i));
        case WS_CODE_SUBTRACT:
            TEST(!__builtin_sub_overflow(LEFT.i, RIGHT.i, &TO.i));
        case WS_CODE_MULTIPLY:
            TEST(!__builtin_mul_overflow(LEFT.i, RIGHT.i, &TO.i));
        case WS_CODE_MIN:
            TO.i = LEFT.i < RIGHT.i ? LEFT.i : RIGHT.i;
            break;
        case WS_CODE_MAX:
            TO.i = LEFT.i > RIGHT.i ? LEFT.i : RIGHT.i;
            break;
        case WS_CODE_CLAMP: {
            int64_t x = LEFT.i < RIGHT.i ? LEFT.i : RIGHT.i;
            int64_t low = ws_operand_value(i[1].left, frames).i;
            TO.i = low > x ? low : x;
            i++;
            break;
        }
        case WS_CODE_EQUAL:
            TO.i = LEFT.i == RIGHT.i;
            break;
        case WS_CODE_UNEQUAL:
            TO.i = LEFT.i != RIGHT.i;
            break;
        case WS_CODE_LESS:
            TO.i = LEFT.i < RIGHT.i;
            break;
        case WS_CODE_LESS_EQUAL:
            TO.i = LEFT.i <= RIGHT.i;
            break;
        case WS_CODE_SAME:
            TO.i = ws_formula_are_same(i, frames);
            break;
        case WS_CODE_UNLIKE:
            TO.i = !ws_formula_are_same(i, frames);
            break;
        case WS_CODE_NOT:
            TO.i = !LEFT.i;
            break;
        case WS_JUMP:
            i = first + i->right - 1;
            break;
        case WS_JUMP_TRUE:
            if (LEFT.i)
                i = first + i->right - 1;
            break;
        case WS_JUMP_FALSE:
            if (!LEFT.i)
                i = first + i->right - 1;
            break;
        case WS_CODE_REAL:
        case WS_TEST_COMPARE:
        case WS_CODE_COMPARE:
        case WS_CODE_ARITHMETIC:
        case WS_CODE_UNARY:
        case WS_CODE_EXTREME:
            if (!slow)
                return run_with_slow(first, i, frames);
            TEST(run_slow(i, frames));
        default:
            __builtin_unreachable();
        }
}

static __attribute__((noinline)) bool run_with_slow(const struct ws_instruction *first,
                                                    const struct ws_instruction *from,
                                                    union ws_value *const *frames)
{
    return run(first, from, frames, true);
}

bool ws_formula_run(const struct ws_formula *code, size_t from, union ws_value *const *frames)
{
    return run(code->instructions, code->instructions + from, frames, false);
}
