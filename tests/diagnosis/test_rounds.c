/* A trace analysed in rounds by teams of threads: they find and count what one engine does, however many
 * they are and however few events they read ahead.  The traces are made up: this file stands in for the
 * reader, of which rounds need six functions. */
#include "../engine/joined_rules.h"
#include "../engine/seen.h"

#include "diagnosis/rounds.h"
#include "trace/trace.h"

#include <pthread.h>

/* ---- a made-up trace ---- */

struct ws_trace {
    struct ws_event **events;
    const int64_t *low;
    size_t count, next;
    const struct ws_owners *owners;
    uint32_t member;
    const char *strings[64]; /* what others sent */
    size_t string_count;
};

static void skip_others(struct ws_trace *trace)
{
    while (trace->next < trace->count &&
           ws_owner(trace->owners, trace->events[trace->next]->value[WS_ATTR_PROCESS].i) != trace->member)
        trace->next++;
}

int ws_trace_next(struct ws_trace *trace, const struct ws_event **event, struct ws_error *error)
{
    skip_others(trace);
    (void)error;
    if (trace->next == trace->count)
        return 0;
    *event = trace->events[trace->next++];
    return 1;
}

/* As the reader's, it may be too low. */
int64_t ws_trace_next_end_ns(const struct ws_trace *trace)
{
    return trace->next < trace->count ? trace->events[trace->next]->value[WS_ATTR_END].i : INT64_MAX;
}

int64_t ws_trace_low_ns(const struct ws_trace *trace)
{
    return trace->next ? trace->low[trace->next - 1] : INT64_MIN;
}

const char *ws_trace_string(struct ws_trace *trace, const char *text)
{
    for (size_t i = 0; i < trace->string_count; i++)
        if (strcmp(trace->strings[i], text) == 0)
            return trace->strings[i];
    assert_true(trace->string_count < 64);
    return trace->strings[trace->string_count++] = strdup(text);
}

const char *ws_trace_site_place(const struct ws_trace *trace, int64_t site, uint64_t *offset)
{
    (void)trace;
    *offset = (uint64_t)site;
    return site ? "app" : "";
}

int64_t ws_trace_site_add(struct ws_trace *trace, const char *module, uint64_t offset)
{
    (void)trace;
    return strcmp(module, "app") == 0 ? (int64_t)offset : 0;
}

/* ---- a team ---- */

static uint32_t first_ranks[][8] = {{0, 3},          {0, 2, 3},          {0, 1, 2, 3},
                                    {0, 0, 2, 2, 3}, {0, 1, 1, 1, 3, 3}, {0, 0, 0, 1, 2, 2, 3}};
#define MOST_MEMBERS (sizeof first_ranks / sizeof *first_ranks)

struct job {
    const struct ws_kb *kb;
    struct ws_event **events;
    const int64_t *low;
    size_t count, ahead;
    struct ws_text logs[MOST_MEMBERS];
    struct ws_engine_stats stats[MOST_MEMBERS];
    uint32_t rounds[MOST_MEMBERS];
    uint32_t fails; /* the member that cannot go on after its second round; UINT32_MAX: none */
    bool failed[MOST_MEMBERS];
};
struct part {
    struct job *job;
    struct ws_team *team;
};

static int after(void *context, int64_t low_ns, int64_t until_ns, struct ws_error *error)
{
    const struct part *part = context;
    uint32_t round = ++part->job->rounds[part->team->rank];

    (void)low_ns;
    (void)until_ns;
    if (part->team->rank == part->job->fails && round == 2)
        return ws_fail(error, WS_BAD_INPUT, "cannot go on");
    return 0;
}

static void say(void *context, const struct ws_finding *finding)
{
    const struct part *part = context;
    story_print_finding(&part->job->logs[part->team->rank], finding);
}

static int work(struct ws_team *team, void *context)
{
    struct job *job = context;
    struct part part = {job, team};
    const struct ws_owners owners = {team->size, first_ranks[team->size - 1]};
    struct ws_trace trace = {
        .events = job->events, .low = job->low, .count = job->count, .owners = &owners, .member = team->rank};
    struct ws_partition partition;
    struct ws_error error = {0};
    struct ws_rounds rounds = {.team = team,
                               .trace = &trace,
                               .owners = &owners,
                               .partition = &partition,
                               .ops = ws_engine_find(NULL, NULL),
                               .ahead = job->ahead,
                               .sink = {.found = say, .context = &part},
                               .after = after,
                               .context = &part};

    skip_others(&trace);
    ws_partition_init(&partition, job->kb, false);
    if (ws_rounds_run(&rounds, &job->stats[team->rank], &error) != 0)
        job->failed[team->rank] = error.code == WS_BAD_INPUT && strcmp(error.text, "cannot go on") == 0;
    ws_partition_free(&partition);
    for (size_t i = 0; i < trace.string_count; i++)
        free((void *)(uintptr_t)trace.strings[i]);
    return 0;
}

static void compare(const struct job *job, const struct seen *expected, uint32_t members, const char *what)
{
    struct ws_text log = {0};
    uint64_t unmatched = 0;

    for (size_t i = 0; i < job->count; i++)
        unmatched += expected->unmatched[i];
    for (uint32_t m = 0; m < members; m++) {
        ws_text_puts(&log, ws_text_string(&job->logs[m]));
        assert_int_equal(job->stats[m].composites, expected->composites);
        assert_int_equal(job->stats[m].clock_violations, expected->clock_violations);
        assert_int_equal(job->stats[m].unmatched, unmatched);
    }
    if (!same_findings(&log, &expected->log))
        fail_msg("%s, %u members, %zu ahead: found\n%s---- expected\n%s", what, members, job->ahead,
                 ws_text_string(&log), ws_text_string(&expected->log));
    ws_text_free(&log);
}

/* ---- cases ---- */

static int by_end_and_rank(const void *left, const void *right)
{
    const struct ws_event *a = *(struct ws_event *const *)left, *b = *(struct ws_event *const *)right;

    for (size_t i = 0; i < 2; i++) {
        size_t slot = i ? WS_ATTR_PROCESS : WS_ATTR_END;
        if (a->value[slot].i != b->value[slot].i)
            return a->value[slot].i < b->value[slot].i ? -1 : 1;
    }
    return a->mark < b->mark ? -1 : 1;
}

static void check(struct story *story, struct random *random, const char *what)
{
    struct ws_event *events[MOST_EVENTS];
    int64_t low[MOST_EVENTS], least = INT64_MAX;
    struct seen expected = {.composites = 0};
    size_t count = 100 + below(random, 150);

    trace_make(story, random, events, low, count);
    for (size_t i = 0; i < count; i++)
        events[i]->mark = (uint32_t)i;
    qsort(events, count, sizeof *events, by_end_and_rank);
    for (size_t i = count; i-- > 0;) {
        events[i]->mark = (uint32_t)i;
        low[i] = least;
        least = events[i]->value[WS_ATTR_T].i < least ? events[i]->value[WS_ATTR_T].i : least;
    }
    run(&story->kb, NULL, events, low, count, NULL, &expected);
    for (uint32_t members = 1; members <= MOST_MEMBERS; members++) {
        struct job job = {
            .kb = &story->kb, .events = events, .low = low, .count = count, .fails = UINT32_MAX};
        job.ahead = chance(random, 70) ? 1 + below(random, 40) : 0;
        ws_team_threads(members, work, &job);
        compare(&job, &expected, members, what);
        for (uint32_t m = 0; m < members; m++)
            ws_text_free(&job.logs[m]);
    }
    drop(story, events, count);
    ws_text_free(&expected.log);
}

/* ROUNDS_CASES=n runs n cases, ROUNDS_SEED=n begins with this one. */
static void with_seeds(void (*one)(uint64_t seed))
{
    const char *cases = getenv("ROUNDS_CASES"), *first = getenv("ROUNDS_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1, count = cases ? strtoull(cases, NULL, 10) : 12;

    for (uint64_t i = 0; i < count; i++)
        one(seed + i);
}

static void joined_case(uint64_t seed)
{
    struct random random = {seed * 0x9E3779B97F4A7C15u + 1};
    struct story story = {0};
    char what[64];

    load_joined(&random, &story.kb);
    snprintf(what, sizeof what, "joined seed %" PRIu64, seed);
    check(&story, &random, what);
}

static void random_case(uint64_t seed)
{
    struct random random = {seed * 0x9E3779B97F4A7C15u + 1};
    struct story story = {0};
    struct rules rules = {0};
    char what[64];

    if (rules_make(&rules, &random, &story.kb) > 2) { /* its tuples would be too many */
        ws_kb_free(&story.kb);
    } else {
        story.kb.scopes[2]->extra = seed % 3 == 0;
        snprintf(what, sizeof what, "random seed %" PRIu64, seed);
        check(&story, &random, what);
    }
    rules_free(&rules);
}

static void test_joined(void **state)
{
    (void)state;
    with_seeds(joined_case);
}

static void test_random(void **state)
{
    (void)state;
    with_seeds(random_case);
}

/* One that fails ends all, each with its error, and none waits for it. */
static void test_failure(void **state)
{
    struct random random = {77};
    struct ws_event *events[MOST_EVENTS];
    int64_t low[MOST_EVENTS];
    struct story story = {0};

    (void)state;
    load_joined(&random, &story.kb);
    trace_make(&story, &random, events, low, 200);
    qsort(events, 200, sizeof *events, by_end_and_rank);
    for (uint32_t members = 2; members <= MOST_MEMBERS; members++)
        for (uint32_t fails = 0; fails < members; fails++) {
            struct job job = {
                .kb = &story.kb, .events = events, .low = low, .count = 200, .ahead = 5, .fails = fails};
            ws_team_threads(members, work, &job);
            for (uint32_t m = 0; m < members; m++) {
                assert_true(job.failed[m]);
                assert_int_equal(2, job.rounds[m]);
                ws_text_free(&job.logs[m]);
            }
        }
    drop(&story, events, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_joined), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
