/* Events shared among members by the partition: each member's engine sees its own only, and all together they
 * find and count what one engine finds that sees all. */
#include "random_rules.h"

#include "engine/partition.h"

#define MOST_EVENTS 300
#define MOST_MEMBERS 5

/* ---- one engine, some of the events ---- */

struct seen {
    struct ws_text log; /* findings, a line each */
    bool unmatched[MOST_EVENTS];
    uint64_t composites, clock_violations;
};

static void found(void *context, const struct ws_finding *finding)
{
    story_print_finding(&((struct seen *)context)->log, finding);
}

static void unmatched(void *context, const struct ws_event *event)
{
    ((struct seen *)context)->unmatched[event->mark] = true;
}

/* mine: which events (NULL: all). */
static void run(const struct ws_kb *kb, const bool *scopes, struct ws_event **events, const int64_t *low,
                size_t count, const bool *mine, struct seen *seen)
{
    const struct ws_sink sink = {found, seen, unmatched};
    const struct ws_engine_ops *ops = ws_engine_find(NULL, NULL);
    struct ws_engine_stats stats = {0};
    struct ws_error error = {0};
    struct ws_engine *engine = ops->create(kb, scopes, &sink, &error);

    if (!engine)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        if ((!mine || mine[i]) && ops->feed(engine, events[i], low[i], &error) != 0)
            fail_msg("%s", error.text);
    if (ops->finish(engine, &stats, &error) != 0)
        fail_msg("%s", error.text);
    ops->destroy(engine);
    seen->composites += stats.composites;
    seen->clock_violations += stats.clock_violations;
}

/* ---- findings in any order ---- */

static int by_text(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The lines of a text, sorted (free both). */
static char **sorted_lines(const struct ws_text *text, char **copy, size_t *count)
{
    char **lines = NULL, *line;
    size_t capacity = 0;

    *count = 0;
    *copy = strdup(ws_text_string(text));
    for (line = strtok(*copy, "\n"); line; line = strtok(NULL, "\n"))
        WS_PUSH(lines, *count, capacity) = line;
    if (*count)
        qsort(lines, *count, sizeof *lines, by_text);
    return lines;
}

static bool same_findings(const struct ws_text *left, const struct ws_text *right)
{
    char *texts[2], **lines[2];
    size_t counts[2];
    bool same;

    lines[0] = sorted_lines(left, &texts[0], &counts[0]);
    lines[1] = sorted_lines(right, &texts[1], &counts[1]);
    same = counts[0] == counts[1];
    for (size_t i = 0; same && i < counts[0]; i++)
        same = strcmp(lines[0][i], lines[1][i]) == 0;
    for (size_t i = 0; i < 2; i++) {
        free(texts[i]);
        free(lines[i]);
    }
    return same;
}

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
    size_t keyed = 0;

    for (size_t i = 0; i < count; i++)
        events[i]->mark = (uint32_t)i;
    run(&story->kb, NULL, events, low, count, NULL, &expected);
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

static void drop(struct story *story, struct ws_event **events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(events[i]);
    for (size_t i = 0; i < story->string_count; i++)
        free((void *)(uintptr_t)story->strings[i]);
    ws_kb_free(&story->kb);
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

/* PARTITION_ROUNDS=n runs n cases, PARTITION_SEED=n begins with this one. */
static void test_random_rules(void **state)
{
    const char *rounds = getenv("PARTITION_ROUNDS"), *first = getenv("PARTITION_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    uint64_t count = rounds ? strtoull(rounds, NULL, 10) : 40;
    size_t keyed = 0;

    (void)state;
    for (uint64_t i = 0; i < count; i++)
        keyed += random_case(seed + i);
    print_message("%zu routes by keys\n", keyed);
    if (!first)
        assert_true(keyed > count / 2);
}

/* ---- rules that join as people write them, put together by chance ---- */

static const char *const joined[] = {
    "declare composite event pair member(send as s, recv as r) when s.process == r.peer and s.peer == "
    "r.process and s.tag == r.tag and s.n == r.n\nparameters(from = s.process, to = r.process, tag = r.tag, "
    "s = s, r = r, clock_violation = s.t > r.end);\n",
    "declare composite event seen member(shared send as s, recv as r) when s.peer == r.process and s.n == "
    "r.n\nparameters(to = s.peer, n = s.n, s = s, r = r);\n",
    "declare composite event meeting member(all meet as m by m.comm, m.n expect 3)\n"
    "parameters(comm = m.comm, n = m.n, last = at_max(m.t, m), sum = sum(m.d));\n",
    "declare composite event held member(lock as l, unlock as u) when l.process == u.process and l.window == "
    "u.window\nparameters(window = l.window, process = u.process, l = l, u = u);\n",
    "declare composite event many member(all send as s by s.process, s.peer where s.bytes < 3)\n"
    "when count(s) > 2 parameters(who = s.process, first = at_min(s.t, s), cost = sum(s.d));\n",
    "declare composite event everything member(all recv as s by s.tag)\n"
    "when count(s) > 2 parameters(tag = s.tag, first = at_min(s.t, s));\n",
};
static const char *const built[] = {
    "declare composite event next_pair member(shared pair as a, pair as b) when a.to == b.from and a.tag == "
    "b.tag\nparameters(s = a.s, r = b.r, d = 5 ns);\n",
    "declare composite event answered member(pair as a, meet as m) when a.to == m.process\n"
    "parameters(s = a.s, r = m, d = 6 ns);\n",
    "declare composite event contended member(shared held as a, shared held as b) when a.window == b.window "
    "and a.process != b.process and overlaps(a, b)\nparameters(s = a.l, r = b.l, d = 7 ns);\n",
    "declare composite event alike member(meeting as a, meeting as b) when a.sum == b.sum and a.comm == "
    "b.comm\nparameters(s = a.last, r = b.last, d = 8 ns);\n",
    "declare composite event by_sender member(all pair as p by p.from expect 2)\n"
    "parameters(s = at_min(p.begin, p.s), r = at_max(p.begin, p.r), d = 9 ns);\n",
    "declare composite event once member(pair as a) when a.tag < 2 parameters(s = a.s, r = a.r, d = 10 "
    "ns);\n",
    "declare composite event twice member(seen as a, unlock as u) when a.to == u.process and a.n == "
    "u.window\n"
    "parameters(s = a.s, r = u, d = 11 ns);\n",
};
static const char *const names[] = {"next_pair", "answered", "contended", "alike",
                                    "by_sender", "once",     "twice"};

static void write_scope(struct random *random, struct ws_text *out)
{
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (chance(random, 50))
            ws_text_puts(out, joined[i]);
    ws_text_puts(out, "");
}

/* Only what has its members is taken. */
static void write_built(struct random *random, const char *common, struct ws_text *out)
{
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        struct ws_text rule = {0}, report = {0}, all = {0};
        const char *ids[] = {"one"};
        struct ws_kb kb;
        ws_text_printf(&rule,
                       "%sdeclare problem for %s parameters(name = \"x\", advice = \"x\", duration = d, "
                       "waiting = r, cause = s);\n",
                       built[i], names[i]);
        ws_text_printf(&all, "%s%s", ws_text_string(out), rule.bytes);
        if (chance(random, 60) && story_load(&kb, common, ids, (const char *[]){all.bytes}, 1, &report)) {
            ws_text_puts(out, rule.bytes);
            ws_kb_free(&kb);
        }
        ws_text_free(&rule);
        ws_text_free(&report);
        ws_text_free(&all);
    }
}

static size_t joined_case(uint64_t seed)
{
    struct random random = {seed * 0x9E3779B97F4A7C15u + 1};
    struct ws_text common = {0}, scopes[2] = {{0}}, report = {0};
    const char *ids[] = {"one", "two"}, *texts[2];
    struct ws_event *events[MOST_EVENTS];
    int64_t low[MOST_EVENTS];
    struct story story = {0};
    size_t count = 100 + below(&random, 200), keyed;
    char what[64];

    write_scope(&random, &common);
    for (size_t i = 0; i < 2; i++) {
        if (chance(&random, 30) && !common.length)
            write_scope(&random, &scopes[i]);
        write_built(&random, ws_text_string(&common), &scopes[i]);
        texts[i] = ws_text_string(&scopes[i]);
    }
    if (!story_load(&story.kb, ws_text_string(&common), ids, texts, 2, &report))
        fail_msg("%s", report.bytes);
    trace_make(&story, &random, events, low, count);
    snprintf(what, sizeof what, "joined seed %" PRIu64, seed);
    keyed = check(&story, events, low, count, what);
    drop(&story, events, count);
    for (size_t i = 0; i < 2; i++)
        ws_text_free(&scopes[i]);
    ws_text_free(&common);
    ws_text_free(&report);
    return keyed;
}

static void test_joined_rules(void **state)
{
    const char *rounds = getenv("PARTITION_ROUNDS"), *first = getenv("PARTITION_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1;
    uint64_t count = rounds ? strtoull(rounds, NULL, 10) : 40;
    size_t keyed = 0;

    (void)state;
    for (uint64_t i = 0; i < count; i++)
        keyed += joined_case(seed + i);
    print_message("%zu routes by keys\n", keyed);
    if (!first)
        assert_true(keyed > 2 * count);
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
