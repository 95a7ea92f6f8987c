/* Sums of reals that do not depend on the order of their terms. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diagnosis/exact.h"

#include <float.h>
#include <math.h>

static double sum_of(const double *terms, size_t count)
{
    struct ws_exact sum = {{0}, {0}};

    for (size_t i = 0; i < count; i++)
        ws_exact_add(&sum, terms[i]);
    return ws_exact_value(&sum);
}
#define SUM(...) sum_of((const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static void test_single_numbers(void **state)
{
    static const double numbers[] = {0,       1,        -1,       0.1,         1e300,          -1e-300, DBL_MAX,
                                     -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 3 * DBL_TRUE_MIN, 4294967296.5};
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(SUM(numbers[i]) == numbers[i]);
}

static void test_nothing_is_lost(void **state)
{
    (void)state;
    assert_true(SUM(1e300, 1, -1e300) == 1);
    assert_true(SUM(1, 1e-300, -1) == 1e-300);
    assert_true(SUM(-1, 1e-300, 1) == 1e-300);
    assert_true(SUM(DBL_MAX, DBL_MAX, -DBL_MAX) == DBL_MAX);
    assert_true(SUM(DBL_TRUE_MIN, -DBL_TRUE_MIN) == 0);
    assert_true(SUM(-0.5, -0.25) == -0.75);
    assert_true(isinf(SUM(DBL_MAX, DBL_MAX)));
}

static void test_infinite_terms(void **state)
{
    (void)state;
    assert_true(SUM(1, INFINITY) == INFINITY);
    assert_true(SUM(-INFINITY, 1) == -INFINITY);
    assert_true(isnan(SUM(INFINITY, -INFINITY)));
}

static void test_any_order_and_division(void **state)
{
    enum { COUNT = 1000 };
    double terms[COUNT];
    struct ws_exact forth = {{0}, {0}}, back = {{0}, {0}}, halves[2] = {{{0}, {0}}};
    uint32_t seed = 5;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * 1103515245 + 12345;
        terms[i] = ldexp((double)seed - 2e9, (int)(seed >> 7) % 1900 - 1000);
    }
    for (size_t i = 0; i < COUNT; i++) {
        ws_exact_add(&forth, terms[i]);
        ws_exact_add(&back, terms[COUNT - 1 - i]);
        ws_exact_add(&halves[i % 2], terms[i]);
    }
    ws_exact_merge(&halves[0], &halves[1]);
    assert_memory_equal(&forth, &back, sizeof forth);
    assert_memory_equal(&forth, &halves[0], sizeof forth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_numbers),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_infinite_terms),
        cmocka_unit_test(test_any_order_and_division),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
