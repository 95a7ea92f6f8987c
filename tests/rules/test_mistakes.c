/* Mistakes in analysis rules: for each class of them the whole report.  A mistake is reported where it
 * stands, with what was perhaps meant, all mistakes of a file at once, and none follows from another.
 *
 * The stories are in mistakes/<subject>.txt:
 *   === name
 *   --- common          rules of the common scope; may be missing
 *   --- rules           the file test.rules
 *   --- report          what must be said about them */
#include "language.h"

#include "util/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER SOURCE_DIR "/tests/rules/mistakes"
#define STORIES_LEAST 25

struct story {
    const char *name;
    char *common, *rules, *report;
};
static struct story *stories;
static size_t story_count, story_capacity;

/* ---- reading the stories ---- */

/* Cuts the text at the next line that starts so; *name: the rest of that line.  Returns what follows it. */
static char *cut(char *text, const char *start, char **name)
{
    char *line = text, *end;

    while (line && strncmp(line, start, strlen(start)) != 0) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (!line)
        return NULL;
    *name = line + strlen(start);
    end = strchr(*name, '\n');
    assert_non_null(end);
    *end = '\0';
    *line = '\0';
    return end + 1;
}

static void read_part(struct story *story, const char *part, char *text)
{
    if (strcmp(part, "common") == 0)
        story->common = text;
    else if (strcmp(part, "rules") == 0)
        story->rules = text;
    else
        story->report = text;
}

/* Two texts may be parted by an empty line, which belongs to neither. */
static void trim(char *text)
{
    size_t length = strlen(text);
    if (length > 1 && text[length - 1] == '\n' && text[length - 2] == '\n')
        text[length - 1] = '\0';
}

static void read_story(struct story *story, char *text)
{
    char *part, *next;

    for (text = cut(text, "--- ", &part); text; text = next) {
        char *this_part = part;
        next = cut(text, "--- ", &part);
        trim(text);
        read_part(story, this_part, text);
    }
    assert_non_null(story->rules);
    assert_non_null(story->report);
}

/* The texts stay: the stories point into them. */
static void read_stories(const char *file)
{
    char path[4096], *text, *name, *next;

    snprintf(path, sizeof path, "%s/%s", FOLDER, file);
    text = ws_file_read(path, 1 << 20, NULL, NULL);
    assert_non_null(text);
    for (text = cut(text, "=== ", &name); text; text = next) {
        struct story story = {.name = name};
        next = cut(text, "=== ", &name);
        read_story(&story, text);
        WS_PUSH(stories, story_count, story_capacity) = story;
    }
}

static void is_reported(void **state)
{
    const struct story *story = *state;
    struct language language;

    language_init(&language);
    assert_string_equal(language_check(&language, story->common, story->rules, strlen(story->rules)),
                        story->report);
    language_free(&language);
}

/* ---- what is no text, or too much of it ---- */

/* One mistake is reported, in these words. */
static void is_one_mistake(const char *text, size_t length, const char *words)
{
    struct language language;
    const char *report;

    language_init(&language);
    report = language_check(&language, NULL, text, length);
    if (!strstr(report, words) || language.diagnostics.mistakes != 1)
        fail_msg("%s wanted, not:\n%.2000s", words, report);
    language_free(&language);
}

static void bytes_that_are_no_text(void **state)
{
    (void)state;
    is_one_mistake("declare\0 x", 10,
                   "test.rules:1:8: error: not a text file: it has a NUL byte here\n"
                   "    1 | declare? x\n"
                   "      |        ^\n");
    is_one_mistake("\n// caf\xe9", 8, "test.rules:2:7: error: not a text file: this byte is not UTF-8\n");
    is_one_mistake("// \xed\xa0\x80", 6, "this byte is not UTF-8");     /* a surrogate */
    is_one_mistake("// \xc0\xaf", 5, "this byte is not UTF-8");         /* an overlong '/' */
    is_one_mistake("// \xf4\x90\x80\x80", 7, "this byte is not UTF-8"); /* beyond Unicode */
    is_one_mistake("// \xe2\x82", 5, "this byte is not UTF-8");         /* cut off */
}

static void binary_rubbish(void **state)
{
    char bytes[4096];
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        bytes[i] = (char)(random >> 56);
    }
    is_one_mistake(bytes, sizeof bytes, "not a text file");
}

static char *repeated(const char *before, const char *what, size_t times, const char *after)
{
    struct ws_text text = {0};

    ws_text_puts(&text, before);
    for (size_t i = 0; i < times; i++)
        ws_text_puts(&text, what);
    ws_text_puts(&text, after);
    return text.bytes;
}

static void is_one_mistake_of(char *text, const char *words)
{
    is_one_mistake(text, strlen(text), words);
    free(text);
}

static const char before[] = "declare composite event one\nmember(send as s)\nwhen ";
static const char after[] = "\nparameters();\ndeclare problem for one\n"
                            "parameters(name = \"x\", advice = \"x\", duration = end - begin);\n";

static void nesting_is_limited(void **state)
{
    static const char *const nests[] = {"(", "not ", "-", "abs(", "s.tag == 1 and ", "1 + ", "if(true, "};

    (void)state;
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++)
        is_one_mistake_of(repeated(before, nests[i], 100000, after),
                          "this expression is nested more than 200 deep");
}

static void nesting_within_the_limit(void **state)
{
    char *open = repeated(before, "(", 190, "s.tag == 1"), *text = repeated(open, ")", 190, after);
    struct language language;

    (void)state;
    language_init(&language);
    assert_string_equal(language_check(&language, NULL, text, strlen(text)), "");
    language_free(&language);
    free(open);
    free(text);
}

static void counts_are_limited(void **state)
{
    struct ws_text text = {0};

    (void)state;
    ws_text_puts(&text, "declare composite event one member(");
    for (int i = 0; i < 100; i++)
        ws_text_printf(&text, "%ssend as s%d", i ? ", " : "", i);
    ws_text_puts(&text, ") parameters();");
    is_one_mistake_of(text.bytes, "a composite event has at most 64 members");
    is_one_mistake_of(repeated(before, "(s.n == 1 or s.n == 2) and ", 3000, after),
                      "this expression is nested more than 200 deep");
    is_one_mistake_of(
        repeated("declare composite event one member(send as s) parameters(a = max(1", ", 1", 20000, "));"),
        "this declaration is too long: it has more than 10000 expressions");
    is_one_mistake_of(
        repeated("declare composite event ", "abcdefghij", 11, " member(send as s) parameters();"),
        "this name is longer than 100 characters");
}

/* Of 100000 mistakes each is counted and so many are shown as someone may read. */
static void reports_end(void **state)
{
    char *text = repeated("", "hello;\n", 100000, "");
    struct language language;
    const char *report;

    (void)state;
    language_init(&language);
    report = language_check(&language, NULL, text, strlen(text));
    assert_true(strlen(report) < 100000);
    assert_non_null(strstr(report, "(further mistakes are not shown)\n"));
    language_free(&language);
    free(text);
}

/* 110 columns of a line are shown, 70 of them before the caret. */
static void long_lines_are_cut_around_the_caret(void **state)
{
    char *text = NULL, *report = NULL;

    (void)state;
    assert_true(asprintf(&text,
                         "declare problem for%300s sned%300s\nparameters(name = \"x\", advice = \"x\", "
                         "duration = 1 s);",
                         "", "") > 0);
    assert_true(asprintf(&report,
                         "test.rules:1:321: error: unknown event type 'sned'; did you mean 'send'?\n"
                         "    1 | ...%70ssned%36s...\n"
                         "      | %73s^~~~\n",
                         "", "", "") > 0);
    is_one_mistake_of(text, report);
    free(report);
}

static void an_unreadable_file_is_named(void **state)
{
    struct language language;

    (void)state;
    language_init(&language);
    ws_rules_read(ws_tree_new(&language.kb.arena), &language.kb, &language.scope, "no/such.rules",
                  &language.diagnostics);
    assert_string_equal(ws_text_string(&language.report),
                        "no/such.rules: error: cannot read: No such file or directory\n");
    language_free(&language);
}

/* A line of 100 MB is not read to its end. */
static void a_huge_file_is_refused(void **state)
{
    char path[] = "/tmp/whyslow-test-XXXXXX";
    struct language language;
    int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, 100 << 20), 0);
    language_init(&language);
    ws_rules_read(ws_tree_new(&language.kb.arena), &language.kb, &language.scope, path,
                  &language.diagnostics);
    assert_int_equal(language.diagnostics.mistakes, 1);
    assert_non_null(strstr(ws_text_string(&language.report), ": error: larger than 16777216 bytes"));
    language_free(&language);
    close(file);
    unlink(path);
}

static int run_stories(void)
{
    char **files = ws_folder_names(FOLDER, ".txt", NULL);
    struct CMUnitTest *tests;
    int failed;

    for (size_t i = 0; files && files[i]; i++)
        read_stories(files[i]);
    assert_true(story_count >= STORIES_LEAST);
    tests = ws_alloc_array(story_count, sizeof *tests);
    for (size_t i = 0; i < story_count; i++)
        tests[i] = (struct CMUnitTest){stories[i].name, is_reported, NULL, NULL, &stories[i]};
    failed = _cmocka_run_group_tests("mistakes", tests, story_count, NULL, NULL);
    free(tests);
    ws_names_free(files);
    return failed;
}

int main(void)
{
    const struct CMUnitTest limits[] = {
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(binary_rubbish),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(nesting_within_the_limit),
        cmocka_unit_test(counts_are_limited),
        cmocka_unit_test(reports_end),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(an_unreadable_file_is_named),
        cmocka_unit_test(a_huge_file_is_refused),
    };
    int failed = run_stories();

    return failed + cmocka_run_group_tests(limits, NULL, NULL);
}
