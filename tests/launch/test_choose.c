/* Which of several runtimes a command is recorded as using. */
#include "fake.h"

#include "launch/launch.h"
#include "util/file.h"

static const char *const none[] = {NULL};
static struct ws_runtimes runtimes;

static void add_runtime(const char *folder, const char *attributes)
{
    char name[64], text[512];

    mkdir(fake_path("kb"), 0755);
    snprintf(name, sizeof name, "kb/%s", folder);
    mkdir(fake_path(name), 0755);
    snprintf(name, sizeof name, "kb/%s/functions.xml", folder);
    snprintf(text, sizeof text, "<traceRules><runtime %s/></traceRules>", attributes);
    fake_file(name, text, strlen(text));
}

static int begin(void **state)
{
    static const char *const mpi[] = {"libmpi.so.40", NULL}, *const upper[] = {"libupper.so.2", NULL},
                             *const both[] = {"libmpi.so.40", "libupper.so.2", NULL},
                             *const lone[] = {"liblone.so", NULL}, *const lost[] = {"libupper.so.9", NULL};
    struct ws_text report = {0};
    struct ws_error error;

    (void)state;
    fake_begin();
    add_runtime("mpi", "title='MPI' library='libmpi*' begin='MPI_Init'");
    add_runtime(
        "upper",
        "title='Upper' library='libupper.so*' begin='join' over='mpi' launcher='upperrun' package='upper'");
    add_runtime("alone", "title='Lone' library='liblone.so' begin='join'");
    assert_int_equal(ws_runtimes_read(fake_path("kb"), NULL, 0, &runtimes, &report, &error), 0);
    fake_program("libmpi.so.40", none, NULL);
    fake_program("libupper.so.2", mpi, "$ORIGIN");
    fake_program("liblone.so", none, NULL);
    fake_program("plain", none, NULL);
    fake_program("with-mpi", mpi, "$ORIGIN");
    fake_program("with-upper", upper, "$ORIGIN");
    fake_program("with-both", both, "$ORIGIN");
    fake_program("with-lone", lone, "$ORIGIN");
    fake_program("with-lost", lost, "$ORIGIN");
    fake_program("mpirun", none, NULL);
    fake_program("upperrun", none, NULL);
    fake_script("script", "#!/bin/sh\n");
    setenv("PATH", fake_folder, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    ws_runtimes_free(&runtimes);
    fake_end();
    return 0;
}

static const char *chosen(const char *first, const char *second, const char *third)
{
    const char *command[] = {first, second, third, NULL};

    return ws_runtime_choose((char *const *)command, &runtimes)->id;
}

static void the_uppermost_is_chosen(void **state)
{
    (void)state;
    assert_string_equal(runtimes.items[0]->id, "mpi"); /* before "alone" */
    assert_int_equal(runtimes.count, 3);
    assert_string_equal(chosen("with-mpi", NULL, NULL), "mpi");
    assert_string_equal(chosen("with-upper", NULL, NULL), "upper");
    assert_string_equal(chosen("mpirun", "with-both", NULL), "upper");
    assert_string_equal(chosen("with-lone", "with-upper", NULL), "alone"); /* the rest are its arguments */
}

static void a_launcher_of_its_own_shows_it(void **state)
{
    (void)state;
    assert_string_equal(chosen("upperrun", "script", NULL), "upper");
    assert_string_equal(chosen("mpirun", "script", NULL), "mpi");
    assert_string_equal(chosen("plain", NULL, NULL), "mpi");
    assert_string_equal(chosen("script", NULL, NULL), "mpi");
}

static void what_is_found_of_it(void **state)
{
    const char *command[] = {"with-upper", NULL}, *lost[] = {"with-lost", NULL}, *script[] = {"script", NULL};
    const struct ws_runtime *upper = runtimes.items[ws_runtimes_find(&runtimes, "upper")];
    struct ws_platform *platform = ws_alloc(sizeof *platform);
    struct ws_error error = {0};

    (void)state;
    fake_program("gcc", none, NULL);
    assert_int_equal(ws_platform_find((char *const *)command, upper, platform, &error), 0);
    assert_string_equal(platform->id, "upper");
    assert_string_equal(platform->version, "Upper (libupper.so.2)");
    assert_string_equal(platform->library, fake_path("libupper.so.2"));
    assert_string_equal(platform->compiler, fake_path("gcc"));
    assert_int_equal(ws_platform_find((char *const *)script, upper, platform, &error), 0);
    assert_string_equal(platform->version, "Upper");
    assert_int_equal(ws_platform_find((char *const *)lost, upper, platform, &error), -1);
    assert_int_equal(error.code, WS_ENVIRONMENT);
    assert_non_null(strstr(
        error.text,
        "needs libupper.so.9 (Upper), which is not on this machine; on Debian: apt-get install upper"));
    free(platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_uppermost_is_chosen),
        cmocka_unit_test(a_launcher_of_its_own_shows_it),
        cmocka_unit_test(what_is_found_of_it),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
