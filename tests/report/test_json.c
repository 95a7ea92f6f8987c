/* The report for programs. */
#include "made_up.h"

#include <jansson.h>

static void test_a_slow_run(void **state)
{
    struct ws_diagnosis diagnosis = made_up_slow_run();
    (void)state;
    assert_report(&diagnosis, "json", "slow-run.json");
}

static void test_nothing_found(void **state)
{
    struct ws_diagnosis diagnosis = {.command = "", .mpi = "", .exit_code = -1};
    (void)state;
    assert_report(&diagnosis, "json", "empty-run.json");
}

static void test_hostile_names_stay_json(void **state)
{
    static const struct {
        const char *name, *expected;
    } names[] = {
        {"a\xff"
         "b",
         "a\xEF\xBF\xBD"
         "b"},                                                                    /* no UTF-8 */
        {"\xed\xa0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},                 /* a surrogate */
        {"\xc0\xaf", "\xEF\xBF\xBD\xEF\xBF\xBD"},                                 /* overlong */
        {"\xf4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* above U+10FFFF */
        {"cut \xe2\x82", "cut \xEF\xBF\xBD\xEF\xBF\xBD"},
        {"quote \" back \\ line \n tab \t bell \a", "quote \" back \\ line \n tab \t bell \a"},
        {"ж–€𝄞", "ж–€𝄞"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ws_diagnosis diagnosis = {.command = names[i].name, .mpi = ""};
        char *report = written(&diagnosis, "json");
        json_t *root = json_loads(report, 0, NULL);
        assert_non_null(root);
        assert_string_equal(json_string_value(json_object_get(json_object_get(root, "run"), "command")),
                            names[i].expected);
        json_decref(root);
        free(report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_slow_run),
        cmocka_unit_test(test_nothing_found),
        cmocka_unit_test(test_hostile_names_stay_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
