/* The page as a file: whatever its texts are, its data stay data. */
#include "sections.h"

#include "report/formats.h"
#include "report/page_tree.h"
#include "report/template.h"
#include "util/file.h"

#include <sys/stat.h>
#include <unistd.h>

#define MS INT64_C(1000000)

/* ---- what a browser would make of it ---- */

/* The text of the element with this id: from its tag to the first "</script", as HTML has it (free()). */
static char *block(const char *page, const char *id, size_t *length)
{
    char tag[64];
    const char *begin, *end;

    snprintf(tag, sizeof tag, "id=\"%s\">", id);
    begin = strstr(page, tag);
    assert_non_null(begin);
    assert_null(strstr(begin + 1, tag));
    begin += strlen(tag);
    end = strstr(begin, "</script");
    assert_non_null(end);
    *length = (size_t)(end - begin);
    return strndup(begin, *length);
}

static json_t *report_of(const char *page)
{
    json_error_t error;
    size_t length;
    char *text = block(page, "ws-report", &length);
    json_t *root = json_loads(text, 0, &error);

    assert_null(strpbrk(text, "<>&"));
    assert_null(strstr(text, "\xe2\x80\xa8"));
    assert_null(strstr(text, "\xe2\x80\xa9"));
    if (!root)
        fail_msg("%s", error.text);
    free(text);
    return root;
}

static json_t *at(json_t *root, const char *key)
{
    json_t *value = json_object_get(root, key);
    assert_non_null(value);
    return value;
}

static const char *string_at(json_t *root, const char *key)
{
    return json_string_value(at(root, key));
}

/* ---- a made-up run ---- */

static const char *const hostile[] = {
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>&amp;&lt;",
    "quotes \" ' ` \\ \\u003c",
    "\xe2\x80\xa8 \xe2\x80\xa9 \xe2\x80\xae txt.exe \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
    "bad \xff\xfe \xc0\xaf \xed\xa0\x80 \xe2\x82",
    "\x01\x02\x1b[2J\r\n\t\x7f",
    "${1+1} {{constructor}} %s%n",
    "",
};
/* How they come back. */
static const char *const valid[] = {
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>&amp;&lt;",
    "quotes \" ' ` \\ \\u003c",
    "\xe2\x80\xa8 \xe2\x80\xa9 \xe2\x80\xae txt.exe \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
    "bad \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
    "\xef\xbf\xbd\xef\xbf\xbd",
    "\x01\x02\x1b[2J\r\n\t\x7f",
    "${1+1} {{constructor}} %s%n",
    "",
};
#define HOSTILE (sizeof hostile / sizeof *hostile)

static struct ws_trace_rank ranks[3];
static struct ws_trace_info info;
static struct ws_rank_share shares[] = {{0, 30 * MS, 3}};
static struct ws_place places[HOSTILE];
static struct ws_problem problem;
static const struct ws_page_options options = {.events = 10};
static const struct ws_kb no_kb;

/* Ranks 0 and 2 from 1000 to 1100 ms; rank 1 left nothing. */
static struct ws_page *made_up(const char *name)
{
    struct ws_page *page = ws_alloc(sizeof *page);
    const struct ws_waited waited = {.cause_rank = 2, .from_ns = 1010 * MS, .to_ns = 1040 * MS};

    ranks[0] = (struct ws_trace_rank){.rank = 0,
                                      .present = true,
                                      .begin_ns = 1000 * MS,
                                      .end_ns = 1100 * MS,
                                      .call_ns = 50 * MS,
                                      .threads = 1,
                                      .host = name};
    ranks[1] = (struct ws_trace_rank){.rank = 1, .host = ""};
    ranks[2] = (struct ws_trace_rank){.rank = 2,
                                      .present = true,
                                      .begin_ns = 1000 * MS,
                                      .end_ns = 1090 * MS,
                                      .call_ns = 10 * MS,
                                      .threads = 1,
                                      .host = name};
    info = (struct ws_trace_info){.ranks = 3, .rank = ranks, .executable = name};
    problem = (struct ws_problem){.id = name,
                                  .name = name,
                                  .description = name,
                                  .advice = name,
                                  .severity_percent = 15,
                                  .duration_ns = 30 * MS,
                                  .count = 1,
                                  .waiting = shares,
                                  .waiting_count = 1,
                                  .causing = shares,
                                  .causing_count = 1,
                                  .places = places,
                                  .place_count = 1};
    places[0] = (struct ws_place){name, name, name, name, name, 3, 7, true, false};
    *page = (struct ws_page){.directory = "/nowhere",
                             .kb = &no_kb,
                             .options = &options,
                             .info = &info,
                             .begin_ns = 1000 * MS,
                             .end_ns = 1100 * MS,
                             .rows = 2};
    page->row_of = ws_alloc_array(3, sizeof *page->row_of);
    memcpy(page->row_of, (uint32_t[]){0, UINT32_MAX, 1}, 3 * sizeof *page->row_of);
    ws_levels_init(&page->levels, page->begin_ns, page->end_ns, 2);
    ws_waits_init(&page->waits, &page->levels, page->row_of, 3, page->begin_ns, page->end_ns, 10);
    ws_waits_add(&waited, &page->waits);
    ws_waits_finish(&page->waits);
    page->diagnosis = (struct ws_diagnosis){.problems = &problem,
                                            .problem_count = 1,
                                            .command = name,
                                            .mpi = name,
                                            .ranks = 3,
                                            .ranks_recorded = 2,
                                            .wall_s = 0.1,
                                            .total_ns = 190 * MS,
                                            .warnings = (const char **)hostile,
                                            .warning_count = HOSTILE};
    ws_shown_init(&page->events, &no_kb, &page->waits, 10);
    return page;
}

static void release(struct ws_page *page)
{
    ws_shown_free(&page->events);
    ws_waits_free(&page->waits);
    ws_levels_free(&page->levels);
    free(page->row_of);
    free(page);
}

static char *whole(const struct ws_page *page)
{
    json_t *report = ws_page_tree(page);
    struct ws_text text = {0};

    ws_template_begin(&text, report);
    ws_text_puts(&text, "AAAA");
    ws_template_end(&text);
    json_decref(report);
    return text.bytes;
}

/* ---- the data block ---- */

static void test_hostile_names_stay_data(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOSTILE; i++) {
        struct ws_page *page = made_up(hostile[i]);
        char *text = whole(page), *timeline;
        json_t *root = report_of(text), *first = json_array_get(at(root, "problems"), 0);
        size_t length;
        assert_string_equal(string_at(at(root, "run"), "command"), valid[i]);
        assert_string_equal(string_at(json_array_get(at(root, "ranks"), 1), "node"), valid[i]);
        assert_string_equal(string_at(first, "description"), valid[i]);
        assert_string_equal(string_at(json_array_get(at(first, "sites"), 0), "function"), valid[i]);
        for (size_t w = 0; w < HOSTILE; w++)
            assert_string_equal(json_string_value(json_array_get(at(root, "warnings"), w)), valid[w]);
        timeline = block(text, "ws-timeline", &length);
        assert_string_equal(timeline, "AAAA");
        free(timeline);
        json_decref(root);
        free(text);
        release(page);
    }
}

static void test_a_function_name_of_ten_kilobytes(void **state)
{
    char *name = ws_alloc(10001), *text;
    struct ws_page *page;
    json_t *root;

    (void)state;
    memset(name, '<', 10000);
    page = made_up(name);
    text = whole(page);
    root = report_of(text);
    assert_string_equal(
        string_at(json_array_get(at(json_array_get(at(root, "problems"), 0), "sites"), 0), "function"), name);
    json_decref(root);
    free(text);
    release(page);
    free(name);
}

static void assert_seconds(json_t *root, const char *key, double seconds)
{
    assert_true(json_is_number(at(root, key)));
    assert_true(fabs(json_number_value(at(root, key)) - seconds) < 1e-12);
}

static void test_what_is_told_of_ranks_and_problems(void **state)
{
    struct ws_page *page = made_up("name");
    json_t *root = ws_page_tree(page), *rank = json_array_get(at(root, "ranks"), 0);
    json_t *entry = json_array_get(at(root, "problems"), 0), *first;
    double sum = 0;
    json_t *bin;
    size_t i;

    (void)state;
    assert_int_equal(json_array_size(at(root, "ranks")), 2);
    assert_seconds(rank, "total_s", 0.1);
    assert_seconds(rank, "compute_s", 0.05);
    assert_seconds(rank, "communication_s", 0.02);
    assert_seconds(rank, "waiting_s", 0.03);
    assert_seconds(json_array_get(at(root, "ranks"), 1), "end_s", 0.09);
    assert_int_equal(json_integer_value(at(json_array_get(at(root, "ranks"), 1), "rank")), 2);

    first = json_array_get(at(entry, "instances"), 0);
    assert_seconds(first, "start_s", 0.01);
    assert_seconds(first, "duration_s", 0.03);
    assert_int_equal(json_integer_value(at(first, "for")), 2);
    assert_seconds(json_array_get(at(entry, "waits_for"), 0), "duration_s", 0.03);
    json_array_foreach(at(at(entry, "histogram"), "duration_s"), i, bin) sum += json_number_value(bin);
    assert_int_equal(i, 64);
    assert_true(fabs(sum - 0.03) < 1e-12);
    assert_seconds(at(entry, "histogram"), "width_s", 0.1 / 64);
    assert_seconds(at(root, "timeline"), "end_s", 0.1);
    assert_int_equal(json_integer_value(at(root, "format")), 1);
    json_decref(root);
    release(page);
}

static void test_waiting_is_never_more_than_calls(void **state)
{
    struct ws_page *page = made_up("name");
    json_t *root, *rank;

    (void)state;
    ranks[0].call_ns = 20 * MS; /* the rules found 30 of waiting */
    root = ws_page_tree(page);
    rank = json_array_get(at(root, "ranks"), 0);
    assert_seconds(rank, "waiting_s", 0.02);
    assert_seconds(rank, "communication_s", 0);
    assert_seconds(rank, "compute_s", 0.08);
    json_decref(root);
    release(page);
}

/* ---- the template ---- */

static void test_the_page_around_the_data(void **state)
{
    struct ws_page *page = made_up("name");
    char *text = whole(page);

    (void)state;
    assert_int_equal(strncasecmp(text, "<!doctype html>", 15), 0);
    assert_null(strstr(text, "whyslow:data"));
    assert_non_null(strstr(text, "</html>"));
    assert_null(strstr(text, "src=\"http"));
    assert_null(strstr(text, "href=\"http"));
    free(text);
    release(page);
}

/* ---- source lines ---- */

static char *folder;

static int set_up(void **state)
{
    char name[] = "/tmp/whyslow-test-XXXXXX";
    (void)state;
    folder = ws_strdup(mkdtemp(name));
    return 0;
}

static int tear_down(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    free(folder);
    return system(command);
}

static char *put(const char *name, const char *text, size_t length)
{
    struct ws_text path = {0};

    ws_text_printf(&path, "%s/%s", folder, name);
    assert_int_equal(ws_file_write(path.bytes, text, length, NULL), 0);
    return path.bytes;
}

static void test_lines_around_a_call(void **state)
{
    struct ws_text text = {0};
    struct ws_excerpt excerpt;
    char *path;

    (void)state;
    for (int i = 1; i <= 100; i++)
        ws_text_printf(&text, "\tline %d%s\n", i, i % 2 ? "\r" : "");
    ws_text_puts(&text, "the end");
    path = put("a.f90", text.bytes, text.length);
    assert_true(ws_source_excerpt(path, 50, &excerpt));
    assert_string_equal(excerpt.language, "fortran");
    assert_int_equal(excerpt.first_line, 42);
    assert_int_equal(excerpt.count, 17);
    assert_string_equal(excerpt.lines[0], "\tline 42");
    assert_string_equal(excerpt.lines[9], "\tline 51");
    assert_false(excerpt.cut);
    ws_excerpt_free(&excerpt);
    assert_true(ws_source_excerpt(path, 1, &excerpt));
    assert_int_equal(excerpt.first_line, 1);
    assert_int_equal(excerpt.count, 9);
    ws_excerpt_free(&excerpt);
    assert_true(ws_source_excerpt(path, 101, &excerpt));
    assert_int_equal(excerpt.count, 9);
    assert_string_equal(excerpt.lines[8], "the end");
    ws_excerpt_free(&excerpt);
    assert_false(ws_source_excerpt(path, 102, &excerpt));
    assert_false(ws_source_excerpt(path, 0, &excerpt));
    assert_false(ws_source_excerpt(path, -5, &excerpt));
    assert_false(ws_source_excerpt(path, INT32_MAX, &excerpt));
    free(path);
    ws_text_free(&text);
}

static void test_long_lines_and_binary_ones(void **state)
{
    struct ws_text text = {0};
    struct ws_excerpt excerpt;
    char *path;

    (void)state;
    for (int i = 0; i < 100000; i++)
        ws_text_puts(&text, "€");
    ws_text_add(&text, "\na\0b\n", 5);
    path = put("b.inc", text.bytes, text.length);
    assert_true(ws_source_excerpt(path, 2, &excerpt));
    assert_true(excerpt.cut);
    assert_string_equal(excerpt.language, "");
    assert_int_equal(excerpt.count, 2);
    assert_in_range(strlen(excerpt.lines[0]), 1000, 1024);
    assert_int_equal(strlen(excerpt.lines[0]) % 3, 0); /* no half of a character */
    assert_string_equal(excerpt.lines[1], "a\xff"
                                          "b");
    ws_excerpt_free(&excerpt);
    free(path);
    ws_text_free(&text);
}

static void test_only_files_are_read(void **state)
{
    struct ws_excerpt excerpt;
    struct ws_text path = {0};

    (void)state;
    ws_text_printf(&path, "%s/pipe.c", folder);
    assert_int_equal(mkfifo(path.bytes, 0600), 0);
    assert_false(ws_source_excerpt(path.bytes, 1, &excerpt)); /* would wait for ever */
    assert_false(ws_source_excerpt("/dev/zero", 1, &excerpt));
    assert_false(ws_source_excerpt("/dev/stdin", 1, &excerpt));
    assert_false(ws_source_excerpt(folder, 1, &excerpt));
    assert_false(ws_source_excerpt("", 1, &excerpt));
    assert_false(ws_source_excerpt("/no/such/file.c", 1, &excerpt));
    assert_false(ws_source_excerpt("/etc/passwd", 1, &excerpt)); /* no source */
    assert_false(ws_source_excerpt("/etc/../etc/.c/passwd", 1, &excerpt));
    ws_text_clear(&path);
    ws_text_printf(&path, "%s/huge.c", folder);
    FILE *file = fopen(path.bytes, "w");
    assert_int_equal(ftruncate(fileno(file), (off_t)1 << 40), 0);
    fclose(file);
    assert_false(ws_source_excerpt(path.bytes, 1, &excerpt));
    ws_text_free(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_names_stay_data),
        cmocka_unit_test(test_a_function_name_of_ten_kilobytes),
        cmocka_unit_test(test_what_is_told_of_ranks_and_problems),
        cmocka_unit_test(test_waiting_is_never_more_than_calls),
        cmocka_unit_test(test_the_page_around_the_data),
        cmocka_unit_test(test_lines_around_a_call),
        cmocka_unit_test(test_long_lines_and_binary_ones),
        cmocka_unit_test(test_only_files_are_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
