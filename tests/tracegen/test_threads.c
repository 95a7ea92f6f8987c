/* The recorder under ThreadSanitizer: the wrappers of the knowledge base for MPI and all that they call are
 * compiled into a program whose threads are in MPI at once (threads/threads.c), with each MPI at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rules/kb.h"
#include "tracegen/tracegen.h"
#include "util/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/whyslow-test-XXXXXX";

static int make_wrappers(void **state)
{
    struct ws_kb kb = {0};
    struct ws_schema schema = {0};
    struct ws_text wrappers = {0}, report = {0};
    struct ws_error error;
    char path[64];

    (void)state;
    if (!mkdtemp(folder) || ws_kb_load(&kb, SOURCE_DIR "/kb/mpi", NULL, 0, &report, &error) != 0 ||
        ws_schema_from_kb(&kb, &schema, &error) != 0 ||
        ws_tracegen_wrappers(&kb, &schema, &wrappers, &error) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/wrappers.c", folder);
    if (ws_file_write(path, wrappers.bytes, wrappers.length, &error) != 0)
        return -1;
    ws_schema_free(&schema);
    ws_kb_free(&kb);
    ws_text_free(&wrappers);
    ws_text_free(&report);
    return 0;
}

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...)
{
    struct ws_text command = {0};
    va_list args;
    char inner[4096];
    int status;

    va_start(args, format);
    vsnprintf(inner, sizeof inner, format, args);
    va_end(args);
    ws_text_printf(&command, "cd %s && { %s; }", folder, inner);
    status = system(command.bytes);
    ws_text_free(&command);
    return status;
}

static int remove_folder(void **state)
{
    (void)state;
    return shell("rm -rf %s", folder);
}

#define COMPILE "mpicc.%s -fsanitize=thread -g -O1 -w -std=gnu11 -D_GNU_SOURCE "

/* Without the functions that only some MPIs have (WS_PROBED). */
static void compile_recorder(const char *mpi)
{
    if (shell(COMPILE "-c -DWS_PROBED -I " SOURCE_DIR "/src -I " SOURCE_DIR "/kb/mpi wrappers.c " SOURCE_DIR
                      "/src/recorder/*.c " SOURCE_DIR "/kb/mpi/*.c",
              mpi) != 0)
        fail_msg("the recorder does not compile with mpicc.%s", mpi);
}

/* Reports that name other places are not ours to mend: MPI and OpenMP are not compiled for the sanitizer, so
 * that it knows nothing of their locks. */
static void runs_without_a_race(const char *mpi, const char *option, int streams)
{
    if (shell(COMPILE "%s " SOURCE_DIR "/tests/tracegen/threads/threads.c *.o -o program -ldl -lpthread", mpi,
              option) != 0)
        fail_msg("the program does not compile with mpicc.%s", mpi);
    /* UCX, which MPICH uses, hooks calls that the sanitizer needs. */
    shell("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 UCX_MEM_EVENTS=no\n"
          "export TSAN_OPTIONS=ignore_noninstrumented_modules=1:detect_deadlocks=0\n"
          "export WHYSLOW_TRACE=$PWD/trace WHYSLOW_UUID=00112233-4455-6677-8899-AABBccddeeff\n"
          "rm -rf trace; mkdir -p trace/ctf\n"
          "timeout 120 ./program >log 2>&1\n"
          /* Where the kernel spreads addresses too far for the sanitizer. */
          "! grep -q 'unexpected memory mapping' log || timeout 120 setarch $(uname -m) -R ./program >log "
          "2>&1");
    if (shell("grep -q 'unexpected memory mapping' log") == 0)
        skip();
    if (shell("grep -q '^0 wrong$' log") != 0 ||
        shell("! grep -E '^SUMMARY: .*(wrappers|kb/mpi/[a-z]*|recorder/[a-z]*)\\.[ch]' log") != 0 ||
        shell("test $(ls trace/ctf | wc -l) = %d", streams) != 0) {
        shell("head -c 10000 log; ls trace/ctf");
        fail_msg("threads with mpicc.%s %s", mpi, option);
    }
}

static void each_kind_of_threads(const char *mpi)
{
    compile_recorder(mpi);
    runs_without_a_race(mpi, "", 1 + 3 * 6);
    runs_without_a_race(mpi, "-fopenmp", 6);
}

static void test_threads_of_mpich(void **state)
{
    (void)state;
    each_kind_of_threads("mpich");
}

static void test_threads_of_open_mpi(void **state)
{
    (void)state;
    each_kind_of_threads("openmpi");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_of_mpich),
        cmocka_unit_test(test_threads_of_open_mpi),
    };
    return cmocka_run_group_tests(tests, make_wrappers, remove_folder);
}
