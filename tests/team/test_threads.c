/* A team of threads: what its members hand over arrives, whole and with the right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "team/team.h"

#include <stdlib.h>
#include <string.h>

#define MOST 9

static int check(bool holds)
{
    return holds ? 0 : -1;
}

/* ---- sums and leasts ---- */

static int reduce(struct ws_team *team, void *context)
{
    int64_t size = team->size, rank = team->rank, values[3], sums[2];
    int result = 0;

    (void)context;
    for (int64_t round = 0; round < 200; round++) {
        values[0] = rank + round;
        values[1] = -rank;
        values[2] = INT64_MAX;
        sums[0] = rank;
        sums[1] = 1;
        ws_team_least(team, values, 3);
        ws_team_sum(team, sums, 2);
        result |= check(values[0] == round && values[1] == 1 - size && values[2] == INT64_MAX);
        result |= check(sums[0] == size * (size - 1) / 2 && sums[1] == size);
    }
    return result;
}

/* ---- everyone with everyone ---- */

static void write_part(struct ws_text *part, uint32_t from, uint32_t to, uint32_t round)
{
    ws_text_clear(part);
    for (uint32_t i = 0; i < (from * 7 + to * 3 + round) % 50; i++)
        ws_text_printf(part, "%u>%u@%u ", from, to, round);
}

static int exchange(struct ws_team *team, void *context)
{
    struct ws_text parts[MOST] = {{0}}, received[MOST] = {{0}}, expected = {0};
    int result = 0;

    (void)context;
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t m = 0; m < team->size; m++)
            write_part(&parts[m], team->rank, m, round);
        ws_team_exchange(team, parts, received);
        for (uint32_t m = 0; m < team->size; m++) {
            write_part(&expected, m, team->rank, round);
            result |= check(strcmp(ws_text_string(&received[m]), ws_text_string(&expected)) == 0);
        }
    }
    for (uint32_t m = 0; m < team->size; m++) {
        ws_text_free(&parts[m]);
        ws_text_free(&received[m]);
    }
    ws_text_free(&expected);
    return result;
}

/* ---- one to all ---- */

static int broadcast(struct ws_team *team, void *context)
{
    struct ws_text bytes = {0};
    int result = 0;

    (void)context;
    for (uint32_t from = 0; from < team->size; from++) {
        ws_text_clear(&bytes);
        write_part(&bytes, team->rank, 0, 40);
        ws_team_broadcast(team, from, &bytes);
        result |= check(bytes.length >= 4 && strtoul(bytes.bytes, NULL, 10) == from);
    }
    ws_text_free(&bytes);
    return result;
}

/* ---- merging ---- */

struct numbers {
    uint32_t list[MOST];
    uint32_t count;
    bool fails;
};

static void pack(void *context, struct ws_text *out)
{
    struct numbers *numbers = context;
    ws_text_add(out, (const char *)numbers->list, numbers->count * sizeof *numbers->list);
}

static int unpack(void *context, const struct ws_text *in, struct ws_error *error)
{
    struct numbers *numbers = context;

    if (numbers->fails)
        return ws_fail(error, WS_BAD_INPUT, "member %u does not want it", numbers->list[0]);
    memcpy(numbers->list + numbers->count, in->bytes, in->length);
    numbers->count += (uint32_t)(in->length / sizeof *numbers->list);
    return 0;
}

static int merge(struct ws_team *team, void *context)
{
    struct numbers numbers = {.list = {team->rank}, .count = 1};
    struct ws_error error = {0};
    int result = ws_team_merge(team, pack, unpack, &numbers, &error);

    (void)context;
    if (team->rank == 0) {
        result |= check(numbers.count == team->size);
        for (uint32_t i = 0; i < numbers.count; i++)
            result |= check(numbers.list[i] == i);
    }
    return result;
}

/* ---- errors ---- */

static int disagree(struct ws_team *team, void *context)
{
    struct numbers numbers = {.list = {team->rank}, .count = 1, .fails = team->rank == 0};
    struct ws_error error = {0};
    int result = 0;

    (void)context;
    result |= check(ws_team_agree(team, 0, &error) == 0);
    if (team->size > 2) {
        int mine = team->rank ? ws_fail(&error, WS_ENVIRONMENT, "member %u failed", team->rank) : 0;
        result |= check(ws_team_agree(team, mine, &error) == -1);
        result |= check(error.code == WS_ENVIRONMENT && strcmp(error.text, "member 1 failed") == 0);
        result |= check(ws_team_merge(team, pack, unpack, &numbers, &error) == -1);
        result |= check(error.code == WS_BAD_INPUT && strcmp(error.text, "member 0 does not want it") == 0);
    }
    return result;
}

/* Each size has each operation; cmocka's own checks are for one thread. */
static void with_all_sizes(int (*work)(struct ws_team *, void *))
{
    struct ws_team alone;

    ws_team_alone(&alone);
    assert_int_equal(0, work(&alone, NULL));
    for (uint32_t size = 1; size <= MOST; size++) {
        assert_int_equal(0, ws_team_threads(size, work, NULL));
    }
}

static void test_reduce(void **state)
{
    (void)state;
    assert_int_equal(0, ws_team_threads(5, reduce, NULL));
    assert_int_equal(0, ws_team_threads(2, reduce, NULL));
}

static void test_exchange(void **state)
{
    (void)state;
    with_all_sizes(exchange);
}

static void test_broadcast(void **state)
{
    (void)state;
    with_all_sizes(broadcast);
}

static void test_merge(void **state)
{
    (void)state;
    with_all_sizes(merge);
}

static void test_fail(void **state)
{
    (void)state;
    with_all_sizes(disagree);
}

/* ---- what launchers tell ---- */

static void test_launched(void **state)
{
    struct ws_launched launched;

    (void)state;
    unsetenv("OMPI_COMM_WORLD_RANK");
    unsetenv("PMIX_RANK");
    setenv("PMI_RANK", "2", 1);
    setenv("PMI_SIZE", "4", 1);
    launched = ws_team_launched();
    assert_int_equal(2, launched.rank);
    assert_int_equal(4, launched.size);
    assert_string_equal("mpich", launched.mpi);
    setenv("PMI_SIZE", "2", 1); /* makes no sense */
    assert_int_equal(1, ws_team_launched().size);
    setenv("PMI_SIZE", "", 1);
    assert_int_equal(1, ws_team_launched().size);
    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    assert_string_equal("openmpi", ws_team_launched().mpi);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce), cmocka_unit_test(test_exchange), cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_merge),  cmocka_unit_test(test_fail),     cmocka_unit_test(test_launched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
