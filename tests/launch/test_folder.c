/* The folder of a trace: an earlier trace is replaced, anything else is left alone. */
#include "fake.h"

#include "launch/folder.h"

#include <fcntl.h>

static void make_trace(const char *name)
{
    char path[PATH_MAX];

    mkdir(fake_path(name), 0755);
    snprintf(path, sizeof path, "%s/ctf", name);
    mkdir(fake_path(path), 0755);
    for (size_t i = 0; i < 6; i++) {
        static const char *const files[] = {"trace.json",          "run.json",
                                            "rank-3.problem",      "ctf/metadata",
                                            "ctf/rank-0.thread-0", "ctf/rank-0.thread-1"};
        snprintf(path, sizeof path, "%s/%s", name, files[i]);
        fake_script(path, "x");
    }
}

static void creates_a_folder(void **state)
{
    struct ws_error error;
    int lock = ws_folder_prepare(fake_path("new/deep"), &error);

    (void)state;
    assert_true(lock >= 0);
    assert_int_equal(access(fake_path("new/deep"), F_OK), 0);
    close(lock);
}

static void replaces_a_trace_and_nothing_else(void **state)
{
    struct ws_error error;
    int lock;

    (void)state;
    make_trace("trace");
    fake_script("trace/notes.txt", "mine");
    fake_script("trace/report.html", "of the earlier trace");
    fake_script("trace/places", "of the earlier trace");
    lock = ws_folder_prepare(fake_path("trace"), &error);
    assert_true(lock >= 0);
    close(lock);
    assert_int_equal(access(fake_path("trace/notes.txt"), F_OK), 0);
    assert_int_not_equal(access(fake_path("trace/trace.json"), F_OK), 0);
    assert_int_not_equal(access(fake_path("trace/report.html"), F_OK), 0);
    assert_int_not_equal(access(fake_path("trace/places"), F_OK), 0);
    assert_int_not_equal(access(fake_path("trace/rank-3.problem"), F_OK), 0);
    assert_int_not_equal(access(fake_path("trace/ctf/rank-0.thread-1"), F_OK), 0);
}

static void refuses_a_folder_of_other_things(void **state)
{
    struct ws_error error;

    (void)state;
    mkdir(fake_path("home"), 0755);
    fake_script("home/thesis.tex", "x");
    fake_script("home/run.json", "x");
    assert_int_equal(ws_folder_prepare(fake_path("home"), &error), -1);
    assert_int_equal(error.code, WS_USAGE);
    assert_non_null(strstr(error.text, "thesis.tex"));
    assert_int_equal(access(fake_path("home/run.json"), F_OK), 0);
    mkdir(fake_path("site"), 0755);
    fake_script("site/report.html", "no page of ours");
    assert_int_equal(ws_folder_prepare(fake_path("site"), &error), -1);
    assert_int_equal(access(fake_path("site/report.html"), F_OK), 0);
}

static void refuses_foreign_streams_and_follows_no_link(void **state)
{
    struct ws_error error;

    (void)state;
    make_trace("odd");
    fake_script("odd/ctf/diary", "x");
    assert_int_equal(ws_folder_prepare(fake_path("odd"), &error), -1);
    assert_int_equal(access(fake_path("odd/ctf/rank-0.thread-0"), F_OK), 0);

    make_trace("target");
    mkdir(fake_path("linked"), 0755);
    fake_script("linked/trace.json", "x");
    assert_int_equal(symlink(fake_path("target/ctf"), fake_path("linked/ctf")), 0);
    assert_int_equal(ws_folder_prepare(fake_path("linked"), &error), -1);
    assert_int_equal(access(fake_path("target/ctf/rank-0.thread-0"), F_OK), 0);
}

static void keeps_two_runs_apart(void **state)
{
    struct ws_error error;
    int lock = ws_folder_prepare(fake_path("busy"), &error);

    (void)state;
    assert_true(lock >= 0);
    assert_int_equal(ws_folder_prepare(fake_path("busy"), &error), -1);
    assert_non_null(strstr(error.text, "another run"));
    close(lock);
    lock = ws_folder_prepare(fake_path("busy"), &error);
    assert_true(lock >= 0);
    close(lock);
}

static void counts_ranks_and_merges_problems(void **state)
{
    struct ws_text problems = {0};
    uint64_t bytes;

    (void)state;
    make_trace("run");
    fake_script("run/ctf/rank-10.thread-0", "xxx");
    fake_script("run/ctf/rank-1.thread-0", "xx");
    assert_int_equal(ws_folder_ranks(fake_path("run"), &bytes), 3);
    assert_int_equal(bytes, 7);
    assert_int_equal(ws_folder_ranks(fake_path("nowhere"), &bytes), 0);

    fake_script("run/rank-3.problem", "disk full\n");
    fake_script("run/rank-0.problem", "disk full\n");
    fake_script("run/rank-4.problem", "disk full");
    fake_script("run/rank-11.problem", "too many \033[31mthreads\n");
    ws_folder_problems(fake_path("run"), &problems);
    assert_string_equal(problems.bytes, "ranks 0, 3-4: disk full\nrank 11: too many  [31mthreads\n");
    ws_text_free(&problems);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creates_a_folder),
        cmocka_unit_test(replaces_a_trace_and_nothing_else),
        cmocka_unit_test(refuses_a_folder_of_other_things),
        cmocka_unit_test(refuses_foreign_streams_and_follows_no_link),
        cmocka_unit_test(keeps_two_runs_apart),
        cmocka_unit_test(counts_ranks_and_merges_problems),
    };
    int failed;

    fake_begin();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_end();
    return failed;
}
