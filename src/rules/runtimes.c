/* The runtimes at hand: folders with functions, and what their element <runtime> says. */
#include "rules/append.h"
#include "rules/internal.h"

#include "util/file.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_FILE "functions.xml"
#define FIRST "mpi" /* which most programs use */

bool ws_is_runtime(const char *folder)
{
    struct ws_text path = {0};
    bool result;

    ws_text_printf(&path, "%s/" FUNCTIONS_FILE, folder);
    result = ws_is_file(path.bytes);
    ws_text_free(&path);
    return result;
}

void ws_runtime_complete(struct ws_kb *kb)
{
    static const char *none[] = {NULL}, *compilers[] = {"cc", "gcc", "clang", NULL};
    struct ws_runtime *about = &kb->about;

    about->id = kb->runtime;
    about->title = about->title ? about->title : kb->runtime;
    about->process = about->process && *about->process ? about->process : "rank";
    about->begin = about->begin ? about->begin : "";
    about->prefix = about->prefix ? about->prefix : "";
    about->libraries = about->libraries ? about->libraries : none;
    about->over = about->over ? about->over : none;
    about->compilers = about->compilers ? about->compilers : compilers;
    about->launchers = about->launchers ? about->launchers : none;
    about->wrappers = about->wrappers && about->wrappers[0] ? about->wrappers : about->compilers;
}

static const char **copy_list(struct ws_arena *arena, const char *const *list)
{
    const char **copy = NULL;
    size_t count = 0;

    for (size_t i = 0; list[i]; i++)
        WS_APPEND(arena, copy, count) = ws_arena_strdup(arena, list[i]);
    WS_APPEND(arena, copy, count) = NULL;
    return copy;
}

static const char *copy_text(struct ws_arena *arena, const char *text)
{
    return text ? ws_arena_strdup(arena, text) : NULL;
}

/* What lives as long as `arena`. */
static const struct ws_runtime *copy_runtime(struct ws_arena *arena, const struct ws_runtime *about)
{
    struct ws_runtime *copy = ws_arena_alloc(arena, sizeof *copy);

    *copy = (struct ws_runtime){
        .id = copy_text(arena, about->id),
        .title = copy_text(arena, about->title),
        .process = copy_text(arena, about->process),
        .libraries = copy_list(arena, about->libraries),
        .begin = copy_text(arena, about->begin),
        .prefix = copy_text(arena, about->prefix),
        .header = copy_text(arena, about->header),
        .over = copy_list(arena, about->over),
        .compilers = copy_list(arena, about->compilers),
        .launchers = copy_list(arena, about->launchers),
        .package = copy_text(arena, about->package),
        .count = copy_text(arena, about->count),
        .link = copy_text(arena, about->link),
        .wrappers = copy_list(arena, about->wrappers),
        .shares = copy_text(arena, about->shares),
        .pos = {copy_text(arena, about->pos.file), about->pos.line, about->pos.column},
    };
    return copy;
}

static int add(struct ws_runtimes *runtimes, const char *folder, struct ws_text *report,
               struct ws_error *error)
{
    struct ws_diagnostics diagnostics = {.report = report};
    struct ws_kb kb = {0}; /* of the element alone */
    const char *path = ws_arena_printf(&kb.arena, "%s/" FUNCTIONS_FILE, folder);
    int result = 0;

    kb.runtime = ws_folder_name(&kb.arena, folder);
    if (!ws_xml_read_runtime(&kb, path, &diagnostics) || diagnostics.mistakes)
        result = ws_fail(error, WS_BAD_INPUT, "mistakes in %s", path);
    else if (!kb.about.pos.file)
        result = ws_fail(error, WS_BAD_INPUT,
                         "%s: no element <runtime>: without its title, library and begin no program of the "
                         "runtime is recognised",
                         path);
    else if (ws_runtimes_find(runtimes, kb.runtime) < runtimes->count)
        result = ws_fail(error, WS_BAD_INPUT, "%s: there is a runtime '%s' already, in %s: rename the folder",
                         folder, kb.runtime, runtimes->folders[ws_runtimes_find(runtimes, kb.runtime)]);
    if (result == 0) {
        size_t count = runtimes->count;
        ws_runtime_complete(&kb);
        WS_APPEND(&runtimes->arena, runtimes->folders, count) = ws_arena_strdup(&runtimes->arena, folder);
        WS_APPEND(&runtimes->arena, runtimes->items, runtimes->count) =
            copy_runtime(&runtimes->arena, &kb.about);
    }
    ws_diagnostics_free(&diagnostics);
    ws_kb_free(&kb);
    return result;
}

/* Adds the runtime of this name in kb/ where it is one. */
static int add_named(struct ws_runtimes *runtimes, const char *folder, const char *name,
                     struct ws_text *report, struct ws_error *error)
{
    const char *path = ws_arena_printf(&runtimes->arena, "%s/%s", folder, name);

    return ws_is_runtime(path) ? add(runtimes, path, report, error) : 0;
}

int ws_runtimes_read(const char *folder, const char *const *extra, size_t extra_count,
                     struct ws_runtimes *runtimes, struct ws_text *report, struct ws_error *error)
{
    char **names = ws_folder_names(folder, "", error);
    int result = names ? 0 : -1;

    memset(runtimes, 0, sizeof *runtimes);
    if (result == 0)
        result = add_named(runtimes, folder, FIRST, report, error);
    for (size_t i = 0; result == 0 && names[i]; i++)
        if (strcmp(names[i], FIRST) != 0)
            result = add_named(runtimes, folder, names[i], report, error);
    for (size_t i = 0; result == 0 && i < extra_count; i++)
        result = add(runtimes, extra[i], report, error);
    ws_names_free(names);
    if (result != 0)
        ws_runtimes_free(runtimes);
    return result;
}

void ws_runtimes_free(struct ws_runtimes *runtimes)
{
    ws_arena_free(&runtimes->arena);
    memset(runtimes, 0, sizeof *runtimes);
}

size_t ws_runtimes_find(const struct ws_runtimes *runtimes, const char *id)
{
    size_t i = 0;

    while (i < runtimes->count && strcmp(runtimes->items[i]->id, id) != 0)
        i++;
    return i;
}
