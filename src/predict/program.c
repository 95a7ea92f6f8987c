#include "predict/program.h"

#include <string.h>

#define MOST_COUNT 1e21
#define MOST_SECONDS 1e9

static const char *const profile = "whyslow profile";

const char *const ws_count_keys[WS_COUNTS] = {
    [WS_COUNT_INSTRUCTIONS] = "instructions",
    [WS_COUNT_LOADS] = "loads",
    [WS_COUNT_STORES] = "stores",
    [WS_COUNT_INTEGER] = "integer",
    [WS_COUNT_MULTIPLY] = "multiply",
    [WS_COUNT_DIVIDE] = "divide",
    [WS_COUNT_FLOAT] = "float",
    [WS_COUNT_FLOAT_DIVIDE] = "float_divide",
    [WS_COUNT_VECTOR] = "vector",
    [WS_COUNT_BRANCHES] = "branches",
    [WS_COUNT_BRANCH_MISSES] = "branch_misses",
    [WS_COUNT_CALLS] = "calls",
    [WS_COUNT_OTHER] = "other",
};

const char *const ws_io_keys[WS_IOS] = {
    [WS_IO_READS] = "reads",
    [WS_IO_WRITES] = "writes",
    [WS_IO_READ_BYTES] = "read_bytes",
    [WS_IO_WRITTEN_BYTES] = "written_bytes",
};

static const char *const paper_keys[WS_PAPER_PARAMETERS] = {"h1", "h2", "h3", "h4",  "h5", "h6",
                                                            "h7", "h8", "h9", "h10", "h11"};

/* ---- reading ---- */

static int take_numbers(const struct ws_fields *fields, const json_t *object, const char *where,
                        const char *key, const char *const *keys, size_t count, double *numbers, bool *there)
{
    const json_t *part;
    char at[128];

    if (ws_fields_part(fields, object, where, key, &part) != 0)
        return -1;
    snprintf(at, sizeof at, "%s%s.", where, key);
    *there = part != NULL;
    for (size_t i = 0; i < count; i++)
        if (ws_fields_number(fields, part, at, keys[i], 0, MOST_COUNT, &numbers[i]) != 0)
            return -1;
    return 0;
}

static int take_point(const struct ws_fields *fields, const json_t *entry, const char *where,
                      struct ws_cache_point *point)
{
    if (ws_fields_need_number(fields, entry, where, "size_bytes", 64, 1e15, &point->size_bytes) != 0 ||
        ws_fields_need_number(fields, entry, where, "misses", 0, MOST_COUNT, &point->misses) != 0 ||
        ws_fields_number(fields, entry, where, "regular", 0, MOST_COUNT, &point->regular) != 0)
        return -1;
    if (point->regular > point->misses)
        return ws_fail(fields->error, WS_BAD_INPUT,
                       "%s: %sregular: %g of %g misses cannot be; write it anew with '%s'", fields->path,
                       where, point->regular, point->misses, fields->maker);
    return 0;
}

static int take_cache(const struct ws_fields *fields, const json_t *object, const char *where,
                      struct ws_program_run *run)
{
    const json_t *cache, *list;
    char at[160];

    if (ws_fields_part(fields, object, where, "cache", &cache) != 0)
        return -1;
    snprintf(at, sizeof at, "%scache.", where);
    run->line_bytes = 64;
    if (ws_fields_number(fields, cache, at, "line_bytes", 1, 65536, &run->line_bytes) != 0 ||
        ws_fields_list(fields, cache, at, "curve", &list, &run->curve_count) != 0)
        return -1;
    run->curve = ws_arena_alloc(fields->arena, (run->curve_count + 1) * sizeof *run->curve);
    for (size_t i = 0; i < run->curve_count; i++) {
        snprintf(at, sizeof at, "%scache.curve[%zu].", where, i);
        if (take_point(fields, json_array_get(list, i), at, &run->curve[i]) != 0)
            return -1;
        if (i && run->curve[i].size_bytes <= run->curve[i - 1].size_bytes)
            return ws_fail(fields->error, WS_BAD_INPUT,
                           "%s: %ssize_bytes: %g comes after %g; put the caches in order of their sizes",
                           fields->path, at, run->curve[i].size_bytes, run->curve[i - 1].size_bytes);
    }
    return 0;
}

int ws_program_take_work(const struct ws_fields *fields, const json_t *object, const char *where,
                         struct ws_program_run *run)
{
    bool has_io;

    if (take_numbers(fields, object, where, "counts", ws_count_keys, WS_COUNTS, run->counts,
                     &run->has_counts) != 0 ||
        take_cache(fields, object, where, run) != 0 ||
        take_numbers(fields, object, where, "io", ws_io_keys, WS_IOS, run->io, &has_io) != 0)
        return -1;
    run->has_counts = run->has_counts && run->counts[WS_COUNT_INSTRUCTIONS] > 0;
    return 0;
}

static int take_times(const struct ws_fields *fields, const json_t *entry, const char *where,
                      struct ws_program_run *run)
{
    static const char *const cpu = "cpu_s";

    if (ws_fields_number(fields, entry, where, "wall_s", 0, MOST_SECONDS, &run->wall_s) != 0 ||
        ws_fields_need_number(fields, entry, where, cpu, 1e-9, MOST_SECONDS, &run->cpu_s) != 0 ||
        ws_fields_number(fields, entry, where, "user_s", 0, MOST_SECONDS, &run->user_s) != 0 ||
        ws_fields_number(fields, entry, where, "system_s", 0, MOST_SECONDS, &run->system_s) != 0 ||
        ws_fields_number(fields, entry, where, "spread", 0, 1e6, &run->spread) != 0 ||
        ws_fields_number(fields, entry, where, "uncertainty", 0, 1e6, &run->uncertainty) != 0)
        return -1;
    return 0;
}

static int take_run(const struct ws_fields *fields, const json_t *entry, const char *where,
                    struct ws_program_run *run)
{
    run->repeats = run->processes = run->threads = 1;
    if (ws_fields_number(fields, entry, where, "size", 1e-300, 1e300, &run->size) != 0 ||
        ws_fields_text(fields, entry, where, "source", &run->source) != 0 ||
        take_times(fields, entry, where, run) != 0 ||
        ws_fields_number(fields, entry, where, "repeats", 0, 1e9, &run->repeats) != 0 ||
        ws_fields_number(fields, entry, where, "processes", 0, 1e9, &run->processes) != 0 ||
        ws_fields_number(fields, entry, where, "threads", 0, 1e9, &run->threads) != 0 ||
        ws_fields_number(fields, entry, where, "ranks", 0, 1e9, &run->ranks) != 0 ||
        ws_program_take_work(fields, entry, where, run) != 0)
        return -1;
    return take_numbers(fields, entry, where, "paper", paper_keys, WS_PAPER_PARAMETERS, run->paper,
                        &run->has_paper);
}

static int take(const struct ws_fields *fields, const json_t *root, struct ws_program *program)
{
    const json_t *list;

    if (ws_fields_need_text(fields, root, "", "command", &program->command) != 0 ||
        ws_fields_text(fields, root, "", "architecture", &program->architecture) != 0 ||
        ws_fields_list(fields, root, "", "runs", &list, &program->run_count) != 0)
        return -1;
    if (!program->run_count)
        return ws_fields_wanted(fields, "", "runs", "a list of runs", list);
    program->runs = ws_arena_alloc(fields->arena, program->run_count * sizeof *program->runs);
    for (size_t i = 0; i < program->run_count; i++) {
        char where[64];
        snprintf(where, sizeof where, "runs[%zu].", i);
        if (take_run(fields, json_array_get(list, i), where, &program->runs[i]) != 0)
            return -1;
    }
    return 0;
}

int ws_program_read(const char *path, struct ws_program *program, struct ws_error *error)
{
    const struct ws_fields fields = {path, &program->arena, error, profile};
    json_t *root;
    int result;

    memset(program, 0, sizeof *program);
    program->path = ws_arena_strdup(&program->arena, path);
    root = ws_fields_load(&fields, WS_PROGRAM_KIND, WS_PROGRAM_FORMAT);
    result = root ? take(&fields, root, program) : -1;
    json_decref(root);
    return result;
}

void ws_program_free(struct ws_program *program)
{
    ws_arena_free(&program->arena);
    memset(program, 0, sizeof *program);
}

/* ---- writing ---- */

static void set_numbers(json_t *object, const char *key, const char *const *keys, const double *numbers,
                        size_t count)
{
    json_t *part = json_object();

    for (size_t i = 0; i < count; i++)
        json_object_set_new(part, keys[i], ws_fields_real(numbers[i]));
    json_object_set_new(object, key, part);
}

static json_t *cache_tree(const struct ws_program_run *run)
{
    json_t *cache = json_object(), *curve = json_array();

    json_object_set_new(cache, "line_bytes", ws_fields_real(run->line_bytes));
    for (size_t i = 0; i < run->curve_count; i++) {
        json_t *point = json_object();
        json_object_set_new(point, "size_bytes", ws_fields_real(run->curve[i].size_bytes));
        json_object_set_new(point, "misses", ws_fields_real(run->curve[i].misses));
        json_object_set_new(point, "regular", ws_fields_real(run->curve[i].regular));
        json_array_append_new(curve, point);
    }
    json_object_set_new(cache, "curve", curve);
    return cache;
}

static json_t *run_tree(const struct ws_program_run *run)
{
    const struct {
        const char *key;
        double number;
    } numbers[] = {{"uncertainty", run->uncertainty},
                   {"wall_s", run->wall_s},
                   {"cpu_s", run->cpu_s},
                   {"user_s", run->user_s},
                   {"system_s", run->system_s},
                   {"spread", run->spread},
                   {"repeats", run->repeats},
                   {"processes", run->processes},
                   {"threads", run->threads},
                   {"ranks", run->ranks}};
    json_t *tree = json_object();

    json_object_set_new(tree, "size", run->size > 0 ? ws_fields_real(run->size) : json_null());
    json_object_set_new(tree, "source", ws_fields_string(run->source ? run->source : ""));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(tree, numbers[i].key, ws_fields_real(numbers[i].number));
    if (run->has_counts) {
        set_numbers(tree, "counts", ws_count_keys, run->counts, WS_COUNTS);
        json_object_set_new(tree, "cache", cache_tree(run));
    }
    set_numbers(tree, "io", ws_io_keys, run->io, WS_IOS);
    if (run->has_paper)
        set_numbers(tree, "paper", paper_keys, run->paper, WS_PAPER_PARAMETERS);
    return tree;
}

int ws_program_write(const struct ws_program *program, const char *path, struct ws_error *error)
{
    json_t *root = json_object(), *runs = json_array();

    json_object_set_new(root, "format", json_integer(WS_PROGRAM_FORMAT));
    json_object_set_new(root, "kind", json_string(WS_PROGRAM_KIND));
    json_object_set_new(root, "command", ws_fields_string(program->command));
    json_object_set_new(root, "architecture", ws_fields_string(program->architecture));
    for (size_t i = 0; i < program->run_count; i++)
        json_array_append_new(runs, run_tree(&program->runs[i]));
    json_object_set_new(root, "runs", runs);
    return ws_fields_save(path, root, error);
}
