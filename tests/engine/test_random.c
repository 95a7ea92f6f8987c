/* Random rules on random traces, and the rules of kb/mpi on traces as MPI programs leave them: every engine
 * must find what the reference finds, whether it may let go of events early or not.
 *
 *   ENGINE_ROUNDS=n   tries n cases of each kind; ENGINE_SEED=n begins with this one
 *   ENGINE_SECONDS=n  goes on for that long
 *
 * A case that fails is made as small as it gets before it is shown. */
#include "reference.h"

#include "random_trace.h"

#include <time.h>

#define MOST_EVENTS 300
#define SHIPPED (SOURCE_DIR "/kb/mpi")

struct trial {
    uint64_t seed;
    bool shipped; /* the rules of kb/mpi */
    struct rules rules;
    struct story story; /* with the knowledge base */
    struct ws_event *events[MOST_EVENTS];
    int64_t low[MOST_EVENTS];
    size_t count;
    struct reference reference;
    struct ws_text difference; /* of an engine that fails, and what it found instead */
    uint64_t composites, findings;
};

/* ---- one case with all engines ---- */

static bool same_stats(const struct ws_engine_stats *a, const struct ws_engine_stats *b)
{
    return a->events == b->events && a->composites == b->composites && a->unmatched == b->unmatched &&
           a->clock_violations == b->clock_violations;
}

/* A copy, which the story takes. */
static struct ws_event *copy(const struct ws_kb *kb, const struct ws_event *event)
{
    size_t size = sizeof *event + kb->types[event->type]->slot_count * sizeof *event->value;
    return memcpy(malloc(size), event, size);
}

static void run_engine(struct trial *trial, bool forgets)
{
    struct story *story = &trial->story;

    ws_text_clear(&story->log);
    story->findings = 0;
    story_start_engine(story);
    for (size_t i = 0; i < trial->count; i++)
        story_feed(story, copy(&story->kb, trial->events[i]), forgets ? trial->low[i] : INT64_MIN);
    story_finish(story);
    story->engine->ops->destroy(story->engine);
}

static void add_stats(struct ws_text *out, const struct ws_engine_stats *stats)
{
    ws_text_printf(out, "%" PRIu64 " composites, %" PRIu64 " unmatched, %" PRIu64 " out of order\n",
                   stats->composites, stats->unmatched, stats->clock_violations);
}

static bool agrees(struct trial *trial, bool forgets)
{
    const struct ws_text *expected = &trial->reference.log, *found = &trial->story.log;

    if (strcmp(ws_text_string(found), ws_text_string(expected)) == 0 &&
        same_stats(&trial->story.stats, &trial->reference.stats))
        return true;
    ws_text_printf(&trial->difference, "---- the reference\n%s", ws_text_string(expected));
    add_stats(&trial->difference, &trial->reference.stats);
    ws_text_printf(&trial->difference, "---- %s%s\n%s", story_engine, forgets ? ", letting go early" : "",
                   ws_text_string(found));
    add_stats(&trial->difference, &trial->story.stats);
    return false;
}

static void find_low(struct trial *trial)
{
    int64_t least = INT64_MAX;

    for (size_t i = trial->count; i-- > 0;) {
        trial->low[i] = least;
        if (trial->events[i]->value[WS_ATTR_T].i < least)
            least = trial->events[i]->value[WS_ATTR_T].i;
    }
}

static bool run_reference(struct trial *trial)
{
    ref_begin(&trial->reference, &trial->story.kb);
    for (size_t i = 0; i < trial->count; i++)
        ref_feed(&trial->reference, trial->events[i]);
    ref_finish(&trial->reference);
    return !trial->reference.exploded;
}

/* Do all engines agree with the reference?  A case in which the rules build too much of themselves does not
 * count. */
static bool holds(struct trial *trial)
{
    bool agree = true;

    ws_text_clear(&trial->difference);
    find_low(trial);
    if (run_reference(trial))
        for (size_t i = 0; agree && (story_engine = story_engine_name(i)); i++)
            for (int forgets = 0; agree && forgets < 2; forgets++) {
                run_engine(trial, forgets);
                agree = agrees(trial, forgets);
            }
    ref_free(&trial->reference);
    return agree;
}

/* ---- making a failing case small ---- */

static bool fails_without_events(struct trial *trial, size_t first, size_t count)
{
    struct ws_event *whole[MOST_EVENTS];
    size_t whole_count = trial->count;

    memcpy(whole, trial->events, sizeof whole);
    memmove(trial->events + first, trial->events + first + count,
            (trial->count - first - count) * sizeof *trial->events);
    trial->count -= count;
    if (!holds(trial)) {
        for (size_t i = first; i < first + count; i++)
            free(whole[i]);
        return true;
    }
    memcpy(trial->events, whole, sizeof whole);
    trial->count = whole_count;
    return false;
}

static bool drop_events(struct trial *trial)
{
    bool smaller = false;

    for (size_t piece = trial->count / 2; piece > 0; piece /= 2)
        for (size_t first = 0; first + piece <= trial->count;)
            if (fails_without_events(trial, first, piece))
                smaller = true;
            else
                first += piece;
    return smaller;
}

/* Without the declaration that begins at `at` in the rules of the scope. */
static bool fails_without_rule(struct trial *trial, size_t scope, size_t at)
{
    struct ws_text *text = &trial->rules.scopes[scope].text, whole = *text;
    const char *end = strstr(whole.bytes + at + 1, "declare ");
    struct ws_kb kb = trial->story.kb;

    memset(text, 0, sizeof *text);
    ws_text_add(text, whole.bytes, at);
    ws_text_puts(text, end ? end : "");
    if (try_rules(&trial->rules, &trial->story.kb, 3, "")) {
        if (!holds(trial)) {
            ws_kb_free(&kb);
            ws_text_free(&whole);
            return true;
        }
        ws_kb_free(&trial->story.kb);
    }
    trial->story.kb = kb;
    ws_text_free(text);
    *text = whole;
    return false;
}

static bool drop_rules(struct trial *trial)
{
    bool smaller = false;

    for (size_t scope = 0; scope < 3; scope++)
        for (size_t at = 0; at < trial->rules.scopes[scope].text.length;) {
            const char *text = trial->rules.scopes[scope].text.bytes,
                       *next = strstr(text + at + 1, "declare ");
            if (fails_without_rule(trial, scope, at))
                smaller = true;
            else
                at = next ? (size_t)(next - text) : trial->rules.scopes[scope].text.length;
        }
    return smaller;
}

static void show_event(const struct ws_event_type *type, const struct ws_event *event)
{
    const union ws_value *v = event->value;

    fprintf(stderr, "%s %" PRId64 " %" PRId64 " %" PRId64, type->name, v[WS_ATTR_PROCESS].i, v[WS_ATTR_T].i,
            v[WS_ATTR_D].i);
    for (size_t i = WS_ATTR_SITE; i < type->slot_count; i++)
        if (type->slots[i].type == WS_TYPE_STRING)
            fprintf(stderr, " %s=%s", type->slots[i].name, v[i].s);
        else if (type->slots[i].type == WS_TYPE_REAL)
            fprintf(stderr, " %s=%g", type->slots[i].name, v[i].r);
        else
            fprintf(stderr, " %s=%" PRId64, type->slots[i].name, v[i].i);
    fprintf(stderr, "\n");
}

static void show(const struct trial *trial)
{
    fprintf(stderr, "seed %" PRIu64 "\n", trial->seed); /* print_error cuts long texts */
    for (size_t i = 0; i < 3 && !trial->shipped; i++)
        fprintf(stderr, "---- %s\n%s",
                i == 0   ? "common"
                : i == 1 ? "one"
                         : "two",
                ws_text_string(&trial->rules.scopes[i].text));
    fprintf(stderr, "---- events\n");
    for (size_t i = 0; i < trial->count; i++)
        show_event(trial->story.kb.types[trial->events[i]->type], trial->events[i]);
    fprintf(stderr, "%s", ws_text_string(&trial->difference));
}

static void fail_small(struct trial *trial)
{
    while (drop_events(trial) || (!trial->shipped && drop_rules(trial)))
        ;
    holds(trial); /* what differs */
    show(trial);
    fail_msg("seed %" PRIu64 ": the engines differ", trial->seed);
}

/* ---- many cases ---- */

static void make_random_rules(struct trial *trial)
{
    struct random random = {trial->seed * 0x9E3779B97F4A7C15u + 1};

    trial->count =
        20 + below(&random, rules_make(&trial->rules, &random, &trial->story.kb) > 2 ? 60 : MOST_EVENTS - 20);
    trial->story.kb.scopes[2]->extra = trial->seed % 3 == 0;
    trace_make(&trial->story, &random, trial->events, trial->low, trial->count);
}

static struct ws_kb shipped;

static void make_shipped(struct trial *trial)
{
    struct random random = {trial->seed * 0x9E3779B97F4A7C15u + 7};

    trial->shipped = true;
    trial->story.kb = shipped; /* borrowed */
    trial->count = made_trace(&shipped, &random, trial->events, 40 + below(&random, MOST_EVENTS - 40));
}

static void run_trial(uint64_t seed, void (*make)(struct trial *trial), uint64_t *composites,
                      uint64_t *findings)
{
    struct trial *trial = calloc(1, sizeof *trial);

    trial->seed = seed;
    make(trial);
    if (!holds(trial))
        fail_small(trial);
    if (getenv("ENGINE_SHOW"))
        show(trial);
    *composites += trial->story.stats.composites;
    *findings += trial->story.findings;
    for (size_t i = 0; i < trial->count; i++)
        free(trial->events[i]);
    for (size_t i = 0; i < trial->story.string_count; i++)
        free((void *)(uintptr_t)trial->story.strings[i]);
    ws_text_free(&trial->story.log);
    ws_text_free(&trial->difference);
    rules_free(&trial->rules);
    if (!trial->shipped)
        ws_kb_free(&trial->story.kb);
    free(trial);
}

static void run_trials(void (*make)(struct trial *trial), uint64_t usual, uint64_t least_findings)
{
    const char *rounds = getenv("ENGINE_ROUNDS"), *first = getenv("ENGINE_SEED"),
               *seconds = getenv("ENGINE_SECONDS");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1, composites = 0, findings = 0, done = 0;
    uint64_t count = rounds ? strtoull(rounds, NULL, 10) : usual;
    time_t until = time(NULL) + (seconds ? strtol(seconds, NULL, 10) : 0);

    for (; seconds ? time(NULL) < until : done < count; done++)
        run_trial(seed + done, make, &composites, &findings);
    print_message("%" PRIu64 " cases, %" PRIu64 " composite events, %" PRIu64 " findings\n", done, composites,
                  findings);
    if (!first)
        assert_true(composites > 20 * done && findings > least_findings * done);
}

static void test_random_rules(void **state)
{
    (void)state;
    run_trials(make_random_rules, 100, 8);
}

static void test_shipped_rules(void **state)
{
    struct ws_text report = {0};
    struct ws_error error = {0};

    (void)state;
    if (ws_kb_load(&shipped, SHIPPED, NULL, 0, &report, &error) != 0)
        fail_msg("%s%s", ws_text_string(&report), error.text);
    run_trials(make_shipped, 60, 3);
    ws_kb_free(&shipped);
    ws_text_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_rules),
                                       cmocka_unit_test(test_shipped_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
