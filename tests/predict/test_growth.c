/* How a quantity grows with the size of the input: the right form is found, sizes between and beyond are
 * told, and nothing but finite numbers comes out. */
#include "made_up.h"

#include "predict/model/growth.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static double law(const char *which, double x)
{
    if (strcmp(which, "cubic") == 0)
        return 2e-9 * x * x * x;
    if (strcmp(which, "start-up") == 0)
        return 0.5 + 1e-7 * pow(x, 2.3);
    if (strcmp(which, "sort") == 0)
        return 0.01 + 3e-8 * x * log2(x);
    if (strcmp(which, "two terms") == 0)
        return 1e-9 * x * x * x + 2e-6 * x * x;
    /* "cache": beyond 1000 each step costs five times as much */
    return x <= 1000 ? 1e-6 * x * x : 1e-6 * 1e6 + 5e-6 * (x * x - 1e6);
}

static struct ws_growth fitted(const char *which, const double *x, size_t count, double at)
{
    struct ws_growth growth;
    double y[32];

    for (size_t i = 0; i < count; i++)
        y[i] = law(which, x[i]);
    ws_growth_fit(x, y, count, at, &growth);
    return growth;
}

/* The relative error at `at` of what is fitted to these sizes. */
static double error_at(const char *which, const double *x, size_t count, double at)
{
    struct ws_growth growth = fitted(which, x, count, at);
    double error = ws_growth_at(&growth, at) / law(which, at) - 1;

    ws_growth_free(&growth);
    return fabs(error);
}

static const double sizes[] = {200, 300, 500, 800, 1200, 2000, 3000};

static void test_known_laws_between_and_beyond(void **state)
{
    (void)state;
    assert_true(error_at("cubic", sizes, 2, 250) < 1e-9);
    assert_true(error_at("cubic", sizes, 7, 2500) < 1e-6);
    assert_true(error_at("cubic", sizes, 7, 6000) < 1e-6);
    assert_true(error_at("start-up", sizes, 7, 400) < 1e-3);
    assert_true(error_at("start-up", sizes, 7, 6000) < 1e-2);
    assert_true(error_at("start-up", sizes, 7, 50) < 1e-2);
    assert_true(error_at("sort", sizes, 7, 1000) < 1e-3);
    assert_true(error_at("sort", sizes, 7, 12000) < 1e-2);
    assert_true(error_at("two terms", sizes, 7, 1000) < 1e-3);
    assert_true(error_at("two terms", sizes, 7, 6000) < 2e-2);
}

/* No single power law fits where each step becomes dearer; pieces do. */
static void test_a_border_is_followed_by_pieces(void **state)
{
    struct ws_growth growth = fitted("cache", sizes, 7, 600);
    (void)state;

    assert_non_null(strstr(growth.name, "piecewise"));
    ws_growth_free(&growth);
    assert_true(error_at("cache", sizes, 7, 600) < 0.03);
    assert_true(error_at("cache", sizes, 7, 2500) < 0.03);
}

static void test_what_the_errors_tell(void **state)
{
    struct ws_growth growth = fitted("cache", sizes, 7, 600);
    double sum = 0;
    (void)state;

    assert_true(isnan(growth.left_out[0]) && isnan(growth.left_out[6]));
    for (size_t i = 1; i < 6; i++)
        sum += fabs(log(growth.left_out[i] / growth.y[i]));
    assert_true(fabs(growth.error - sum / 5) < 1e-12);
    assert_true(growth.worst >= growth.error);
    assert_false(ws_growth_extrapolates(&growth, 200));
    assert_true(ws_growth_extrapolates(&growth, 199));
    assert_true(ws_growth_extrapolates(&growth, 3001));
    ws_growth_free(&growth);
}

static void test_few_sizes(void **state)
{
    struct ws_growth one = fitted("cubic", sizes, 1, 200), two = fitted("cubic", sizes, 2, 400);
    (void)state;

    assert_true(ws_growth_at(&one, 200) == law("cubic", 200));
    assert_true(isnan(one.error));
    assert_string_equal(two.name, "power law");
    assert_true(isnan(two.error));
    assert_true(fabs(ws_growth_at(&two, 400) / law("cubic", 400) - 1) < 1e-9);
    ws_growth_free(&one);
    ws_growth_free(&two);
}

/* Counts may be zero at some size, or at all. */
static void test_zeros(void **state)
{
    const double x[] = {1, 2, 4, 8}, some[] = {0, 0, 4, 12}, none[] = {0, 0, 0, 0};
    struct ws_growth growth;
    (void)state;

    ws_growth_fit(x, some, 4, 6, &growth);
    assert_true(ws_growth_at(&growth, 6) == 8);
    assert_true(ws_growth_at(&growth, 16) == 28);
    assert_true(ws_growth_at(&growth, 0.5) == 0);
    ws_growth_free(&growth);
    ws_growth_fit(x, none, 4, 6, &growth);
    assert_true(ws_growth_at(&growth, 6) == 0 && ws_growth_at(&growth, 600) == 0);
    ws_growth_free(&growth);
}

static double random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Whatever the sizes and values are, what is told is a finite number, not negative. */
static void test_anything_gives_numbers(void **state)
{
    uint64_t seed = 7;
    (void)state;

    for (int turn = 0; turn < 300; turn++) {
        double x[8], y[8], at = exp(80 * (random_number(&seed) - 0.5));
        size_t count = 1 + (size_t)(random_number(&seed) * 8);
        struct ws_growth growth;
        for (size_t i = 0; i < count; i++) {
            x[i] = (i ? x[i - 1] : 0) + exp(40 * (random_number(&seed) - 0.5));
            x[i] = i && x[i] <= x[i - 1] ? x[i - 1] * 1.001 : x[i];
            y[i] = random_number(&seed) < 0.05 ? 0 : exp(40 * (random_number(&seed) - 0.5));
        }
        ws_growth_fit(x, y, count, at, &growth);
        assert_true(isfinite(ws_growth_at(&growth, at)) && ws_growth_at(&growth, at) >= 0);
        assert_true(isnan(growth.error) || isfinite(growth.error));
        ws_growth_free(&growth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_laws_between_and_beyond),
        cmocka_unit_test(test_a_border_is_followed_by_pieces),
        cmocka_unit_test(test_what_the_errors_tell),
        cmocka_unit_test(test_few_sizes),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_anything_gives_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
