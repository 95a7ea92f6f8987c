/* Runs the examples of the language reference: ```rules SCOPE blocks, then ```events, then ```findings. */
#include "story.h"

struct example {
    const char *ids[8];
    char *rules[8];
    char *common;
    size_t scope_count;
    char *events, *findings;
    int line;
};

/* "late 1: 20 ns from 10, rank 1 waits for rank 0" */
static void say(void *context, const struct ws_finding *finding)
{
    const struct ws_scope *scope = finding->rule->scope;
    struct ws_text *out = context;
    size_t index = 0;

    while (scope->problems[index] != finding->rule)
        index++;
    ws_text_printf(out, "%s %zu: %" PRId64 " ns from %" PRId64 ", rank %" PRId64 " waits", scope->id,
                   index + 1, finding->duration_ns, finding->from_ns,
                   finding->waiting->value[WS_ATTR_PROCESS].i);
    if (finding->cause)
        ws_text_printf(out, " for rank %" PRId64, finding->cause->value[WS_ATTR_PROCESS].i);
    ws_text_puts(out, "\n");
}

/* TYPE PROCESS T D PARAMETER=VALUE ... */
static void feed_line(struct story *story, const char *line)
{
    long long process, t, d;
    char type[32];
    int used = 0;

    if (sscanf(line, "%31s %lld %lld %lld %n", type, &process, &t, &d, &used) < 4)
        fail_msg("not an event: %s", line);
    story_event(story, type, process, t, d, line + used);
}

static void run(struct example *example)
{
    struct story story = {0};
    struct ws_text report = {0};
    const struct ws_sink sink = {.found = say, .context = &story.log};
    struct ws_error error = {0};

    if (!story_load(&story.kb, example->common, example->ids, (const char *const *)example->rules,
                    example->scope_count, &report))
        fail_msg("example in line %d: %s", example->line, report.bytes);
    ws_text_free(&report);
    story.engine = ws_engine_find(story_engine, &error)->create(&story.kb, NULL, &sink, &error);
    if (!story.engine)
        fail_msg("%s", error.text);
    for (char *line = strtok(example->events, "\n"); line; line = strtok(NULL, "\n"))
        feed_line(&story, line);
    story_finish(&story);
    if (strcmp(ws_text_string(&story.log), example->findings) != 0)
        fail_msg("example in line %d finds\n%s", example->line, ws_text_string(&story.log));
    story_free(&story);
}

static void clear(struct example *example)
{
    for (size_t i = 0; i < example->scope_count; i++) {
        free((void *)(uintptr_t)example->ids[i]);
        free(example->rules[i]);
    }
    free(example->common);
    free(example->events);
    free(example->findings);
    memset(example, 0, sizeof *example);
}

/* True where the block completes an example. */
static bool take_block(struct example *example, const char *info, size_t info_length, char *body, int line)
{
    if (info_length > 6 && strncmp(info, "rules ", 6) == 0) {
        example->line = example->line ? example->line : line;
        if (strncmp(info + 6, "common", info_length - 6) == 0) {
            example->common = body;
        } else {
            example->ids[example->scope_count] = strndup(info + 6, info_length - 6);
            example->rules[example->scope_count++] = body;
        }
    } else if (info_length == 6 && strncmp(info, "events", 6) == 0) {
        example->events = body;
    } else if (info_length == 8 && strncmp(info, "findings", 8) == 0) {
        example->findings = body;
        return true;
    } else {
        free(body);
    }
    return false;
}

static int lines_between(const char *from, const char *to)
{
    int lines = 1;
    for (; from < to; from++)
        lines += *from == '\n';
    return lines;
}

static size_t run_examples(const char *path)
{
    char *text = ws_file_read(path, (size_t)1 << 20, NULL, NULL);
    struct example example = {0};
    size_t count = 0;

    for (char *at = text; at && (at = strstr(at, "\n```"));) {
        char *info = at + 4, *body = strchr(info, '\n') + 1, *end = strstr(body - 1, "\n```");
        assert_non_null(end);
        if (take_block(&example, info, (size_t)(body - 1 - info), strndup(body, (size_t)(end + 1 - body)),
                       lines_between(text, info))) {
            run(&example);
            clear(&example);
            count++;
        }
        at = end + 4;
    }
    clear(&example);
    free(text);
    return count;
}

static void test_examples_of_the_reference(void **state)
{
    (void)state;
    assert_int_equal(run_examples(SOURCE_DIR "/docs/language.md"), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples_of_the_reference)};
    return STORY_RUN(tests);
}
