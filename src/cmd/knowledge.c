/* The knowledge base as the command line names it. */
#include "cmd/cmd.h"

#include "trace/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- runtimes ---- */

/* What --kb gives: runtimes, the rest problem types. */
static void sort_extra(const struct ws_list *extra, struct ws_list *runtimes, struct ws_list *problems)
{
    for (size_t i = 0; i < extra->count; i++) {
        struct ws_list *list = ws_is_runtime(extra->items[i]) ? runtimes : problems;
        WS_PUSH(list->items, list->count, list->capacity) = extra->items[i];
    }
}

int ws_cmd_knowledge(struct ws_knowledge *knowledge, const struct ws_list *extra)
{
    char data[PATH_MAX - 16], folder[PATH_MAX];
    struct ws_list own = {0};
    struct ws_text report = {0};
    struct ws_error error;
    int code = WS_DONE;

    *knowledge = (struct ws_knowledge){0};
    if (ws_data_folder(data, sizeof data, &error) != 0)
        return ws_complain(&error);
    snprintf(folder, sizeof folder, "%s/kb", data);
    sort_extra(extra, &own, &knowledge->problems);
    if (ws_runtimes_read(folder, own.items, own.count, &knowledge->runtimes, &report, &error) != 0) {
        fflush(stdout);
        fputs(ws_text_string(&report), stderr);
        code = ws_complain(&error);
    } else if (knowledge->runtimes.count == 0) {
        ws_message("%s: no runtimes in this folder", folder);
        code = WS_ENVIRONMENT;
    }
    ws_text_free(&report);
    free(own.items);
    if (code != 0)
        ws_cmd_knowledge_free(knowledge);
    return code;
}

void ws_cmd_knowledge_free(struct ws_knowledge *knowledge)
{
    ws_runtimes_free(&knowledge->runtimes);
    free(knowledge->problems.items);
    *knowledge = (struct ws_knowledge){0};
}

static void name_runtimes(const struct ws_knowledge *knowledge, struct ws_text *out)
{
    for (size_t i = 0; i < knowledge->runtimes.count; i++)
        ws_text_printf(out, "%s%s", i ? ", " : "", knowledge->runtimes.items[i]->id);
}

/* ---- whose rules they are ---- */

static bool is_inside(const char *path, const char *folder)
{
    char *inner = realpath(path, NULL), *outer = realpath(folder, NULL);
    size_t length = outer ? strlen(outer) : 0;
    bool inside =
        inner && outer && strncmp(inner, outer, length) == 0 && (inner[length] == '/' || !inner[length]);

    free(inner);
    free(outer);
    return inside;
}

size_t ws_cmd_runtime_of(const struct ws_knowledge *knowledge, const char *path)
{
    size_t best = 0, fewest = SIZE_MAX;

    for (size_t i = 0; i < knowledge->runtimes.count; i++)
        if (is_inside(path, knowledge->runtimes.folders[i]))
            return i;
    for (size_t i = 0; fewest > 0 && i < knowledge->runtimes.count; i++) {
        struct ws_error ignored;
        size_t mistakes;
        if (ws_kb_check(knowledge->runtimes.folders[i], path, NULL, NULL, &mistakes, &ignored) == 0 &&
            mistakes < fewest) {
            best = i;
            fewest = mistakes;
        }
    }
    return best;
}

/* ---- loading ---- */

static int load(struct ws_kb *kb, const char *folder, const struct ws_list *problems)
{
    struct ws_text report = {0};
    struct ws_error error;
    int code = WS_DONE;

    if (ws_kb_load(kb, folder, problems->items, problems->count, &report, &error) != 0) {
        fflush(stdout);
        fputs(ws_text_string(&report), stderr);
        code = ws_complain(&error);
    }
    ws_text_free(&report);
    return code;
}

int ws_cmd_load_runtime(struct ws_kb *kb, const struct ws_knowledge *knowledge, size_t runtime)
{
    struct ws_list fitting = {0};
    int code;

    for (size_t i = 0; i < knowledge->problems.count; i++)
        if (ws_cmd_runtime_of(knowledge, knowledge->problems.items[i]) == runtime)
            WS_PUSH(fitting.items, fitting.count, fitting.capacity) = knowledge->problems.items[i];
    code = load(kb, knowledge->runtimes.folders[runtime], &fitting);
    free(fitting.items);
    return code;
}

static size_t choose(const struct ws_knowledge *knowledge, const char *layer, char *const *command)
{
    return ws_runtimes_find(&knowledge->runtimes,
                            layer ? layer : ws_runtime_choose(command, &knowledge->runtimes)->id);
}

int ws_cmd_load_for_command(struct ws_kb *kb, const struct ws_list *extra, const char *layer,
                            char *const *command)
{
    struct ws_knowledge knowledge;
    struct ws_text names = {0};
    int code = ws_cmd_knowledge(&knowledge, extra);
    size_t runtime;

    if (code != 0)
        return code;
    runtime = choose(&knowledge, layer, command);
    if (runtime < knowledge.runtimes.count) {
        code = load(kb, knowledge.runtimes.folders[runtime], &knowledge.problems);
    } else {
        name_runtimes(&knowledge, &names);
        ws_message("no runtime '%s' is known, but %s; one of your own is given with --kb", layer,
                   names.bytes);
        code = WS_USAGE;
    }
    ws_text_free(&names);
    ws_cmd_knowledge_free(&knowledge);
    return code;
}

/* The runtime of a trace; "" where that cannot be read, as the diagnosis itself will tell. */
static void read_runtime(const char *directory, char *id, size_t size)
{
    struct ws_schema schema = {0};
    struct ws_error ignored;

    id[0] = '\0';
    if (ws_schema_read(directory, &schema, &ignored) == 0)
        snprintf(id, size, "%s", schema.runtime);
    ws_schema_free(&schema);
}

int ws_cmd_load_for_trace(struct ws_kb *kb, const struct ws_list *extra, const char *directory)
{
    struct ws_knowledge knowledge;
    char id[256];
    int code = ws_cmd_knowledge(&knowledge, extra);
    size_t runtime;

    if (code != 0)
        return code;
    read_runtime(directory, id, sizeof id);
    runtime = *id ? ws_runtimes_find(&knowledge.runtimes, id) : 0;
    if (runtime < knowledge.runtimes.count) {
        code = load(kb, knowledge.runtimes.folders[runtime], &knowledge.problems);
    } else {
        ws_message("%s was recorded of the runtime '%s', whose rules are not among Whyslow's: give their "
                   "folder with "
                   "--kb",
                   directory, id);
        code = WS_BAD_INPUT;
    }
    ws_cmd_knowledge_free(&knowledge);
    return code;
}

/* The runtime before the slash of "x10/hot-spot", or `count`. */
static size_t named_runtime(const struct ws_runtimes *runtimes, const char *name)
{
    size_t length = strcspn(name, "/"), i = 0;

    while (i < runtimes->count && (!name[length] || strlen(runtimes->items[i]->id) != length ||
                                   strncmp(runtimes->items[i]->id, name, length) != 0))
        i++;
    return i;
}

int ws_cmd_load_for_problem(struct ws_kb *kb, const struct ws_knowledge *knowledge, const char *name,
                            const char **id)
{
    const struct ws_runtimes *runtimes = &knowledge->runtimes;
    size_t named = named_runtime(runtimes, name);
    int code;

    *id = named < runtimes->count ? strchr(name, '/') + 1 : name;
    if (named < runtimes->count)
        return ws_cmd_load_runtime(kb, knowledge, named);
    for (size_t i = 0; i < runtimes->count; i++) {
        code = ws_cmd_load_runtime(kb, knowledge, i);
        if (code != 0 || ws_kb_scope(kb, name))
            return code;
        ws_kb_free(kb);
    }
    return ws_cmd_load_runtime(kb, knowledge, 0);
}

int ws_cmd_unknown_problem(const struct ws_kb *kb, const char *id)
{
    const char *near = ws_kb_nearest_problem(kb, id);

    if (near)
        ws_message("no problem type '%s'; did you mean '%s'?", id, near);
    else
        ws_message("no problem type '%s'; 'whyslow kb list' tells what there is", id);
    return WS_USAGE;
}
