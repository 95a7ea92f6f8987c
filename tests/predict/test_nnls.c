/* Non-negative least squares: known solutions, and the conditions that every solution meets. */
#include "made_up.h"

#include "predict/model/nnls.h"

#include <math.h>

static void assert_near(double found, double wanted, double tolerance)
{
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%.17g is not %.17g", found, wanted);
}

static void test_without_bounds_in_the_way(void **state)
{
    /* A line through (1, 3), (2, 5), (3, 7): 1 + 2 x. */
    const double a[] = {1, 1, 1, 2, 1, 3}, b[] = {3, 5, 7};
    double x[2], residual;
    (void)state;

    assert_int_equal(ws_nnls(3, 2, a, b, x, &residual), 0);
    assert_near(x[0], 1, 1e-12);
    assert_near(x[1], 2, 1e-12);
    assert_near(residual, 0, 1e-12);
}

/* Through (1, 1), (2, 4), (3, 7) goes -2 + 3 x; without the negative part it is (1 + 8 + 21) / 14 x. */
static void test_a_bound_holds(void **state)
{
    const double a[] = {1, 1, 1, 2, 1, 3}, b[] = {1, 4, 7};
    double x[2], residual;
    (void)state;

    assert_int_equal(ws_nnls(3, 2, a, b, x, &residual), 0);
    assert_near(x[0], 0, 0);
    assert_near(x[1], 30.0 / 14, 1e-12);
    assert_near(residual, sqrt(66 - 900.0 / 14), 1e-12);
}

/* A column enters and leaves again: (1, 2)/(2, 1) with a third between them; the solution is on an edge. */
static void test_nothing_helps(void **state)
{
    const double a[] = {1, 2, 0.5, 1}, b[] = {-1, -2};
    double x[2];
    (void)state;

    assert_int_equal(ws_nnls(2, 2, a, b, x, NULL), 0);
    assert_near(x[0], 0, 0);
    assert_near(x[1], 0, 0);
}

static void test_columns_that_say_the_same_or_nothing(void **state)
{
    const double a[] = {1, 2, 0, 2, 4, 0, 3, 6, 0}, b[] = {2, 4, 6};
    double x[3], residual;
    (void)state;

    assert_int_equal(ws_nnls(3, 3, a, b, x, &residual), 0);
    assert_near(x[0] + 2 * x[1], 2, 1e-9);
    assert_near(x[2], 0, 0);
    assert_near(residual, 0, 1e-9);
}

static void test_fewer_rows_than_columns(void **state)
{
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {3, 6};
    double x[3], residual;
    (void)state;

    assert_int_equal(ws_nnls(2, 3, a, b, x, &residual), 0);
    assert_near(residual, 0, 1e-9);
}

static void test_numbers_that_are_none(void **state)
{
    const double a[] = {1, NAN, 1, 2}, b[] = {1, 2};
    const double good[] = {1, 1, 1, 2}, infinite[] = {1, INFINITY};
    double x[2] = {7, 7};
    (void)state;

    assert_int_equal(ws_nnls(2, 2, a, b, x, NULL), -1);
    assert_near(x[0] + x[1], 0, 0);
    assert_int_equal(ws_nnls(2, 2, good, infinite, x, NULL), -1);
}

static double random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* A x = b for a known x >= 0 is found, however unlike the columns' sizes are. */
static void test_known_solutions(void **state)
{
    uint64_t seed = 1;
    double a[60 * 18], b[60], x[18], known[18];
    (void)state;

    for (int turn = 0; turn < 200; turn++) {
        for (size_t j = 0; j < 18; j++)
            known[j] = random_number(&seed) < 0.4 ? 0 : random_number(&seed) / pow(10, (double)j);
        for (size_t i = 0; i < 60; i++) {
            b[i] = 0;
            for (size_t j = 0; j < 18; j++) {
                a[i * 18 + j] = random_number(&seed) * pow(10, (double)j);
                b[i] += a[i * 18 + j] * known[j];
            }
        }
        assert_int_equal(ws_nnls(60, 18, a, b, x, NULL), 0);
        for (size_t j = 0; j < 18; j++)
            assert_near(x[j] * pow(10, (double)j), known[j] * pow(10, (double)j), 1e-8);
    }
}

/* The conditions of Kuhn and Tucker: x >= 0; along a column with x > 0 the residual does not fall, along one
 * with x = 0 it grows or stays. */
static void test_every_solution_is_the_best(void **state)
{
    uint64_t seed = 2;
    double a[30 * 12], b[30], x[12];
    (void)state;

    for (int turn = 0; turn < 500; turn++) {
        for (size_t i = 0; i < 30 * 12; i++)
            a[i] = random_number(&seed) - 0.3;
        for (size_t i = 0; i < 30; i++)
            b[i] = random_number(&seed) - 0.3;
        assert_int_equal(ws_nnls(30, 12, a, b, x, NULL), 0);
        for (size_t j = 0; j < 12; j++) {
            double slope = 0;
            for (size_t i = 0; i < 30; i++) {
                double rest = b[i];
                for (size_t k = 0; k < 12; k++)
                    rest -= a[i * 12 + k] * x[k];
                slope += a[i * 12 + j] * rest;
            }
            assert_true(x[j] >= 0);
            assert_true(slope < 1e-9);
            assert_true(x[j] == 0 || fabs(slope) < 1e-9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_bounds_in_the_way),
        cmocka_unit_test(test_a_bound_holds),
        cmocka_unit_test(test_nothing_helps),
        cmocka_unit_test(test_columns_that_say_the_same_or_nothing),
        cmocka_unit_test(test_fewer_rows_than_columns),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_known_solutions),
        cmocka_unit_test(test_every_solution_is_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
