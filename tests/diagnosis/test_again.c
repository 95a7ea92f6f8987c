/* Problems found again in the report on a later version of the program. */
#include "compared.h"

#include <stdio.h>

struct expected {
    size_t after;
    enum ws_again_by by;
};
#define NOT                                                                                                  \
    {                                                                                                        \
        WS_NOT_AGAIN, 0                                                                                      \
    }

static void assert_found(const struct made *before, size_t before_count, const struct made *after,
                         size_t after_count, const struct expected *expected)
{
    struct ws_problem *befores = made_problems(before, before_count),
                      *afters = made_problems(after, after_count);
    const struct ws_problem **before_list = ws_alloc_array(before_count, sizeof *before_list);
    const struct ws_problem **after_list = ws_alloc_array(after_count, sizeof *after_list);
    struct ws_again *again = ws_alloc_array(before_count, sizeof *again);

    for (size_t i = 0; i < before_count; i++)
        before_list[i] = &befores[i];
    for (size_t i = 0; i < after_count; i++)
        after_list[i] = &afters[i];
    ws_find_again(before_list, before_count, after_list, after_count, again);
    for (size_t i = 0; i < before_count; i++)
        if (again[i].after != expected[i].after ||
            (expected[i].after != WS_NOT_AGAIN && again[i].by != expected[i].by))
            fail_msg("problem %zu: found %zd by %d, not %zd by %d", i, (ssize_t)again[i].after, again[i].by,
                     (ssize_t)expected[i].after, expected[i].by);
    free(again);
    free(before_list);
    free(after_list);
    free_problems(befores, before_count);
    free_problems(afters, after_count);
}
#define COUNT(list) (sizeof(list) / sizeof *(list))
#define FOUND(before, after, ...)                                                                            \
    do {                                                                                                     \
        const struct expected expected[] = {__VA_ARGS__};                                                    \
        assert_int_equal(COUNT(expected), COUNT(before));                                                    \
        assert_found(before, COUNT(before), after, COUNT(after), expected);                                  \
    } while (0)

#define RECV(line)                                                                                           \
    {                                                                                                        \
        "MPI_Recv", "exchange", "/src/jacobi.c", line                                                        \
    }
#define SEND(line)                                                                                           \
    {                                                                                                        \
        "MPI_Send", "exchange", "/src/jacobi.c", line                                                        \
    }

static void test_the_same_report(void **state)
{
    static const struct made report[] = {
        {"late-sender", RECV(20), SEND(10), 9},
        {"late-receiver", SEND(10), RECV(20), 8},
        {"wait-at-barrier", {"MPI_Barrier", "main", "/src/jacobi.c", 90}, {0}, 7}};
    (void)state;
    FOUND(report, report, {0, WS_AGAIN_SAME_LINES}, {1, WS_AGAIN_SAME_LINES}, {2, WS_AGAIN_SAME_LINES});
}

static void test_lines_moved(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(20), SEND(10), 9}};
    static const struct made after[] = {{"late-receiver", RECV(25), SEND(15), 12},
                                        {"late-sender", RECV(25), SEND(15), 9}};
    (void)state;
    FOUND(before, after, {1, WS_AGAIN_MOVED});
}

/* Two lines were inserted above: line 12 is now what line 10 was, not what line 12 was. */
static void test_equal_calls_in_a_row_move_together(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(10), SEND(50), 9},
                                         {"late-sender", RECV(12), SEND(50), 8},
                                         {"late-sender", RECV(14), SEND(50), 7}};
    static const struct made after[] = {{"late-sender", RECV(12), SEND(52), 9},
                                        {"late-sender", RECV(14), SEND(52), 8},
                                        {"late-sender", RECV(16), SEND(52), 7}};
    (void)state;
    FOUND(before, after, {0, WS_AGAIN_MOVED}, {1, WS_AGAIN_MOVED}, {2, WS_AGAIN_MOVED});
}

/* The second of three is gone: by the lines of the others it is known which. */
static void test_one_of_several_is_gone(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(10), SEND(50), 9},
                                         {"late-sender", RECV(20), SEND(50), 8},
                                         {"late-sender", RECV(30), SEND(50), 7}};
    static const struct made after[] = {{"late-sender", RECV(37), SEND(57), 9},
                                        {"late-sender", RECV(17), SEND(57), 8}};
    (void)state;
    FOUND(before, after, {1, WS_AGAIN_MOVED}, NOT, {0, WS_AGAIN_MOVED});
    FOUND(after, before, {2, WS_AGAIN_MOVED}, {0, WS_AGAIN_MOVED});
}

/* One call that waits, two that are waited for. */
static void test_several_causes(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(20), SEND(10), 9},
                                         {"late-sender", RECV(20), SEND(12), 8}};
    static const struct made after[] = {{"late-sender", RECV(21), SEND(13), 9},
                                        {"late-sender", RECV(21), SEND(11), 3}};
    (void)state;
    FOUND(before, after, {1, WS_AGAIN_MOVED}, {0, WS_AGAIN_MOVED});
}

static void test_another_folder_is_no_other_file(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(20), SEND(10), 9}};
    static const struct made after[] = {{"late-sender",
                                         {"MPI_Recv", "exchange", "/tmp/checkout/jacobi.c", 20},
                                         {"MPI_Send", "exchange", "/tmp/checkout/jacobi.c", 10},
                                         9}};
    (void)state;
    FOUND(before, after, {0, WS_AGAIN_MOVED});
}

static void test_files_of_one_name_in_two_folders(void **state)
{
    static const struct made before[] = {
        {"wait-at-barrier", {"MPI_Barrier", "step", "/a/step.c", 5}, {0}, 9},
        {"wait-at-barrier", {"MPI_Barrier", "step", "/b/step.c", 5}, {0}, 8}};
    static const struct made after[] = {{"wait-at-barrier", {"MPI_Barrier", "step", "/b/step.c", 6}, {0}, 9},
                                        {"wait-at-barrier", {"MPI_Barrier", "step", "/a/step.c", 4}, {0}, 8}};
    (void)state;
    FOUND(before, after, {1, WS_AGAIN_MOVED}, {0, WS_AGAIN_MOVED});
}

static void test_a_renamed_file(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(20), SEND(10), 9}};
    static const struct made after[] = {{"late-sender",
                                         {"MPI_Recv", "exchange", "/src/border.c", 7},
                                         {"MPI_Send", "exchange", "/src/border.c", 3},
                                         9}};
    (void)state;
    FOUND(before, after, {0, WS_AGAIN_FILE_RENAMED});
}

static void test_a_renamed_function(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(20), SEND(10), 9}};
    static const struct made after[] = {{"late-sender",
                                         {"MPI_Recv", "swap_rows", "/src/jacobi.c", 20},
                                         {"MPI_Send", "swap_rows", "/src/jacobi.c", 10},
                                         9}};
    (void)state;
    FOUND(before, after, {0, WS_AGAIN_FUNCTION_RENAMED});
}

/* Both functions are in both versions: one is mended, the other spoilt. */
static void test_two_functions_are_not_one(void **state)
{
    static const struct made before[] = {{"wait-at-barrier", {"MPI_Barrier", "read", "/src/a.c", 5}, {0}, 9},
                                         {"early-reduce", {"MPI_Reduce", "write", "/src/a.c", 30}, {0}, 9}};
    static const struct made after[] = {{"wait-at-barrier", {"MPI_Barrier", "write", "/src/a.c", 25}, {0}, 9},
                                        {"early-reduce", {"MPI_Reduce", "read", "/src/a.c", 8}, {0}, 9}};
    (void)state;
    FOUND(before, after, NOT, NOT);
}

static void test_another_cause_and_another_call(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(20), SEND(10), 9}};
    static const struct made other_cause[] = {
        {"late-sender", RECV(20), {"MPI_Isend", "start", "/src/jacobi.c", 70}, 9}};
    static const struct made other_call[] = {{"late-sender",
                                              {"MPI_Waitall", "exchange", "/src/jacobi.c", 22},
                                              {"MPI_Isend", "start", "/src/jacobi.c", 70},
                                              9}};
    (void)state;
    FOUND(before, other_cause, {0, WS_AGAIN_OTHER_CAUSE});
    FOUND(before, other_call, {0, WS_AGAIN_OTHER_CALL});
}

static void test_another_problem_at_the_same_call(void **state)
{
    static const struct made before[] = {{"late-sender", RECV(20), SEND(10), 9}};
    static const struct made after[] = {{"late-receiver", RECV(20), SEND(10), 9}};
    (void)state;
    FOUND(before, after, NOT);
}

/* Without debug information there are only offsets in the module. */
static void test_without_lines(void **state)
{
    static const struct made before[] = {
        {"wait-at-barrier", {"MPI_Barrier", "", "/old/libsolver.so", -0x100}, {0}, 9},
        {"wait-at-barrier", {"MPI_Barrier", "", "/old/libsolver.so", -0x180}, {0}, 8}};
    static const struct made after[] = {
        {"wait-at-barrier", {"MPI_Barrier", "", "/new/libsolver.so", -0x1a0}, {0}, 8},
        {"wait-at-barrier", {"MPI_Barrier", "", "/new/libsolver.so", -0x120}, {0}, 7},
        {"wait-at-barrier", {"MPI_Barrier", "", "/new/libother.so", -0x100}, {0}, 6}};
    (void)state;
    FOUND(before, after, {1, WS_AGAIN_MOVED}, {0, WS_AGAIN_MOVED});
}

/* A report may come from anywhere: no call sites at all, and many thousands at one place. */
static void test_without_places_and_with_very_many(void **state)
{
    enum { MANY = 20000 };
    struct made *many = ws_alloc_array(MANY, sizeof *many);
    struct expected *expected = ws_alloc_array(MANY, sizeof *expected);
    struct ws_problem bare = {.id = "a", .name = "a"};
    const struct ws_problem *list[] = {&bare};
    struct ws_again again;
    (void)state;

    ws_find_again(list, 1, list, 1, &again);
    assert_int_equal(again.after, 0);
    ws_find_again(list, 1, NULL, 0, &again);
    assert_int_equal(again.after, WS_NOT_AGAIN);
    for (size_t i = 0; i < MANY; i++) {
        many[i] = (struct made){"late-sender", RECV((int)i + 1), SEND(100000), 1};
        expected[i] = (struct expected){i, WS_AGAIN_SAME_LINES};
    }
    assert_found(many, MANY, many, MANY, expected);
    free(many);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_report),
        cmocka_unit_test(test_lines_moved),
        cmocka_unit_test(test_equal_calls_in_a_row_move_together),
        cmocka_unit_test(test_one_of_several_is_gone),
        cmocka_unit_test(test_several_causes),
        cmocka_unit_test(test_another_folder_is_no_other_file),
        cmocka_unit_test(test_files_of_one_name_in_two_folders),
        cmocka_unit_test(test_a_renamed_file),
        cmocka_unit_test(test_a_renamed_function),
        cmocka_unit_test(test_two_functions_are_not_one),
        cmocka_unit_test(test_another_cause_and_another_call),
        cmocka_unit_test(test_another_problem_at_the_same_call),
        cmocka_unit_test(test_without_lines),
        cmocka_unit_test(test_without_places_and_with_very_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
