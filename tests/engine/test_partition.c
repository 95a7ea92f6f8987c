/* Events shared among members by the partition: each member's engine sees its own only, and all together they
 * find and count what one engine finds that sees all. */
#include "joined_rules.h"
#include "seen.h"

#define MOST_MEMBERS 5

/* ---- a team ---- */

static uint32_t first_ranks[MOST_MEMBERS][MOST_MEMBERS + 1] = {
    {0, 3}, {0, 2, 3}, {0, 1, 2, 3}, {0, 0, 2, 2, 3}, {0, 1, 1, 1, 3, 3}};

/* What each member has of each unit, one after the other; shares: units that lie on several members. */
static void run_team(const struct ws_partition *partition, uint32_t members, struct ws_event **events,
                     const int64_t *low, size_t count, struct seen *seen)
{
    const struct ws_owners owners = {members, first_ranks[members - 1]};

    for (uint32_t u = 0; u < partition->unit_count; u++)
        for (uint32_t m = 0; m < members; m++) {
            bool mine[MOST_EVENTS] = {false};
            for (size_t i = 0; i < count; i++)
                for (size_t r = 0; r < partition->route_counts[events[i]->type]; r++) {
                    const struct ws_route *route = &partition->routes[events[i]->type][r];
                    mine[i] |=
                        route->unit == u && ws_partition_place(partition, route, events[i], &owners) == m;
                }
            run(partition->kb, partition->units[u].scopes, events, low, count, mine, seen);
        }
}

static void compare(const struct ws_partition *partition, const struct seen *expected,
                    const struct seen *seen, const char *what)
{
    struct ws_text words = {0};

    if (same_findings(&expected->log, &seen->log) &&
        memcmp(expected->unmatched, seen->unmatched, sizeof seen->unmatched) == 0 &&
        expected->composites == seen->composites && expected->clock_violations == seen->clock_violations)
        return;
    ws_partition_print(partition, &words);
    fprintf(stderr, "%s\n---- partition\n%s\n---- expected\n%s\n---- found\n%s\n", what,
            ws_text_string(&words), ws_text_string(&expected->log), ws_text_string(&seen->log));
    fail_msg("composites %" PRIu64 ", %" PRIu64 "; clock %" PRIu64 ", %" PRIu64, expected->composites,
             seen->composites, expected->clock_violations, seen->clock_violations);
}

/* All numbers of members; gives how many routes share events by a key. */
static size_t check(struct story *story, struct ws_event **events, const int64_t *low, size_t count,
                    const char *what)
{
    struct ws_partition partition;
    struct seen expected = {.composites = 0};
    size_t keyed = 0, told = 0;

    for (size_t i = 0; i < count; i++)
        events[i]->mark = (uint32_t)i;
    run(&story->kb, NULL, events, low, count, NULL, &expected);
    for (size_t i = 0; i < count; i++)
        told += expected.unmatched[i];
    assert_int_equal(told, expected.unmatched_count);
    ws_partition_init(&partition, &story->kb, false);
    for (size_t t = 0; t < story->kb.simple_count; t++)
        for (size_t r = 0; r < partition.route_counts[t]; r++)
            keyed += partition.routes[t][r].key_count > 0;
    for (uint32_t members = 1; members <= MOST_MEMBERS; members++) {
        struct seen seen = {.composites = 0};
        run_team(&partition, members, events, low, count, &seen);
        compare(&partition, &expected, &seen, what);
        ws_text_free(&seen.log);
    }
    ws_partition_free(&partition);
    ws_text_free(&expected.log);
    return keyed;
}

/* ---- rules made by chance ---- */

static size_t random_case(uint64_t seed)
{
    struct random random = {seed * 0x9E3779B97F4A7C15u + 1};
    struct story story = {0};
    struct rules rules = {0};
    struct ws_event *events[MOST_EVENTS];
    int64_t low[MOST_EVENTS];
    char what[64];
    size_t count = 20 + below(&random, rules_make(&rules, &random, &story.kb) > 2 ? 30 : 100), keyed;

    story.kb.scopes[2]->extra = seed % 3 == 0;
    trace_make(&story, &random, events, low, count);
    snprintf(what, sizeof what, "seed %" PRIu64, seed);
    keyed = check(&story, events, low, count, what);
    drop(&story, events, count);
    rules_free(&rules);
    return keyed;
}

/* PARTITION_ROUNDS=n runs n cases, PARTITION_SEED=n begins with this one.  Of two cases more than `least` routes
 * are by keys. */
static void try_cases(size_t (*one_case)(uint64_t seed), size_t least)
{
    const char *rounds = getenv("PARTITION_ROUNDS"), *first = getenv("PARTITION_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    uint64_t count = rounds ? strtoull(rounds, NULL, 10) : 40;
    size_t keyed = 0;

    for (uint64_t i = 0; i < count; i++)
        keyed += one_case(seed + i);
    print_message("%zu routes by keys\n", keyed);
    if (!first)
        assert_true(keyed > least * count / 2);
}

static void test_random_rules(void **state)
{
    (void)state;
    try_cases(random_case, 1);
}

/* ---- rules that join as people write them, put together by chance ---- */

static size_t joined_case(uint64_t seed)
{
    struct random random = {seed * 0x9E3779B97F4A7C15u + 1};
    struct ws_event *events[MOST_EVENTS];
    int64_t low[MOST_EVENTS];
    struct story story = {0};
    size_t count = 100 + below(&random, 200), keyed;
    char what[64];

    load_joined(&random, &story.kb);
    trace_make(&story, &random, events, low, count);
    snprintf(what, sizeof what, "joined seed %" PRIu64, seed);
    keyed = check(&story, events, low, count, what);
    drop(&story, events, count);
    return keyed;
}

static void test_joined_rules(void **state)
{
    (void)state;
    try_cases(joined_case, 4);
}

/* ---- the rules of MPI ---- */

static void test_mpi(void **state)
{
    const char *extra[] = {SOURCE_DIR "/examples/kb"};
    struct ws_partition partition;
    struct ws_error error = {0};
    struct ws_text words = {0};
    struct ws_kb kb;

    (void)state;
    assert_int_equal(0, ws_kb_load(&kb, SOURCE_DIR "/kb/mpi", extra, 1, NULL, &error));
    ws_partition_init(&partition, &kb, false);
    ws_partition_print(&partition, &words);
    for (size_t u = 0; u < partition.unit_count; u++)
        assert_false(partition.units[u].whole);
    assert_int_equal(1, partition.unit_count);
    assert_non_null(strstr(words.bytes, "  send: to the owner of rank peer\n"));
    assert_non_null(strstr(words.bytes, "  recv: to the owner of rank process\n"));
    assert_non_null(strstr(words.bytes, "  barrier: by comm, n\n"));
    assert_non_null(strstr(words.bytes, "  lock: by window, target\n"));
    ws_text_free(&words);
    ws_partition_free(&partition);
    ws_kb_free(&kb);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mpi), cmocka_unit_test(test_joined_rules),
                                       cmocka_unit_test(test_random_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
