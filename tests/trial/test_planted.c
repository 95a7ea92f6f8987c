/* The first line of a test program says what was planted in it. */
#include "trial/trial.h"
#include "util/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int read_line(const char *line, struct ws_planted *planted, struct ws_error *error)
{
    char path[] = P_tmpdir "/whyslow-test-XXXXXX";
    int file = mkstemp(path), result;

    assert_true(file >= 0);
    close(file);
    assert_int_equal(ws_file_write(path, line, strlen(line), NULL), 0);
    result = ws_planted_read(path, planted, error);
    unlink(path);
    return result;
}

static void a_planted_problem(void **state)
{
    struct ws_planted planted;

    (void)state;
    assert_int_equal(
        read_line("// test: ranks=2 expect=late-sender duration=0.200 s\nint main;\n", &planted, NULL), 0);
    assert_int_equal(planted.ranks, 2);
    assert_string_equal(planted.expect, "late-sender");
    assert_float_equal(planted.planted_s, 0.2, 1e-12);
    assert_float_equal(planted.tolerance, 0.1, 1e-12);
}

static void none_and_a_tolerance(void **state)
{
    struct ws_planted planted;

    (void)state;
    assert_int_equal(read_line("// test: ranks=16 expect=none planted=1.5s tolerance=0.2", &planted, NULL),
                     0);
    assert_int_equal(planted.ranks, 16);
    assert_string_equal(planted.expect, "");
    assert_float_equal(planted.planted_s, 1.5, 1e-12);
    assert_float_equal(planted.tolerance, 0.2, 1e-12);
}

static void lines_that_say_too_little_or_nonsense(void **state)
{
    static const char *const lines[][2] = {
        {"", "it is empty"},
        {"int main(void)", "no test line"},
        {"// test: ranks=2 expect=late-sender", "is missing"},
        {"// test: expect=late-sender duration=1 s", "is missing"},
        {"// test: ranks=0 expect=x duration=1 s", "'ranks=0' is not understood"},
        {"// test: ranks=2x expect=x duration=1 s", "'ranks=2x' is not understood"},
        {"// test: ranks=99999999999999999999 expect=x duration=1 s", "is not understood"},
        {"// test: ranks=2 expect= duration=1 s", "'expect=' is not understood"},
        {"// test: ranks=2 expect=x duration=nan s", "'duration=nan' is not understood"},
        {"// test: ranks=2 expect=x duration=-1 s", "'duration=-1' is not understood"},
        {"// test: ranks=2 expect=x duration=1 s tolerance=2", "'tolerance=2' is not understood"},
        {"// test: ranks=2 expect=x duration=1 s soon", "'soon' is not understood"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct ws_planted planted;
        struct ws_error error = {0};
        assert_int_equal(read_line(lines[i][0], &planted, &error), -1);
        assert_int_equal(error.code, WS_BAD_INPUT);
        if (!strstr(error.text, lines[i][1]))
            fail_msg("'%s': %s", lines[i][0], error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_problem),
        cmocka_unit_test(none_and_a_tolerance),
        cmocka_unit_test(lines_that_say_too_little_or_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
