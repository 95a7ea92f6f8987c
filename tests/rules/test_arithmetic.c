/* The arithmetic of the rule language at its borders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rules/arithmetic.h"

#include <math.h>

#define I(x) ((union ws_value){.i = (x)})
#define R(x) ((union ws_value){.r = (x)})

static void whole(enum ws_operator op, int64_t a, int64_t b, bool defined, int64_t expected)
{
    union ws_value v = I(77);

    assert_int_equal(defined, ws_arithmetic(op, WS_TYPE_INTEGER, I(a), WS_TYPE_INTEGER, I(b), &v));
    assert_int_equal(defined ? expected : 77, v.i);
}

static void test_integers(void **state)
{
    (void)state;
    whole(WS_OP_ADD, INT64_MAX, -1, true, INT64_MAX - 1);
    whole(WS_OP_ADD, INT64_MAX, 1, false, 0);
    whole(WS_OP_SUBTRACT, INT64_MIN, 1, false, 0);
    whole(WS_OP_SUBTRACT, 0, INT64_MIN, false, 0);
    whole(WS_OP_MULTIPLY, INT64_MIN, -1, false, 0);
    whole(WS_OP_MULTIPLY, INT64_C(1) << 31, INT64_C(1) << 31, true, INT64_C(1) << 62);
    whole(WS_OP_MULTIPLY, INT64_C(1) << 32, INT64_C(1) << 31, false, 0);
    whole(WS_OP_DIVIDE, -7, 2, true, -3); /* truncated toward zero */
    whole(WS_OP_DIVIDE, 7, 0, false, 0);
    whole(WS_OP_DIVIDE, INT64_MIN, -1, false, 0);
    whole(WS_OP_REMAINDER, -7, 2, true, -1);
    whole(WS_OP_REMAINDER, 7, 0, false, 0);
    whole(WS_OP_REMAINDER, INT64_MIN, -1, true, 0);
}

static void test_unary(void **state)
{
    union ws_value v = I(77);

    (void)state;
    assert_false(ws_arithmetic_unary(WS_OP_NEGATE, WS_TYPE_TIME, I(INT64_MIN), &v));
    assert_false(ws_arithmetic_unary(WS_OP_ABS, WS_TYPE_INTEGER, I(INT64_MIN), &v));
    assert_int_equal(77, v.i);
    assert_true(ws_arithmetic_unary(WS_OP_ABS, WS_TYPE_INTEGER, I(INT64_MIN + 1), &v));
    assert_int_equal(INT64_MAX, v.i);
    assert_true(ws_arithmetic_unary(WS_OP_TO_REAL, WS_TYPE_TIME, I(1500000000), &v));
    assert_true(v.r == 1.5);
    assert_true(ws_arithmetic_unary(WS_OP_TO_REAL, WS_TYPE_INTEGER, I(3), &v));
    assert_true(v.r == 3.0);
    assert_true(ws_arithmetic_unary(WS_OP_NEGATE, WS_TYPE_REAL, R(0.0), &v));
    assert_true(v.r == 0 && !signbit(v.r)); /* one zero */
}

static void test_reals(void **state)
{
    union ws_value v = I(77);

    (void)state;
    assert_false(ws_arithmetic(WS_OP_DIVIDE, WS_TYPE_REAL, R(1), WS_TYPE_REAL, R(0), &v));
    assert_false(ws_arithmetic(WS_OP_MULTIPLY, WS_TYPE_REAL, R(1e200), WS_TYPE_REAL, R(1e200), &v));
    assert_int_equal(77, v.i);
    assert_true(ws_arithmetic(WS_OP_MULTIPLY, WS_TYPE_REAL, R(-1), WS_TYPE_REAL, R(0), &v));
    assert_true(v.r == 0 && !signbit(v.r));
}

static void test_times(void **state)
{
    union ws_value v = I(77);

    (void)state;
    assert_false(ws_arithmetic(WS_OP_MULTIPLY, WS_TYPE_TIME, I(INT64_MAX), WS_TYPE_REAL, R(1.5), &v));
    assert_false(ws_arithmetic(WS_OP_MULTIPLY, WS_TYPE_TIME, I(1), WS_TYPE_REAL, R(NAN), &v));
    assert_false(ws_arithmetic(WS_OP_DIVIDE, WS_TYPE_TIME, I(1), WS_TYPE_REAL, R(0), &v));
    assert_false(ws_arithmetic(WS_OP_DIVIDE, WS_TYPE_TIME, I(1), WS_TYPE_TIME, I(0), &v));
    assert_int_equal(77, v.i);
    assert_true(ws_arithmetic(WS_OP_MULTIPLY, WS_TYPE_REAL, R(-0.4), WS_TYPE_TIME, I(7), &v));
    assert_int_equal(-2, v.i);
    assert_true(ws_arithmetic(WS_OP_DIVIDE, WS_TYPE_TIME, I(3), WS_TYPE_TIME, I(2), &v));
    assert_true(v.r == 1.5);
    assert_true(ws_arithmetic(WS_OP_DIVIDE, WS_TYPE_TIME, I(3), WS_TYPE_INTEGER, I(2), &v));
    assert_int_equal(1, v.i);
}

static void test_compare(void **state)
{
    (void)state;
    assert_true(ws_compare(WS_TYPE_STRING, (union ws_value){.s = "a"}, (union ws_value){.s = "b"}) < 0);
    assert_true(ws_compare(WS_TYPE_INTEGER, I(INT64_MAX), I(INT64_MIN)) > 0);
    assert_int_equal(0, ws_compare(WS_TYPE_REAL, R(0.0), R(-0.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_unary),   cmocka_unit_test(test_reals),
        cmocka_unit_test(test_times),    cmocka_unit_test(test_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
