/* A command as a user types it: which word is the launcher, which the program. */
#include "fake.h"

#include "launch/words.h"

static struct ws_words words;

static void make_machine(void)
{
    static const char *const none[] = {NULL}, *const mpi[] = {"libmpi.so.40", NULL},
                             *const absent[] = {"libmpich.so.99", NULL},
                             *const simulator[] = {"libsimgrid.so.3.32", NULL};
    char path[PATH_MAX];

    fake_script("mpirun", "#!/bin/sh\n");
    fake_script("mpiexec.hydra", "#!/bin/sh\n");
    fake_script("run.sh", "#!/bin/sh\n");
    fake_program("libmpi.so.40", none, NULL);
    fake_program("app", mpi, "$ORIGIN");
    fake_script("smpirun", "#!/bin/sh\n");
    fake_program("libsimgrid.so.3.32", none, NULL);
    fake_program("simulated", simulator, "$ORIGIN");
    fake_program("plain", none, NULL);
    fake_program("mpirun_test", mpi, "$ORIGIN");
    fake_program("ssh", none, NULL);
    fake_program("env", none, NULL);
    fake_program("nice", none, NULL);
    fake_program("python3", none, NULL);
    fake_program("sh", none, NULL);
    fake_program("lost", absent, NULL);
    fake_script("script.py", "#!/usr/bin/env -S python3 -u\n");
    snprintf(path, sizeof path, "%s", fake_folder);
    setenv("PATH", path, 1);
}

static void read_words(const char *first, ...)
{
    const char *command[16] = {first};
    va_list args;
    size_t count = 1;

    va_start(args, first);
    while (count < 15 && (command[count] = va_arg(args, const char *)))
        count++;
    va_end(args);
    ws_words_read((char *const *)command, NULL, &words);
}

#define EXPECT(expected_launcher, expected_program, expected_kind)                                           \
    do {                                                                                                     \
        assert_int_equal(words.launcher, expected_launcher);                                                 \
        assert_int_equal(words.program, expected_program);                                                   \
        assert_int_equal(words.kind, expected_kind);                                                         \
    } while (0)

static void launcher_and_program(void **state)
{
    (void)state;
    read_words("mpirun", "-n", "4", "app", "input.txt", NULL);
    EXPECT(0, 3, WS_PROGRAM_FOUND);
    assert_string_equal(words.program_path, fake_path("app"));
    assert_string_equal(words.library, fake_path("libmpi.so.40"));
    assert_string_equal(words.family->id, "openmpi");
    /* Its files may have names of programs. */
    read_words("smpirun", "-np", "128", "-platform", "app", "-hostfile", "plain", "--cfg=smpi/host-speed:1Gf", "simulated", NULL);
    EXPECT(0, 8, WS_PROGRAM_FOUND);
    assert_string_equal(words.family->id, "simgrid");
    read_words("mpiexec.hydra", "-genv", "A", "env", "-launcher", "ssh", "-n", "2", fake_path("app"), NULL);
    EXPECT(0, 8, WS_PROGRAM_FOUND);
}

static void program_alone(void **state)
{
    (void)state;
    read_words(fake_path("app"), "mpirun", NULL);
    EXPECT(-1, 0, WS_PROGRAM_FOUND);
    read_words("mpirun_test", NULL); /* named like a launcher, but it needs MPI itself */
    EXPECT(-1, 0, WS_PROGRAM_FOUND);
}

static void what_stands_before_the_launcher(void **state)
{
    (void)state;
    read_words("env", "OMP_NUM_THREADS=2", "mpirun", "-n", "2", "app", NULL);
    EXPECT(2, 5, WS_PROGRAM_FOUND);
    read_words("nice", "mpirun", "app", NULL);
    EXPECT(1, 2, WS_PROGRAM_FOUND);
    read_words("env", "A=b", "app", NULL);
    EXPECT(-1, 2, WS_PROGRAM_FOUND);
}

static void what_stands_before_the_program(void **state)
{
    (void)state;
    read_words("mpirun", "nice", "app", NULL);
    EXPECT(0, 2, WS_PROGRAM_FOUND);
    read_words("mpirun", "-n", "1", "plain", ":", "-n", "1", "app", NULL);
    EXPECT(0, 7, WS_PROGRAM_FOUND);
}

static void scripts_and_interpreters(void **state)
{
    (void)state;
    read_words("mpirun", "-n", "2", "python3", "solve.py", NULL);
    EXPECT(0, 3, WS_PROGRAM_OPEN);
    assert_string_equal(words.interpreter, fake_path("python3"));
    read_words("mpirun", "script.py", NULL);
    EXPECT(0, 1, WS_PROGRAM_OPEN);
    assert_string_equal(words.interpreter, fake_path("python3"));
    read_words("run.sh", NULL);
    EXPECT(-1, 0, WS_PROGRAM_OPEN);
}

static void programs_without_mpi(void **state)
{
    (void)state;
    read_words("mpirun", "-n", "2", "plain", NULL);
    EXPECT(0, 3, WS_PROGRAM_PLAIN);
    read_words("mpirun", "-n", "2", "nowhere", NULL);
    EXPECT(0, -1, WS_PROGRAM_NONE);
    read_words("mpirun", NULL);
    EXPECT(0, -1, WS_PROGRAM_NONE);
    read_words("mpirun", "lost", NULL);
    EXPECT(0, 1, WS_PROGRAM_BROKEN);
    assert_int_equal(words.error.code, WS_ENVIRONMENT);
}

static void static_mpi_is_seen(void **state)
{
    static const char *const none[] = {NULL};
    struct fake_elf elf = fake_elf(none, NULL);

    (void)state;
    strcpy(elf.strings + 100, "PMPI_Init");
    fake_file("static", &elf, sizeof elf);
    read_words("static", NULL);
    EXPECT(-1, 0, WS_PROGRAM_STATIC);
}

static void many_and_strange_words(void **state)
{
    char **command = calloc(100001, sizeof *command);
    char *huge = malloc(1 << 20);

    (void)state;
    memset(huge, 'x', (1 << 20) - 1);
    huge[(1 << 20) - 1] = '\0';
    for (size_t i = 0; i < 100000; i++)
        command[i] = i % 2 ? huge : (char *)"";
    ws_words_read(command, NULL, &words);
    EXPECT(-1, -1, WS_PROGRAM_NONE);
    read_words("mpirun", "--mca", NULL);
    EXPECT(0, -1, WS_PROGRAM_NONE);
    free(huge);
    free(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launcher_and_program),
        cmocka_unit_test(program_alone),
        cmocka_unit_test(what_stands_before_the_launcher),
        cmocka_unit_test(what_stands_before_the_program),
        cmocka_unit_test(scripts_and_interpreters),
        cmocka_unit_test(programs_without_mpi),
        cmocka_unit_test(static_mpi_is_seen),
        cmocka_unit_test(many_and_strange_words),
    };
    int failed;

    fake_begin();
    make_machine();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_end();
    return failed;
}
