/* Random rules on random traces: the engine must find what the reference finds, whether it may let go of
 * events early or not. */
#include "reference.h"

#include "random_rules.h"

static void print_case(uint64_t seed, const struct rules *rules, const char *expected, const char *found)
{
    fprintf(stderr, /* print_error cuts long texts */
            "seed %" PRIu64
            "\n---- common\n%s\n---- one\n%s\n---- two\n%s\n---- expected\n%s\n---- found\n%s\n",
            seed, ws_text_string(&rules->scopes[0].text), ws_text_string(&rules->scopes[1].text),
            ws_text_string(&rules->scopes[2].text), expected, found);
}

static bool same_stats(const struct ws_engine_stats *a, const struct ws_engine_stats *b)
{
    return a->events == b->events && a->composites == b->composites && a->unmatched == b->unmatched &&
           a->clock_violations == b->clock_violations;
}

/* A copy that the engine may own. */
static struct ws_event *copy(const struct ws_kb *kb, const struct ws_event *event)
{
    size_t size = sizeof *event + kb->types[event->type]->slot_count * sizeof *event->value;
    return memcpy(malloc(size), event, size);
}

static void run_engine(struct story *story, struct ws_event **events, const int64_t *low, size_t count)
{
    story_start_engine(story);
    for (size_t i = 0; i < count; i++)
        story_feed(story, copy(&story->kb, events[i]), low ? low[i] : INT64_MIN);
    story_finish(story);
    story->engine->ops->destroy(story->engine);
}

#define MOST_EVENTS 300

static void compare(uint64_t seed, const struct rules *rules, const struct story *story,
                    const struct reference *reference)
{
    const struct ws_engine_stats *found = &story->stats, *expected = &reference->stats;

    if (strcmp(ws_text_string(&story->log), ws_text_string(&reference->log)) == 0 &&
        same_stats(found, expected))
        return;
    print_case(seed, rules, ws_text_string(&reference->log), ws_text_string(&story->log));
    fail_msg("%s: composites %" PRIu64 ", %" PRIu64 "; unmatched %" PRIu64 ", %" PRIu64 "; clock %" PRIu64
             ", %" PRIu64,
             story_engine, expected->composites, found->composites, expected->unmatched, found->unmatched,
             expected->clock_violations, found->clock_violations);
}

/* Gives the number of composite events and findings, to see that the rules do something. */
static void run_case(uint64_t seed, uint64_t *composites, uint64_t *findings)
{
    struct random random = {seed * 0x9E3779B97F4A7C15u + 1};
    struct story story = {0};
    struct rules rules = {0};
    struct ws_event *events[MOST_EVENTS];
    int64_t low[MOST_EVENTS];
    size_t count = 20 + below(&random, rules_make(&rules, &random, &story.kb) > 2 ? 60 : MOST_EVENTS - 20);
    struct reference reference;

    story.kb.scopes[2]->extra = seed % 3 == 0;
    trace_make(&story, &random, events, low, count);
    ref_begin(&reference, &story.kb);
    for (size_t i = 0; i < count; i++)
        ref_feed(&reference, events[i]);
    ref_finish(&reference);
    if (getenv("ENGINE_SHOW"))
        print_case(seed, &rules, reference.exploded ? "exploded" : ws_text_string(&reference.log), "");
    for (size_t i = 0; (story_engine = story_engine_name(i)) && !reference.exploded; i++)
        for (int forgets = 0; forgets < 2; forgets++) {
            ws_text_clear(&story.log);
            story.findings = 0;
            run_engine(&story, events, forgets ? low : NULL, count);
            compare(seed, &rules, &story, &reference);
        }
    *composites += story.stats.composites;
    *findings += story.findings;
    for (size_t i = 0; i < count; i++)
        free(events[i]);
    for (size_t i = 0; i < story.string_count; i++)
        free((void *)(uintptr_t)story.strings[i]);
    ws_text_free(&story.log);
    ref_free(&reference);
    rules_free(&rules);
    ws_kb_free(&story.kb);
}

/* ENGINE_ROUNDS=n runs n cases, ENGINE_SEED=n begins with this one. */
static void test_random_rules(void **state)
{
    const char *rounds = getenv("ENGINE_ROUNDS"), *first = getenv("ENGINE_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1, composites = 0, findings = 0;
    uint64_t count = rounds ? strtoull(rounds, NULL, 10) : 150;

    (void)state;
    for (uint64_t i = 0; i < count; i++)
        run_case(seed + i, &composites, &findings);
    print_message("%" PRIu64 " composite events, %" PRIu64 " findings\n", composites, findings);
    if (!first)
        assert_true(composites > 20 * count && findings > 8 * count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
