/* Expressions of the rule language as code: a list of instructions over frames.  A frame is an array of
 * values: the temporaries, the constants, an event's slots, the results of a group's aggregates.  An
 * operand names a frame and a slot in it, so that an event's parameter or a constant costs no instruction
 * of its own.  A code that meets an undefined part ends at once: all that it could give is undefined. */
#ifndef WS_ENGINE_FORMULA_H
#define WS_ENGINE_FORMULA_H

#include "rules/kb.h"

#include <stddef.h>

/* The frames that every code has; the members of the rule at hand come after them. */
enum { WS_FRAME_TEMPORARIES, WS_FRAME_CONSTANTS, WS_FRAME_AGGREGATES, WS_FRAME_MEMBERS };

typedef uint32_t ws_operand; /* slot, frame */
#define WS_FRAME_BITS 8
#define WS_MOST_FRAMES (1u << WS_FRAME_BITS)

enum ws_opcode {
    /* a test ends the code where it does not hold */
    WS_TEST_TRUE,
    WS_TEST_FALSE,
    WS_TEST_UNEQUAL, /* of whole numbers: integer, time, boolean, site, as all that follow without a type */
    WS_TEST_EQUAL,
    WS_TEST_LESS,
    WS_TEST_LESS_EQUAL,
    WS_TEST_SAME, /* of strings, as the next */
    WS_TEST_UNLIKE,
    WS_TEST_COMPARE, /* op, type */
    WS_CODE_MOVE,
    WS_CODE_REAL,  /* a real from outside, which may be no finite number */
    WS_CODE_EVENT, /* the event whose frame it is */
    WS_CODE_ADD,
    WS_CODE_SUBTRACT,
    WS_CODE_MULTIPLY,
    WS_CODE_MIN,
    WS_CODE_MAX,
    WS_CODE_EQUAL,
    WS_CODE_UNEQUAL,
    WS_CODE_LESS,
    WS_CODE_LESS_EQUAL,
    WS_CODE_SAME, /* of strings, as the next */
    WS_CODE_UNLIKE,
    WS_CODE_COMPARE,    /* op, type */
    WS_CODE_ARITHMETIC, /* op, type of left, type of right */
    WS_CODE_UNARY,      /* op, type */
    WS_CODE_EXTREME,    /* op, type */
    WS_CODE_CLAMP, /* of whole numbers: left, at most right, at least the left of the instruction behind */
    WS_CODE_NOT,
    WS_JUMP, /* forward, to the instruction with the number in `right` */
    WS_JUMP_TRUE,
    WS_JUMP_FALSE,
    WS_CODE_END, /* the last of every code; not counted */
};

struct ws_instruction {
    uint8_t code, op, type, right_type;
    ws_operand to, left, right;
};

struct ws_formula {
    struct ws_instruction *instructions;
    uint32_t count;
    ws_operand result; /* of a value; a condition has none */
};

/* What the codes of one engine share. */
struct ws_formula_pool {
    struct ws_arena arena;
    union ws_value *constants; /* behind a string the last ones that equalled it, and that did not */
    enum ws_type *constant_types;
    size_t constant_count, constant_capacity, type_capacity;
    size_t temporary_count; /* the most that any code needs */
};
void ws_formula_pool_free(struct ws_formula_pool *pool);

/* What an expression's members are: types[m] of member m, in the frame WS_FRAME_MEMBERS + m; or `one`: all
 * members are the same event, in the first of these frames.  Of an aggregate the frame of aggregates holds
 * the value in slot 2 * index and whether it is defined in the one behind. */
struct ws_formula_scene {
    const struct ws_event_type *const *types;
    const struct ws_event_type *one;
    const struct ws_aggregate *aggregates;
};

/* The code of a value, and of a condition: all of these hold (NULL: is left out). */
struct ws_formula ws_formula_of(struct ws_formula_pool *pool, const struct ws_formula_scene *scene,
                                const struct ws_expr *expr);
struct ws_formula ws_formula_of_all(struct ws_formula_pool *pool, const struct ws_formula_scene *scene,
                                    struct ws_expr *const *conditions, size_t count);

/* Runs it, from an instruction on; false where it is undefined or a test does not hold.
 * frames[WS_FRAME_CONSTANTS] is the pool's, frames[WS_FRAME_TEMPORARIES] has room for its temporaries. */
bool ws_formula_run(const struct ws_formula *code, size_t from, union ws_value *const *frames);

static inline uint32_t ws_operand_frame(ws_operand operand)
{
    return operand & (WS_MOST_FRAMES - 1);
}

static inline uint32_t ws_operand_slot(ws_operand operand)
{
    return operand >> WS_FRAME_BITS;
}

static inline union ws_value ws_operand_value(ws_operand operand, union ws_value *const *frames)
{
    return frames[ws_operand_frame(operand)][ws_operand_slot(operand)];
}

/* The event whose frame it is. */
static inline const struct ws_event *ws_operand_event(ws_operand operand, union ws_value *const *frames)
{
    const char *slots = (const char *)frames[operand & (WS_MOST_FRAMES - 1)];
    return (const struct ws_event *)(slots - offsetof(struct ws_event, value));
}

bool ws_formula_compare_strings(const char *left, const char *right);
/* Are the strings of an instruction equal?  Those of events are interned by the trace, and not together with
 * the constants of the rules, so a constant remembers what it was compared with. */
static inline bool ws_formula_are_same(const struct ws_instruction *instruction,
                                       union ws_value *const *frames)
{
    const char *left = ws_operand_value(instruction->left, frames).s;
    union ws_value *right =
        &frames[ws_operand_frame(instruction->right)][ws_operand_slot(instruction->right)];
    bool same;

    if (left == right->s)
        return true;
    if (ws_operand_frame(instruction->right) != WS_FRAME_CONSTANTS)
        return ws_formula_compare_strings(left, right->s);
    if (left == right[1].s || left == right[2].s)
        return left == right[1].s;
    same = ws_formula_compare_strings(left, right->s);
    right[same ? 1 : 2].s = left;
    return same;
}

/* Most conditions begin with a comparison, and end there. */
static inline bool ws_formula_holds(const struct ws_formula *code, union ws_value *const *frames)
{
    const struct ws_instruction *first = code->instructions;
    int64_t left, right;

    if (code->count == 0)
        return true;
    if (first->code >= WS_TEST_EQUAL && first->code <= WS_TEST_LESS_EQUAL) {
        left = ws_operand_value(first->left, frames).i;
        right = ws_operand_value(first->right, frames).i;
        if (left > right || (left == right ? first->code == WS_TEST_LESS : first->code == WS_TEST_EQUAL))
            return false;
        return code->count == 1 || ws_formula_run(code, 1, frames);
    }
    return ws_formula_run(code, 0, frames);
}

static inline bool ws_formula_value(const struct ws_formula *code, union ws_value *const *frames,
                                    union ws_value *result)
{
    if (code->count && !ws_formula_run(code, 0, frames))
        return false;
    *result = ws_operand_value(code->result, frames);
    return true;
}

static inline ws_operand ws_operand_of(uint32_t frame, uint32_t slot)
{
    return slot << WS_FRAME_BITS | frame;
}

#endif
