/* What engines found and counted, to be compared whatever the order. */
#ifndef WS_TESTS_SEEN_H
#define WS_TESTS_SEEN_H

#include "random_rules.h"

#include "engine/partition.h"

#define MOST_EVENTS 300

/* ---- one engine, some of the events ---- */

struct seen {
    struct ws_text log; /* findings, a line each */
    bool unmatched[MOST_EVENTS];
    uint64_t unmatched_count; /* an event counts for each engine that tells it */
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
    seen->unmatched_count += stats.unmatched;
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

static void drop(struct story *story, struct ws_event **events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(events[i]);
    for (size_t i = 0; i < story->string_count; i++)
        free((void *)(uintptr_t)story->strings[i]);
    ws_kb_free(&story->kb);
}

#endif
