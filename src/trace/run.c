#include "trace/run.h"

#include "util/file.h"
#include "util/utf8.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define RUN_FORMAT 1
#define RUN_MOST_BYTES ((size_t)16 << 20)

static char *run_path(struct ws_arena *arena, const char *directory)
{
    return ws_arena_printf(arena, "%s/run.json", directory);
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* A command may hold bytes that are no UTF-8, which JSON cannot. */
static json_t *text_json(const char *text)
{
    char *valid = ws_utf8_copy(or_empty(text), false);
    json_t *json = json_string(valid);

    free(valid);
    return json;
}

static json_t *notes_json(const struct ws_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->note_count; i++)
        json_array_append_new(list, text_json(run->notes[i]));
    return list;
}

static void take_notes(const json_t *root, struct ws_run *run)
{
    const json_t *list = json_object_get(root, "notes");

    run->notes = ws_arena_alloc(&run->arena, (json_array_size(list) + 1) * sizeof *run->notes);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            run->notes[run->note_count++] =
                ws_arena_strdup(&run->arena, json_string_value(json_array_get(list, i)));
}

int ws_run_write(const char *directory, const struct ws_run *run, struct ws_error *error)
{
    struct ws_arena arena = {0};
    char *path = run_path(&arena, directory), *text;
    json_t *root =
        json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:f, s:i}", "format", RUN_FORMAT, "command",
                  text_json(run->command), "started", text_json(run->started), "runtime",
                  text_json(run->runtime), "mpi", text_json(run->mpi), "host", text_json(run->host), "only",
                  text_json(run->only), "cores",
                  run->cores, "wall_s", run->wall_s, "exit_code", run->exit_code);
    int result;

    if (run->note_count)
        json_object_set_new(root, "notes", notes_json(run));
    text = root ? json_dumps(root, JSON_INDENT(2)) : NULL;
    json_decref(root);
    if (text) {
        size_t length = strlen(text);
        text[length] = '\n'; /* in place of the terminator, which ws_file_write does not need */
        result = ws_file_write(path, text, length + 1, error);
    } else {
        result = ws_fail(error, WS_ENVIRONMENT, "%s: cannot be written as JSON", path);
    }
    free(text);
    ws_arena_free(&arena);
    return result;
}

static int take(const json_t *root, const char *path, struct ws_run *run, struct ws_error *error)
{
    const char *command = "", *started = "", *runtime = "", *mpi = "", *host = "", *only = "";
    json_error_t cause;
    int format = 0;

    run->exit_code = -1;
    if (json_unpack_ex((json_t *)root, &cause, 0, "{s:i}", "format", &format) != 0)
        return ws_fail(error, WS_BAD_INPUT, "%s: not the description of a run: %s", path, cause.text);
    if (format != RUN_FORMAT)
        return ws_fail(error, WS_BAD_INPUT, "%s: format %d, this Whyslow reads format %d", path, format,
                       RUN_FORMAT);
    if (json_unpack_ex((json_t *)root, &cause, 0, "{s?:s, s?:s, s?:s, s?:s, s?:s, s?:s, s?:i, s?:F, s?:i}",
                       "command", &command, "started", &started, "runtime", &runtime, "mpi", &mpi, "host",
                       &host, "only", &only, "cores", &run->cores, "wall_s", &run->wall_s, "exit_code",
                       &run->exit_code) != 0)
        return ws_fail(error, WS_BAD_INPUT, "%s: not the description of a run: %s", path, cause.text);
    run->command = ws_arena_strdup(&run->arena, command);
    run->started = ws_arena_strdup(&run->arena, started);
    run->runtime = ws_arena_strdup(&run->arena, runtime);
    run->mpi = ws_arena_strdup(&run->arena, mpi);
    run->host = ws_arena_strdup(&run->arena, host);
    run->only = ws_arena_strdup(&run->arena, only);
    take_notes(root, run);
    return 0;
}

int ws_run_read(const char *directory, struct ws_run *run, struct ws_error *error)
{
    json_error_t cause;
    size_t length;
    char *path, *text;
    json_t *root;
    int result;

    *run = (struct ws_run){0};
    path = run_path(&run->arena, directory);
    text = ws_file_read(path, RUN_MOST_BYTES, &length, error);
    if (!text) {
        ws_run_free(run);
        return -1;
    }
    root = json_loadb(text, length, 0, &cause);
    free(text);
    result = root ? take(root, path, run, error)
                  : ws_fail(error, WS_BAD_INPUT, "%s:%d: not JSON: %s", path, cause.line, cause.text);
    json_decref(root);
    if (result != 0)
        ws_run_free(run);
    return result;
}

void ws_run_free(struct ws_run *run)
{
    ws_arena_free(&run->arena);
    *run = (struct ws_run){0};
}
