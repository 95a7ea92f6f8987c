/* Loads a knowledge base: finds the files, reads all of them, then checks all of them together, so that
 * one run reports every mistake. */
#include "rules/append.h"
#include "rules/c_expression.h"
#include "rules/internal.h"
#include "rules/tree.h"

#include "util/file.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COMMON "common"
#define ORDER_FILE "order"
#define SCOPES_MOST 1024

struct load {
    struct ws_kb *kb;
    struct ws_diagnostics *diagnostics;
    struct ws_error *error;
    const char *shared; /* the folder of rules that the runtime shares with others, or NULL */
    bool extra;  /* what is added now was brought by --kb */
    bool unread; /* a file of trace rules could not be read: what depends on it cannot be checked */
};

static struct ws_pos whole_file(const char *path)
{
    return (struct ws_pos){path, 0, 0};
}

static const char *join(struct load *load, const char *folder, const char *name)
{
    return ws_arena_printf(&load->kb->arena, "%s/%s", folder, name);
}

static bool has_files(const char *folder, const char *suffix)
{
    char **names = ws_folder_names(folder, suffix, NULL);
    bool any = names && names[0];

    ws_names_free(names);
    return any;
}

/* A path without slashes at its end. */
static const char *trimmed(struct load *load, const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return ws_arena_strndup(&load->kb->arena, path, length);
}

const char *ws_folder_name(struct ws_arena *arena, const char *folder)
{
    char *real = realpath(folder, NULL);
    const char *path = real ? real : folder, *slash = strrchr(path, '/');
    const char *name = ws_arena_strdup(arena, slash ? slash + 1 : path);

    free(real);
    return name;
}

/* ---- scopes ---- */

static struct ws_scope *add_scope(struct load *load, const char *id, const char *folder, bool common)
{
    struct ws_kb *kb = load->kb;
    struct ws_scope *scope = ws_arena_alloc(&kb->arena, sizeof *scope);

    *scope =
        (struct ws_scope){.id = id, .folder = folder, .common = common, .index = (uint32_t)kb->scope_count};
    WS_APPEND(&kb->arena, kb->scopes, kb->scope_count) = scope;
    return scope;
}

static bool is_id(const char *id)
{
    size_t length = strlen(id);

    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)id[i]) && (i == 0 || !strchr("-_.", id[i])))
            return false;
    return length > 0 && length <= WS_NAME_MOST;
}

/* Two paths of one folder? */
static bool is_same_folder(const char *left, const char *right)
{
    struct stat a, b;

    return stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* False where there is one already, or it cannot be one. */
static bool add_problem_folder(struct load *load, const char *folder)
{
    const char *id = ws_folder_name(&load->kb->arena, folder);
    const struct ws_scope *other = ws_kb_scope(load->kb, id);

    if (other &&
        (is_same_folder(other->folder, folder) || (other->shared && is_same_folder(other->shared, folder))))
        return false; /* given twice */
    if (!is_id(id) || strcmp(id, COMMON) == 0)
        ws_mistake(
            load->diagnostics, whole_file(folder), 0, NULL,
            "'%.100s' cannot be the id of a problem type: rename the folder (letters, digits, '-' and '_')",
            id);
    else if (other)
        ws_mistake(load->diagnostics, whole_file(folder), 0, NULL,
                   "there is a problem type '%s' already, in %s: rename one of the folders", id,
                   other->folder);
    else if (load->kb->scope_count >= SCOPES_MOST)
        ws_mistake(load->diagnostics, whole_file(folder), 0, NULL, "more than %d problem types", SCOPES_MOST);
    else {
        add_scope(load, id, folder, false)->extra = load->extra;
        return true;
    }
    return false;
}

/* The folder of shared rules for the problem type `name`; NULL where there is none. */
static const char *shared_problem(struct load *load, const char *name)
{
    const char *path = load->shared ? join(load, load->shared, name) : NULL;

    return path && ws_is_folder(path) && has_files(path, ".rules") ? path : NULL;
}

/* Adds the sub-folders that hold rules, by name, and returns how many.  One of the runtime's own may leave
 * the rules to those that it shares, and hold its programs only. */
static size_t add_sub_folders(struct load *load, const char *folder)
{
    char **names = ws_folder_names(folder, "", NULL);
    size_t added = 0;

    for (size_t i = 0; names && names[i]; i++) {
        const char *path = join(load, folder, names[i]);
        if (!ws_is_folder(path))
            continue;
        if (has_files(path, ".rules") || (!load->extra && shared_problem(load, names[i]))) {
            add_problem_folder(load, path);
            added++;
        } else {
            ws_warning(load->diagnostics, whole_file(path), 0, NULL,
                       "no *.rules file in this folder: it is not a problem type");
        }
    }
    ws_names_free(names);
    return added;
}

/* The rules that the runtime shares with others join its own: first those, then these. */
static void add_shared(struct load *load)
{
    char **names = load->shared ? ws_folder_names(load->shared, "", NULL) : NULL;

    load->kb->scopes[0]->shared = load->shared;
    for (size_t i = 0; names && names[i]; i++) {
        const char *path = shared_problem(load, names[i]);
        struct ws_scope *own = path ? (struct ws_scope *)ws_kb_scope(load->kb, names[i]) : NULL;
        if (own)
            own->shared = path;
        else if (path && add_problem_folder(load, path))
            load->kb->scopes[load->kb->scope_count - 1]->borrowed = true;
    }
    ws_names_free(names);
}

/* Beside the runtime's own folder. */
static void find_shared(struct load *load)
{
    const struct ws_runtime *about = &load->kb->about;
    const char *slash = strrchr(load->kb->folder, '/');
    const char *parent =
        slash ? ws_arena_strndup(&load->kb->arena, load->kb->folder, (size_t)(slash - load->kb->folder))
              : ".";
    const char *last = ws_folder_name(&load->kb->arena, load->kb->folder);

    if (!about->shares || !*about->shares)
        return;
    if (strcmp(slash ? slash + 1 : load->kb->folder, last) != 0) /* "." or ".." */
        parent = join(load, load->kb->folder, "..");
    load->shared = join(load, *parent ? parent : "/", about->shares);
    if (ws_is_folder(load->shared))
        return;
    ws_mistake(load->diagnostics, about->pos, 8, NULL, "the rules that it shares are not there: no folder %s",
               load->shared);
    load->shared = NULL;
}

/* ---- the order of the built-in problem types ---- */

/* Moves the scope with this id to `place`; false where there is none behind it. */
static bool move_scope(struct ws_kb *kb, const char *id, size_t place)
{
    for (size_t i = place; i < kb->scope_count; i++)
        if (strcmp(kb->scopes[i]->id, id) == 0) {
            struct ws_scope *scope = kb->scopes[i];
            memmove(&kb->scopes[place + 1], &kb->scopes[place], (i - place) * sizeof *kb->scopes);
            kb->scopes[place] = scope;
            return true;
        }
    return false;
}

/* The file `order` names one problem type a line; '#' begins a comment. */
static void apply_order(struct load *load)
{
    struct ws_kb *kb = load->kb;
    const char *path = join(load, kb->folder, ORDER_FILE);
    const struct ws_source *source = ws_is_file(path) ? ws_source_read(load->diagnostics, path) : NULL;
    size_t place = 1; /* after the common scope */
    struct ws_pos pos = {path, 1, 1};

    for (const char *line = source ? source->bytes : ""; *line; pos.line++) {
        size_t length = strcspn(line, "\n"), begin = strspn(line, " \t\r");
        size_t end = begin + strcspn(line + begin, " \t\r\n#");
        const char *id = ws_arena_strndup(&load->kb->arena, line + begin, begin < end ? end - begin : 0);
        pos.column = (int)begin + 1;
        if (*id && move_scope(kb, id, place))
            place++;
        else if (*id)
            ws_warning(load->diagnostics, pos, (int)strlen(id), ws_kb_nearest_problem(kb, id),
                       "'%.100s' is not a problem type here, or named twice", id);
        line += length + (line[length] == '\n');
    }
    for (size_t i = 0; i < kb->scope_count; i++)
        kb->scopes[i]->index = (uint32_t)i;
}

/* ---- files ---- */

static void read_folder(struct load *load, const char *folder, const char *suffix, struct ws_scope *scope,
                        struct ws_tree *tree)
{
    char **names = ws_folder_names(folder, suffix, NULL);

    for (size_t i = 0; names && names[i]; i++) {
        const char *path = join(load, folder, names[i]);
        if (tree)
            ws_rules_read(tree, load->kb, scope, path, load->diagnostics);
        else if (!ws_xml_read(load->kb, path, load->diagnostics))
            load->unread = true;
    }
    ws_names_free(names);
}

static void read_scopes(struct load *load, const char *suffix, struct ws_tree *tree)
{
    for (size_t i = 0; i < load->kb->scope_count; i++) {
        struct ws_scope *scope = load->kb->scopes[i];
        read_folder(load, scope->folder, suffix, scope, tree);
        if (scope->shared)
            read_folder(load, scope->shared, suffix, scope, tree);
    }
}

/* The runtimes in a folder: "mpi, shmem"; empty where there is none. */
static void add_runtimes_in(struct ws_text *list, const char *folder)
{
    char **names = ws_folder_names(folder, "", NULL);

    for (size_t i = 0; names && names[i]; i++) {
        struct ws_text path = {0};
        ws_text_printf(&path, "%s/%s", folder, names[i]);
        if (ws_is_runtime(path.bytes))
            ws_text_printf(list, "%s%s", list->length ? ", " : "", names[i]);
        ws_text_free(&path);
    }
    ws_names_free(names);
}

/* Is the folder one of runtimes, or one itself, though problem types are wanted? */
static bool tell_runtime(struct load *load, const char *path)
{
    struct ws_text names = {0};
    bool told = true;

    add_runtimes_in(&names, path);
    if (ws_is_runtime(path))
        ws_fail(load->error, WS_BAD_INPUT, "%s: this is a runtime of its own: give a problem folder in it",
                path);
    else if (names.length)
        ws_fail(load->error, WS_BAD_INPUT,
                "%s: this holds runtimes (%.100s): give one of them or a problem folder", path, names.bytes);
    else
        told = false;
    ws_text_free(&names);
    return told;
}

/* ---- the three sources of folders ---- */

static int add_runtime(struct load *load, const char *folder)
{
    struct ws_kb *kb = load->kb;

    if (!ws_is_folder(folder))
        return ws_fail(load->error, WS_BAD_INPUT,
                       "%s: no such folder: the rules of a runtime should be there", folder);
    kb->folder = trimmed(load, folder);
    kb->runtime = ws_folder_name(&load->kb->arena, folder);
    if (!has_files(folder, ".xml"))
        return ws_fail(load->error, WS_BAD_INPUT, "%s: no trace rules (*.xml) in this folder", folder);
    add_scope(load, COMMON, kb->folder, true);
    read_folder(load, kb->folder, ".xml", NULL, NULL);
    find_shared(load);
    add_sub_folders(load, kb->folder);
    add_shared(load);
    apply_order(load);
    return 0;
}

/* A path of --kb: a problem folder, or a folder of them (whose own *.xml are read too). */
static int add_extra(struct load *load, const char *path)
{
    const char *folder = trimmed(load, path);

    if (!ws_is_folder(folder)) {
        if (ws_is_file(folder))
            return ws_fail(load->error, WS_BAD_INPUT,
                           "%s: is a file; a folder with the rules of a problem type is wanted", path);
        return ws_fail(load->error, WS_BAD_INPUT, "%s: no such folder", path);
    }
    if (tell_runtime(load, folder))
        return -1;
    if (has_files(folder, ".rules")) {
        add_problem_folder(load, folder);
        return 0;
    }
    if (add_sub_folders(load, folder) == 0)
        return ws_fail(load->error, WS_BAD_INPUT,
                       "%s: no problem type in this folder: neither it nor a folder in it has a *.rules file",
                       path);
    read_folder(load, folder, ".xml", NULL, NULL);
    return 0;
}

/* ---- loading ---- */

static void number_types(struct ws_kb *kb)
{
    for (size_t i = 0; i < kb->type_count; i++)
        kb->types[i]->index = (uint32_t)i;
}

static bool is_given_before(const char *const *extra, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_folder(extra[i], extra[index]))
            return true;
    return false;
}

/* A problem type is there to find problems.  One that was mistaken or could not be read is none less. */
static void check_empty_scopes(struct load *load, const struct ws_tree *tree)
{
    for (size_t s = 0; s < load->kb->scope_count && !tree->lost_names; s++) {
        const struct ws_scope *scope = load->kb->scopes[s];
        bool any = scope->common;
        for (size_t i = 0; i < tree->count; i++)
            any |= tree->declarations[i]->problem && tree->declarations[i]->scope == scope;
        if (!any)
            ws_mistake(load->diagnostics, whole_file(scope->folder), 0, NULL,
                       "this folder declares no problem");
    }
}

/* Reads and checks everything; -1 where there is nothing to read. */
static int load_all(struct load *load, const char *runtime_folder, const char *const *extra,
                    size_t extra_count)
{
    struct ws_kb *kb = load->kb;
    struct ws_tree *tree;

    if (add_runtime(load, runtime_folder) != 0)
        return -1;
    load->extra = true;
    for (size_t i = 0; i < extra_count; i++)
        if (!is_given_before(extra, i) && add_extra(load, extra[i]) != 0)
            return -1;
    for (size_t i = 1; i < kb->scope_count; i++)
        read_folder(load, kb->scopes[i]->folder, ".xml", NULL, NULL);
    ws_runtime_complete(kb);
    if (!load->unread)
        ws_trace_rules_check(kb, load->diagnostics);
    tree = ws_tree_new(&kb->arena);
    read_scopes(load, ".rules", tree);
    if (!load->unread)
        ws_rules_check(tree, kb, load->diagnostics);
    check_empty_scopes(load, tree);
    number_types(kb);
    return 0;
}

static bool is_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The folder given in which the first mistake was met. */
static const char *blame(struct load *load, const char *runtime_folder, const char *const *extra,
                         size_t extra_count)
{
    const char *first = load->diagnostics->first_file;

    for (size_t i = 0; first && i < extra_count; i++)
        if (is_inside(first, trimmed(load, extra[i])))
            return extra[i];
    return runtime_folder;
}

/* How many mistakes, in words. */
static void summarize(struct load *load, const char *runtime_folder, const char *const *extra,
                      size_t extra_count)
{
    size_t mistakes = load->diagnostics->mistakes;

    ws_fail(load->error, WS_BAD_INPUT, "%zu mistake%s%s in the rules of %s", mistakes,
            mistakes == 1 ? "" : "s", mistakes > 1 && extra_count > 1 ? ", the first" : "",
            blame(load, runtime_folder, extra, extra_count));
}

int ws_kb_load(struct ws_kb *kb, const char *runtime_folder, const char *const *extra, size_t extra_count,
               struct ws_text *report, struct ws_error *error)
{
    struct ws_diagnostics diagnostics = {.report = report};
    struct load load = {.kb = kb, .diagnostics = &diagnostics, .error = error};
    int result;

    memset(kb, 0, sizeof *kb);
    result = load_all(&load, runtime_folder, extra, extra_count);
    if (result == 0 && diagnostics.mistakes > 0) {
        summarize(&load, runtime_folder, extra, extra_count);
        result = -1;
    }
    ws_diagnostics_free(&diagnostics);
    if (result != 0)
        ws_kb_free(kb);
    return result;
}

void ws_kb_free(struct ws_kb *kb)
{
    ws_arena_free(&kb->arena);
    memset(kb, 0, sizeof *kb);
}

/* ---- checking one path ---- */

/* The folder to check for a path: itself, or that of the file; NULL with *error. */
static char *folder_of(const char *path, struct ws_error *error)
{
    char *real = realpath(path, NULL), *dot;

    if (!real) {
        ws_fail(error, WS_BAD_INPUT, "%s: %s", path, strerror(errno));
        return NULL;
    }
    if (ws_is_folder(real))
        return real;
    dot = strrchr(real, '.');
    if (!dot || (strcmp(dot, ".rules") != 0 && strcmp(dot, ".xml") != 0)) {
        ws_fail(error, WS_BAD_INPUT, "%s: neither a folder nor a *.rules or *.xml file", path);
        free(real);
        return NULL;
    }
    *strrchr(real, '/') = '\0';
    return real;
}

int ws_kb_check(const char *runtime_folder, const char *path, struct ws_text *report,
                struct ws_remarks *remarks, size_t *mistakes, struct ws_error *error)
{
    struct ws_diagnostics diagnostics = {.report = report};
    struct ws_kb kb = {0};
    struct load load = {.kb = &kb, .diagnostics = &diagnostics, .error = error};
    char *folder = folder_of(path, error), *runtime = realpath(runtime_folder, NULL);
    const char *extra = folder;
    int result = -1;

    if (folder) {
        bool own = ws_is_runtime(folder), inside = runtime && is_inside(folder, runtime);
        /* The path as given reads better in the report than the real one. */
        if (ws_is_folder(path))
            extra = path;
        result = load_all(&load, own ? extra : runtime_folder, &extra, own || inside ? 0 : 1);
        if (own && result == 0 && !load.unread && !kb.about.pos.file)
            ws_warning(&diagnostics, whole_file(kb.folder), 0, NULL,
                       "no element <runtime> in functions.xml: no program of this runtime is recognised");
    }
    *mistakes = diagnostics.mistakes;
    if (remarks)
        ws_diagnostics_remarks(&diagnostics, remarks);
    ws_diagnostics_free(&diagnostics);
    ws_kb_free(&kb);
    free(folder);
    free(runtime);
    return result;
}

/* ---- looking things up ---- */

const struct ws_event_type *ws_kb_type(const struct ws_kb *kb, const char *name)
{
    for (size_t i = 0; i < kb->type_count; i++)
        if (strcmp(kb->types[i]->name, name) == 0)
            return kb->types[i];
    return NULL;
}

const struct ws_scope *ws_kb_scope(const struct ws_kb *kb, const char *id)
{
    for (size_t i = 0; i < kb->scope_count; i++)
        if (strcmp(kb->scopes[i]->id, id) == 0)
            return kb->scopes[i];
    return NULL;
}

const char *ws_kb_nearest_problem(const struct ws_kb *kb, const char *id)
{
    const char **ids = ws_alloc_array(kb->scope_count, sizeof *ids);
    const char *near;
    size_t count = 0;

    for (size_t i = 0; i < kb->scope_count; i++)
        if (!kb->scopes[i]->common)
            ids[count++] = kb->scopes[i]->id;
    near = ws_suggest(id, ids, count);
    free(ids);
    return near;
}

int ws_type_slot(const struct ws_event_type *type, const char *name)
{
    for (size_t i = 0; i < type->slot_count; i++)
        if (strcmp(type->slots[i].name, name) == 0)
            return (int)i;
    return -1;
}

const struct ws_trace_rule *ws_type_rule(const struct ws_kb *kb, const struct ws_event_type *type)
{
    for (size_t i = 0; i < kb->trace_rule_count; i++)
        if (kb->trace_rules[i]->type == type)
            return kb->trace_rules[i];
    return NULL;
}

const struct ws_trace_rule *ws_type_rule_of(const struct ws_kb *kb, const struct ws_event_type *type,
                                            const char *function)
{
    for (size_t i = 0; i < kb->trace_rule_count; i++) {
        const struct ws_trace_rule *rule = kb->trace_rules[i];
        for (size_t k = 0; rule->type == type && k < rule->function_count; k++)
            if (strcmp(rule->functions[k]->name, function) == 0)
                return rule;
    }
    return NULL;
}
