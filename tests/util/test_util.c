/* The small things that every room leans on. */
#include "util/alloc.h"
#include "util/error.h"
#include "util/file.h"
#include "util/text.h"
#include "util/utf8.h"
#include "util/format.h"
#include "util/role.h"
#include "util/value.h"
#include "util/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void durations_read_well(void **state)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {{0, "0 ns"},
                 {75, "75 ns"},
                 {1500, "1.5 us"},
                 {35200000, "35.2 ms"},
                 {1240000000, "1.24 s"},
                 {-2000000, "-2 ms"},
                 {1234000000000, "1234 s"}};
    char buffer[32];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(ws_format_ns(cases[i].ns, buffer), cases[i].text);
}

static void paths_and_numbers_are_cut_to_size(void **state)
{
    (void)state;
    assert_string_equal(ws_base_name("/usr/bin/mpirun"), "mpirun");
    assert_string_equal(ws_base_name("mpirun"), "mpirun");
    assert_string_equal(ws_base_name("/usr/"), "/usr/");
    assert_true(ws_round(2.5) == 3 && ws_round(-2.5) == -3 && ws_round(0.4) == 0);
    assert_true(ws_round(1e300) == INT64_MAX && ws_round(-1e300) == INT64_MIN && ws_round(0.0 / 0.0) == 0);
    assert_true(ws_round(0x1p63) == INT64_MAX && ws_round(-0x1p63) == INT64_MIN);
}

static void a_near_word_is_suggested_and_a_far_one_is_not(void **state)
{
    static const char *const words[] = {"send", "recv", "barrier", "broadcast"};

    (void)state;
    assert_string_equal(ws_suggest("barier", words, 4), "barrier");
    assert_string_equal(ws_suggest("snd", words, 4), "send");
    assert_null(ws_suggest("completely_other", words, 4));
    assert_null(ws_suggest("x", words, 0));
}

static void text_grows_and_is_always_terminated(void **state)
{
    struct ws_text text = {0};

    (void)state;
    assert_string_equal(ws_text_string(&text), "");
    for (int i = 0; i < 1000; i++)
        ws_text_printf(&text, "%d,", i);
    assert_int_equal(text.length, 3890);
    assert_int_equal(strlen(text.bytes), text.length);
    ws_text_clear(&text);
    assert_string_equal(ws_text_string(&text), "");
    ws_text_free(&text);
}

static void assert_wrapped(const char *text, size_t left, size_t column, const char *expected)
{
    struct ws_text out = {0};

    ws_wrap(&out, text, left, column, 20);
    assert_string_equal(ws_text_string(&out), expected);
    ws_text_free(&out);
}

static void text_is_wrapped_at_words(void **state)
{
    (void)state;
    assert_wrapped("", 2, 2, "");
    assert_wrapped("as long as a line is", 0, 0, "as long as a line is");
    assert_wrapped("one word more than a line", 2, 4, "one word more\n  than a line");
    assert_wrapped("a_word_that_is_wider_than_a_line stays", 0, 0, "a_word_that_is_wider_than_a_line\nstays");
    assert_wrapped("it waited there for 20 ms", 0, 0, "it waited there for\n20 ms");
    assert_wrapped("it waited there 120 ms", 0, 0, "it waited there\n120 ms");
    assert_wrapped("ranks 0\xe2\x80\x93"
                   "15 are late",
                   0, 0,
                   "ranks 0\xe2\x80\x93"
                   "15 are late");
    assert_wrapped("a gap   (event) or   two", 0, 0, "a gap   (event) or\ntwo");
    assert_wrapped("  none before and after ", 0, 0, "none before and\nafter");
    assert_wrapped("one\n\ntwo\n", 2, 2, "one\n\n  two");
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    for (enum ws_format format = 0; format < WS_FORMAT_COUNT; format++)
        assert_int_equal(ws_format_find(ws_formats[format].name), format);
    assert_int_equal(ws_format_find("integer"), WS_FORMAT_COUNT);
    assert_int_equal(ws_format_find(""), WS_FORMAT_COUNT);
}

static void roles_are_found_by_name(void **state)
{
    (void)state;
    for (enum ws_role role = 0; role < WS_ROLE_COUNT; role++)
        assert_int_equal(ws_role_find(ws_role_names[role]), role);
    assert_int_equal(ws_role_find("begin"), WS_ROLE_COUNT);
    assert_int_equal(ws_role_find(""), WS_ROLE_COUNT);
}

static void an_arena_gives_zeroed_aligned_memory_of_any_size(void **state)
{
    struct ws_arena arena = {0};

    (void)state;
    for (size_t size = 0; size < 200000; size = size * 3 + 1) {
        unsigned char *memory = ws_arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
    }
    assert_string_equal(ws_arena_printf(&arena, "%s-%d", "rank", 7), "rank-7");
    ws_arena_free(&arena);
    assert_null(arena.blocks);
}

static void files_are_written_whole_and_errors_name_the_path(void **state)
{
    char folder[] = "/tmp/whyslow-test-XXXXXX";
    struct ws_text path = {0};
    struct ws_error error;
    size_t length;
    char *bytes, **names;

    (void)state;
    assert_non_null(mkdtemp(folder));
    ws_text_printf(&path, "%s/a/b", folder);
    assert_int_equal(ws_make_folder(path.bytes, &error), 0);
    ws_text_puts(&path, "/x.json");
    assert_int_equal(ws_file_write(path.bytes, "{}\n", 3, &error), 0);
    bytes = ws_file_read(path.bytes, 100, &length, &error);
    assert_int_equal(length, 3);
    assert_string_equal(bytes, "{}\n");
    free(bytes);
    assert_null(ws_file_read(path.bytes, 2, NULL, &error));
    assert_int_equal(error.code, WS_BAD_INPUT);
    assert_non_null(strstr(error.text, "x.json"));
    assert_int_equal(ws_make_folder(path.bytes, &error), -1);

    *strrchr(path.bytes, '/') = '\0';
    names = ws_folder_names(path.bytes, ".json", &error);
    assert_string_equal(names[0], "x.json");
    assert_null(names[1]); /* no temporary file is left */
    ws_names_free(names);
    assert_null(ws_folder_names("/no/such/folder", "", &error));
    assert_non_null(strstr(error.text, "/no/such/folder"));
    ws_text_clear(&path);
    ws_text_printf(&path, "%s/a/b/x.json", folder);
    assert_int_equal(unlink(path.bytes), 0);
    for (int depth = 0; depth < 3; depth++) { /* b, a, and the folder itself */
        *strrchr(path.bytes, '/') = '\0';
        assert_int_equal(rmdir(path.bytes), 0);
    }
    ws_text_free(&path);
}

static void every_attribute_has_a_name_and_a_type(void **state)
{
    (void)state;
    for (int i = 0; i < WS_ATTR_COUNT; i++) {
        assert_non_null(ws_attributes[i].name);
        assert_int_not_equal(ws_attributes[i].type, WS_TYPE_NONE);
    }
    assert_string_equal(ws_type_name(WS_TYPE_EVENT), "event");
}

static void texts_are_cut_between_characters(void **state)
{
    (void)state;
    assert_int_equal(ws_utf8_prefix("h\xc3\xa9llo", 0), 0);
    assert_int_equal(ws_utf8_prefix("h\xc3\xa9llo", 1), 1);
    assert_int_equal(ws_utf8_prefix("h\xc3\xa9llo", 2), 3);
    assert_int_equal(ws_utf8_prefix("h\xc3\xa9llo", 5), 6);
    assert_int_equal(ws_utf8_prefix("h\xc3\xa9llo", 99), 6);
    assert_int_equal(ws_utf8_prefix("\xf0\x9d\x84\x9e", 1), 4);
    assert_int_equal(ws_utf8_prefix("", 3), 0);
}

static void integers_and_plain_texts(void **state)
{
    struct ws_text text = {0};
    const int64_t numbers[] = {0, -1, 7, 10, -1234567890, INT64_MAX, INT64_MIN};
    char expected[32];

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ws_text_clear(&text);
        ws_text_integer(&text, numbers[i]);
        snprintf(expected, sizeof expected, "%lld", (long long)numbers[i]);
        assert_string_equal(text.bytes, expected);
    }
    ws_text_free(&text);
    assert_true(ws_is_plain("MPI_Send at a.c:3 ~", ",\""));
    assert_true(ws_is_plain("", ",\""));
    assert_false(ws_is_plain("a,b", ",\""));
    assert_false(ws_is_plain("a\nb", ""));
    assert_false(ws_is_plain("h\xc3\xa9", ""));
    assert_false(ws_is_plain("\x7f", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_read_well),
        cmocka_unit_test(a_near_word_is_suggested_and_a_far_one_is_not),
        cmocka_unit_test(text_grows_and_is_always_terminated),
        cmocka_unit_test(text_is_wrapped_at_words),
        cmocka_unit_test(formats_are_found_by_name),
        cmocka_unit_test(roles_are_found_by_name),
        cmocka_unit_test(an_arena_gives_zeroed_aligned_memory_of_any_size),
        cmocka_unit_test(files_are_written_whole_and_errors_name_the_path),
        cmocka_unit_test(paths_and_numbers_are_cut_to_size),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(integers_and_plain_texts),
        cmocka_unit_test(every_attribute_has_a_name_and_a_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
