/* PROGRAM.json: written, read again; and what is said of files that are none. */
#include "file.h"

#include "predict/program.h"

#define FULL                                                                                                 \
    "{\"format\": 1, \"kind\": \"whyslow-program\", \"command\": \"./product 500\", \"architecture\": "      \
    "\"x86_64\","                                                                                            \
    "\"runs\": [{\"size\": 500, \"source\": \"callgrind\", \"uncertainty\": 0.01, \"wall_s\": 1.25,"         \
    "\"cpu_s\": 1.2, \"user_s\": 1.1, \"system_s\": 0.1, \"spread\": 0.02, \"repeats\": 3, \"processes\": "  \
    "1,"                                                                                                     \
    "\"threads\": 2, \"ranks\": 4, \"counts\": {\"instructions\": 1e9, \"loads\": 4e8, \"integer\": 9e8,"    \
    "\"float\": 1e8}, \"cache\": {\"line_bytes\": 64, \"curve\": [{\"size_bytes\": 8192, \"misses\": 5e6,"   \
    "\"regular\": 4e6}, {\"size_bytes\": 32768, \"misses\": 1e6}]}, \"io\": {\"reads\": 3,"                  \
    "\"read_bytes\": 4096}, \"paper\": {\"h1\": 1e9, \"h11\": 8}}, {\"size\": null, \"cpu_s\": 2}]}"

static struct ws_program read_program(const char *bytes)
{
    struct ws_program program;
    struct ws_error error = {0};

    write_file(path, bytes, strlen(bytes));
    if (ws_program_read(path, &program, &error) != 0)
        fail_msg("%s", error.text);
    return program;
}

static void check(const struct ws_program *program)
{
    const struct ws_program_run *run = &program->runs[0];

    assert_string_equal(program->command, "./product 500");
    assert_string_equal(program->architecture, "x86_64");
    assert_int_equal(program->run_count, 2);
    assert_true(run->size == 500 && run->cpu_s == 1.2 && run->user_s == 1.1 && run->system_s == 0.1);
    assert_true(run->repeats == 3 && run->threads == 2 && run->ranks == 4 && run->spread == 0.02);
    assert_string_equal(run->source, "callgrind");
    assert_true(run->has_counts && run->counts[WS_COUNT_INTEGER] == 9e8 && run->counts[WS_COUNT_DIVIDE] == 0);
    assert_int_equal(run->curve_count, 2);
    assert_true(run->curve[0].regular == 4e6 && run->curve[1].size_bytes == 32768);
    assert_true(run->io[WS_IO_READS] == 3 && run->io[WS_IO_READ_BYTES] == 4096);
    assert_true(run->has_paper && run->paper[10] == 8);
    run = &program->runs[1];
    assert_true(run->size == 0 && run->cpu_s == 2 && !run->has_counts && !run->has_paper);
    assert_string_equal(run->source, "");
}

static void test_what_was_written_is_read(void **state)
{
    struct ws_program program = read_program(FULL), again;
    struct ws_error error = {0};
    (void)state;

    check(&program);
    assert_int_equal(ws_program_write(&program, path, &error), 0);
    assert_int_equal(ws_program_read(path, &again, &error), 0);
    check(&again);
    ws_program_free(&program);
    ws_program_free(&again);
}

static void test_mistakes_are_named_by_their_place(void **state)
{
    static const struct {
        const char *piece, *other, *said;
    } mistakes[] = {
        {"\"format\": 1", "\"format\": 3",
         ": format: this is version 3, this Whyslow reads version 1; write it anew with 'whyslow profile'"},
        {"whyslow-program", "whyslow-node",
         ": kind: this is a 'whyslow-node', where a 'whyslow-program' is wanted; 'whyslow profile' writes "
         "those"},
        {"\"command\": \"./product 500\",", "", ": command: a text is wanted, not nothing"},
        {"\"cpu_s\": 1.2", "\"cpu_s\": 0", ": runs[0].cpu_s: 0 is not in the range from 1e-09"},
        {"\"cpu_s\": 1.2,", "", ": runs[0].cpu_s: a number is wanted, not nothing"},
        {"\"size\": 500", "\"size\": 0", ": runs[0].size: 0 is not in the range"},
        {"\"size\": 500", "\"size\": \"500\"", ": runs[0].size: a number is wanted, not a text"},
        {"\"loads\": 4e8", "\"loads\": -4e8", ": runs[0].counts.loads: -4e+08 is not in the range"},
        {"\"size_bytes\": 32768", "\"size_bytes\": 8192",
         ": runs[0].cache.curve[1].size_bytes: 8192 comes after 8192; put the caches in order"},
        {"\"regular\": 4e6", "\"regular\": 6e6",
         ": runs[0].cache.curve[0].regular: 6e+06 of 5e+06 misses cannot be"},
        {"{\"size\": null, \"cpu_s\": 2}", "7", ": runs[1]: an object is wanted, not a number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        char changed[4096];
        struct ws_program program;
        struct ws_error error;
        const char *found = strstr(FULL, mistakes[i].piece);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(found - FULL), FULL, mistakes[i].other,
                 found + strlen(mistakes[i].piece));
        write_file(path, changed, strlen(changed));
        assert_int_equal(ws_program_read(path, &program, &error), -1);
        ws_program_free(&program);
        assert_int_equal(error.code, WS_BAD_INPUT);
        assert_memory_equal(error.text, path, strlen(path));
        if (strncmp(error.text + strlen(path), mistakes[i].said, strlen(mistakes[i].said)) != 0)
            fail_msg("%s\n  gives   %s\n  but not %s", mistakes[i].other, error.text, mistakes[i].said);
    }
}

static int read_and_free(void)
{
    struct ws_program program;
    struct ws_error error;
    int result = ws_program_read(path, &program, &error);

    ws_program_free(&program);
    return result;
}

/* Cut anywhere, or with any byte wrong, it is read or refused, and nothing else happens. */
static void test_damaged_anywhere(void **state)
{
    char text[] = FULL;

    (void)state;
    damage_anywhere(text, read_and_free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_written_is_read),
        cmocka_unit_test(test_mistakes_are_named_by_their_place),
        cmocka_unit_test(test_damaged_anywhere),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
