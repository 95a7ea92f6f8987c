/* Records sorted with little memory come out as they would with much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "export/sorter.h"

struct record {
    uint64_t key, number;
};

static int by_key(const void *left, const void *right)
{
    const struct record *a = left, *b = right;

    return (a->key > b->key) - (a->key < b->key);
}

static void assert_sorted(size_t count, size_t most_bytes)
{
    struct ws_sorter sorter = {
        .record_bytes = sizeof(struct record), .compare = by_key, .near = "/tmp/whyslow-sorter", .most_bytes = most_bytes};
    struct ws_error error;
    const void *next;
    uint64_t seed = 12345, sum = 0, last = 0;
    size_t got = 0;

    for (size_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        struct record record = {seed >> 40, i};
        sum += i ^ record.key;
        assert_int_equal(ws_sorter_add(&sorter, &record, &error), 0);
    }
    while (ws_sorter_next(&sorter, &next, &error) == 1) {
        const struct record *record = next;
        assert_true(record->key >= last);
        last = record->key;
        sum -= record->number ^ record->key;
        got++;
    }
    assert_int_equal(ws_sorter_next(&sorter, &next, &error), 0);
    assert_int_equal(got, count);
    assert_int_equal(sum, 0);
    assert_int_equal(sorter.file != NULL, most_bytes && count * sizeof(struct record) > most_bytes);
    ws_sorter_free(&sorter);
}

static void test_in_memory(void **state)
{
    (void)state;
    assert_sorted(0, 0);
    assert_sorted(1, 0);
    assert_sorted(10000, 0);
}

static void test_in_a_file(void **state)
{
    (void)state;
    assert_sorted(2, 16);
    assert_sorted(100, 160);
    assert_sorted(200000, 65536); /* 49 runs, most of which are read in one piece */
    assert_sorted(200000, 1 << 20);
}

static void test_no_room_for_the_file(void **state)
{
    struct ws_sorter sorter = {
        .record_bytes = sizeof(struct record), .compare = by_key, .near = "/nowhere/at/all", .most_bytes = 16};
    struct record record = {1, 1};
    struct ws_error error;

    (void)state;
    assert_int_equal(ws_sorter_add(&sorter, &record, &error), 0);
    assert_int_equal(ws_sorter_add(&sorter, &record, &error), -1);
    assert_int_equal(error.code, WS_ENVIRONMENT);
    assert_non_null(strstr(error.text, "/nowhere/at/all"));
    ws_sorter_free(&sorter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_in_a_file),
        cmocka_unit_test(test_no_room_for_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
