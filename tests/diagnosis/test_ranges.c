/* Sets of ranks as people write them. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "diagnosis/ranges.h"

static void assert_ranges(const uint32_t *ranks, size_t count, const char *expected)
{
    struct ws_text text = {0};
    ws_ranges_add(&text, ranks, count);
    assert_string_equal(ws_text_string(&text), expected);
    ws_text_free(&text);
}
#define RANGES(expected, ...)                                                                                \
    assert_ranges((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4, expected)

static void test_ranges(void **state)
{
    (void)state;
    assert_ranges(NULL, 0, "");
    RANGES("7", 7);
    RANGES("2, 3", 2, 3);
    RANGES("0, 2–5", 0, 2, 3, 4, 5);
    RANGES("0–2, 4, 6, 7, 9–11", 0, 1, 2, 4, 6, 7, 9, 10, 11);
    RANGES("4294967293–4294967295", 4294967293, 4294967294, 4294967295);
}

static void test_many_ranges_are_cut(void **state)
{
    (void)state;
    RANGES("0, 2, 4, 6, 8, 10, 12, 14", 0, 2, 4, 6, 8, 10, 12, 14);
    RANGES("0, 2, 4, 6, 8, 10, 12, 14, … (10 in all)", 0, 2, 4, 6, 8, 10, 12, 14, 16, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_many_ranges_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
