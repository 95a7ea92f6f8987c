/* Rules as text, events as text, findings as text: what a test of an engine is written in.
 *
 *   struct story story;
 *   story_begin(&story, "declare composite event ...",         the common scope, or NULL
 *               "late", "declare composite event ...",         problem types: id, rules
 *               NULL);
 *   story_event(&story, "send", 0, 10, 5, "peer=1 n=1");       type, process, t, d, parameters
 *   story_expect(&story, "late#0 5 from 10 waits r@1/10 cause s@0/10 in r@1/10 s@0/10\n");
 *
 * A finding reads: problem type # index of its rule, duration, "from" moment, the waiting event, the cause,
 * the actions; an event is its role, process and t. */
#ifndef WS_TESTS_STORY_H
#define WS_TESTS_STORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "util/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char story_xml[] =
    "<traceRules>\n"
    "<function name=\"F\"><argument type=\"int\" name=\"a\"/><retVal type=\"int\"/></function>\n"
#define POINT(name, params)                                                                                  \
    "<functionPoint name=\"" name "\" pattern=\"F\"><event>" params "</event></functionPoint>\n"
#define PARAM(name, format)                                                                                  \
    "<param name=\"" name "\" format=\"" format "\" kind=\"in\"><source>a</source></param>"
    POINT("send", PARAM("peer", "rank") PARAM("tag", "int") PARAM("bytes", "bytes") PARAM("eager", "bool")
                      PARAM("load", "real") PARAM("text", "string") "<number name=\"n\" by=\"peer tag\"/>")
        POINT("recv", PARAM("peer", "rank") PARAM("tag", "int") PARAM("bytes", "bytes") PARAM("load", "real")
                          PARAM("text", "string") "<number name=\"n\" by=\"peer tag\"/>")
            POINT("meet",
                  PARAM("comm", "comm") PARAM("size", "long") PARAM("root", "bool") PARAM("load", "real")
                      PARAM("work", "long") PARAM("text", "string") "<number name=\"n\" by=\"comm\"/>")
                POINT("lock", PARAM("window", "window") PARAM("exclusive", "bool"))
                    POINT("unlock", PARAM("window", "window")) "</traceRules>\n";
#undef POINT
#undef PARAM

struct story {
    struct ws_kb kb;
    struct ws_engine *engine;
    struct ws_text log; /* the findings */
    struct ws_engine_stats stats;
    const char *strings[64]; /* texts of events, interned */
    size_t string_count;
    const bool *wanted; /* scopes; NULL: all */
    bool quiet; /* findings are counted only */
    uint64_t findings;
};

/* ---- the knowledge base ---- */

static inline void story_write(const char *folder, const char *name, const char *text)
{
    struct ws_text path = {0};
    struct ws_error error;

    ws_text_printf(&path, "%s/%s", folder, name);
    if (ws_file_write(path.bytes, text, strlen(text), &error) != 0)
        fail_msg("%s", error.text);
    ws_text_free(&path);
}

static inline void story_remove(const char *path)
{
    char **names = ws_folder_names(path, "", NULL);

    for (size_t i = 0; names && names[i]; i++) {
        struct ws_text inner = {0};
        ws_text_printf(&inner, "%s/%s", path, names[i]);
        if (ws_is_folder(inner.bytes))
            story_remove(inner.bytes);
        else
            unlink(inner.bytes);
        ws_text_free(&inner);
    }
    ws_names_free(names);
    rmdir(path);
}

/* A problem type has a problem; one that is about composite events only gets this, which is never built. */
static const char story_never[] =
    "declare composite event never_built member(unlock as u) when u.process == 99999\n"
    "parameters(wait = u.d);\n"
    "declare problem for never_built parameters(name = \"x\", advice = \"x\", duration = wait);\n";

static inline void story_write_type(const char *folder, const char *rules)
{
    struct ws_text text = {0};

    ws_text_printf(&text, "%s%s", rules, strstr(rules, "declare problem") ? "" : story_never);
    story_write(folder, "x.rules", text.bytes);
    ws_text_free(&text);
}

/* Loads the rules; false with the report where they have a mistake. */
static inline bool story_load(struct ws_kb *kb, const char *common, const char *const *ids,
                              const char *const *rules, size_t count, struct ws_text *report)
{
    char folder[] = "/tmp/story.XXXXXX";
    struct ws_text path = {0}, order = {0};
    struct ws_error error = {0};
    int result;

    assert_non_null(mkdtemp(folder));
    story_write(folder, "functions.xml", story_xml);
    if (common)
        story_write(folder, "common.rules", common);
    for (size_t i = 0; i < count; i++) {
        ws_text_clear(&path);
        ws_text_printf(&path, "%s/%s", folder, ids[i]);
        assert_int_equal(0, ws_make_folder(path.bytes, &error));
        story_write_type(path.bytes, rules[i]);
        ws_text_printf(&order, "%s\n", ids[i]);
    }
    story_write(folder, "order", ws_text_string(&order));
    ws_text_free(&path);
    ws_text_free(&order);
    result = ws_kb_load(kb, folder, NULL, 0, report, &error);
    story_remove(folder);
    if (result != 0 && report->length == 0)
        ws_text_puts(report, error.text);
    return result == 0;
}

/* ---- findings ---- */

static inline void story_place(struct ws_text *out, const char *role, const struct ws_event *event)
{
    ws_text_printf(out, " %s%s%" PRId64 "/%" PRId64, role, *role ? "@" : "", event->value[WS_ATTR_PROCESS].i,
                   event->value[WS_ATTR_T].i);
}

static inline void story_print_finding(struct ws_text *out, const struct ws_finding *finding)
{
    const struct ws_scope *scope = finding->rule->scope;
    size_t index = 0;

    while (scope->problems[index] != finding->rule)
        index++;
    ws_text_printf(out, "%s#%zu %" PRId64 " from %" PRId64 " waits", scope->id, index, finding->duration_ns,
                   finding->from_ns);
    story_place(out, "", finding->waiting);
    if (finding->cause) {
        ws_text_puts(out, " cause");
        story_place(out, "", finding->cause);
    }
    ws_text_puts(out, " in");
    for (size_t i = 0; i < finding->action_count; i++)
        story_place(out, finding->actions[i].role, finding->actions[i].event);
    ws_text_puts(out, "\n");
}

static inline void story_found(void *context, const struct ws_finding *finding)
{
    struct story *story = context;

    story->findings++;
    if (!story->quiet)
        story_print_finding(&story->log, finding);
}

/* ---- telling ---- */

static const char *story_engine; /* by name; NULL: the default */

/* The engines of this build; give NULL behind the last. */
static inline const char *story_engine_name(size_t index)
{
    static char names[4][16];
    struct ws_text list = {0};
    const char *at;

    ws_engine_names(&list);
    at = list.bytes;
    for (size_t i = 0; i < 4 && *at; i++) {
        size_t length = strcspn(at, ", ");
        snprintf(names[i], sizeof names[i], "%.*s", (int)length, at);
        at += length + strspn(at + length, ", ");
    }
    ws_text_free(&list);
    return index < 4 && names[index][0] ? names[index] : NULL;
}

/* The tests with each engine in turn: what main gives. */
#define STORY_RUN(tests)                                                                                     \
    ({                                                                                                       \
        int failed = 0;                                                                                      \
        for (size_t engine = 0; (story_engine = story_engine_name(engine)); engine++)                        \
            failed += cmocka_run_group_tests_name(story_engine, tests, NULL, NULL);                          \
        failed;                                                                                              \
    })

static inline void story_start_engine(struct story *story)
{
    const struct ws_sink sink = {.found = story_found, .context = story};
    struct ws_error error = {0};
    const struct ws_engine_ops *ops = ws_engine_find(story_engine, &error);

    assert_non_null(ops);
    story->engine = ops->create(&story->kb, story->wanted, &sink, &error);
    if (!story->engine)
        fail_msg("%s", error.text);
}

static inline void story_begin(struct story *story, const char *common, ...)
{
    const char *ids[16], *rules[16], *id;
    struct ws_text report = {0};
    size_t count = 0;
    va_list args;

    memset(story, 0, sizeof *story);
    va_start(args, common);
    while ((id = va_arg(args, const char *)) && count < 16) {
        ids[count] = id;
        rules[count++] = va_arg(args, const char *);
    }
    va_end(args);
    if (!story_load(&story->kb, common, ids, rules, count, &report))
        fail_msg("%s", report.bytes);
    ws_text_free(&report);
    story_start_engine(story);
}

static inline const char *story_string(struct story *story, const char *text, size_t length)
{
    for (size_t i = 0; i < story->string_count; i++)
        if (strlen(story->strings[i]) == length && memcmp(story->strings[i], text, length) == 0)
            return story->strings[i];
    assert_true(story->string_count < 64);
    return story->strings[story->string_count++] = strndup(text, length);
}

/* name=value, separated by blanks; what is not named is 0, 0.0 or "". */
static inline void story_set(struct story *story, const struct ws_event_type *type, struct ws_event *event,
                             const char *params)
{
    while (*params) {
        size_t name = strcspn(params, "="), length = strcspn(params + name + 1, " ");
        char word[64];
        int slot;
        snprintf(word, sizeof word, "%.*s", (int)name, params);
        slot = ws_type_slot(type, word);
        if (slot < 0)
            fail_msg("no parameter %s of %s", word, type->name);
        params += name + 1;
        if (type->slots[slot].type == WS_TYPE_REAL)
            event->value[slot].r = strtod(params, NULL);
        else if (type->slots[slot].type == WS_TYPE_STRING)
            event->value[slot].s = story_string(story, params, length);
        else
            event->value[slot].i = strtoll(params, NULL, 10);
        params += length + strspn(params + length, " ");
    }
}

static inline struct ws_event *story_make(struct story *story, const char *name, int64_t process, int64_t t,
                                          int64_t d, const char *params)
{
    const struct ws_event_type *type = ws_kb_type(&story->kb, name);
    struct ws_event *event = calloc(1, sizeof *event + type->slot_count * sizeof *event->value);

    event->type = type->index;
    for (size_t i = 0; i < type->slot_count; i++)
        if (type->slots[i].type == WS_TYPE_STRING)
            event->value[i].s = "";
    event->value[WS_ATTR_T].i = event->value[WS_ATTR_POSTED].i = t;
    event->value[WS_ATTR_D].i = d;
    event->value[WS_ATTR_END].i = t + d;
    event->value[WS_ATTR_PROCESS].i = process;
    event->value[WS_ATTR_FUNCTION].s = event->value[WS_ATTR_POSTED_FUNCTION].s = "F";
    story_set(story, type, event, params);
    return event;
}

/* Takes the event. */
static inline void story_feed(struct story *story, struct ws_event *event, int64_t low_ns)
{
    struct ws_error error = {0};

    if (story->engine->ops->feed(story->engine, event, low_ns, &error) != 0)
        fail_msg("%s", error.text);
    free(event);
}

static inline void story_event(struct story *story, const char *name, int64_t process, int64_t t, int64_t d,
                               const char *params)
{
    story_feed(story, story_make(story, name, process, t, d, params), INT64_MIN);
}

static inline void story_finish(struct story *story)
{
    struct ws_error error = {0};

    if (story->engine->ops->finish(story->engine, &story->stats, &error) != 0)
        fail_msg("%s", error.text);
}

static inline void story_free(struct story *story)
{
    story->engine->ops->destroy(story->engine);
    ws_kb_free(&story->kb);
    ws_text_free(&story->log);
    for (size_t i = 0; i < story->string_count; i++)
        free((void *)(uintptr_t)story->strings[i]);
}

/* What was found since the last time. */
static inline void story_expect(struct story *story, const char *findings)
{
    assert_string_equal(ws_text_string(&story->log), findings);
    ws_text_clear(&story->log);
}

/* Finishes and ends the story: what is found at the end, how many events stayed unmatched. */
static inline void story_end(struct story *story, const char *findings, uint64_t unmatched)
{
    story_finish(story);
    story_expect(story, findings);
    assert_int_equal(story->stats.unmatched, unmatched);
    story_free(story);
}

#endif
