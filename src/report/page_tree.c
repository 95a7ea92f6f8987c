/* What a page tells of a run, as JSON: the report for programs, and what makes it a page. */
#include "report/page_tree.h"

#include "diagnosis/efficiency.h"
#include "report/exchange.h"
#include "report/formats.h"
#include "report/timeline/pairs.h"
#include "report/tree.h"
#include "trace/run.h"

#include <string.h>
#include <sys/stat.h>

#define MOST_PHASES 1000

/* ---- the report ---- */

static json_t *since_begin(const struct ws_page *page, int64_t ns)
{
    return json_real(((double)ns - (double)page->begin_ns) / 1e9);
}

static void add_run(const struct ws_page *page, json_t *run)
{
    struct ws_error error;
    struct ws_run known;
    bool is_known = ws_run_read(page->directory, &known, &error) == 0;

    json_object_set_new(run, "begin_s", json_real(0));
    json_object_set_new(run, "end_s", since_begin(page, page->end_ns));
    json_object_set_new(run, "started", ws_tree_string(is_known ? known.started : ""));
    json_object_set_new(run, "host", ws_tree_string(is_known ? known.host : ""));
    json_object_set_new(run, "program",
                        ws_tree_string(page->info->executable ? ws_base_name(page->info->executable) : ""));
    json_object_set_new(run, "total_s", ws_tree_seconds(page->diagnosis.total_ns));
    json_object_set_new(run, "whyslow", ws_tree_string(WHYSLOW_VERSION));
    if (is_known)
        ws_run_free(&known);
}

/* Waiting is a part of the time in calls, whatever rules of one's own find. */
static json_t *rank_entry(const struct ws_page *page, const struct ws_trace_rank *rank)
{
    int64_t total_ns = ws_rank_time_ns(rank), calls_ns = ws_rank_calls_ns(rank);
    int64_t waiting_ns = page->waits.rank_ns[page->row_of[rank->rank]];
    json_t *entry = json_object();

    waiting_ns = waiting_ns < calls_ns ? waiting_ns : calls_ns;
    json_object_set_new(entry, "rank", ws_tree_count(rank->rank));
    json_object_set_new(entry, "node", ws_tree_string(rank->host));
    json_object_set_new(entry, "total_s", ws_tree_seconds(total_ns));
    json_object_set_new(entry, "compute_s", ws_tree_seconds(total_ns - calls_ns));
    json_object_set_new(entry, "communication_s", ws_tree_seconds(calls_ns - waiting_ns));
    json_object_set_new(entry, "waiting_s", ws_tree_seconds(waiting_ns));
    json_object_set_new(entry, "lost", ws_tree_count(rank->lost));
    json_object_set_new(entry, "begin_s", since_begin(page, rank->begin_ns));
    json_object_set_new(entry, "end_s", since_begin(page, rank->end_ns));
    return entry;
}

static json_t *rank_list(const struct ws_page *page)
{
    json_t *list = json_array();

    for (uint32_t r = 0; r < page->info->ranks; r++)
        if (page->info->rank[r].present)
            json_array_append_new(list, rank_entry(page, &page->info->rank[r]));
    return list;
}

/* The program's phases, as the first rank that has any marked them. */
static json_t *phase_list(const struct ws_page *page)
{
    json_t *list = json_array();
    uint32_t r = 0;

    while (r < page->info->ranks && page->info->rank[r].phase_count == 0)
        r++;
    for (size_t i = 0; r < page->info->ranks && i < page->info->rank[r].phase_count && i < MOST_PHASES; i++) {
        const struct ws_trace_rank *rank = &page->info->rank[r];
        bool last = i + 1 == rank->phase_count;
        json_t *entry = json_object();
        json_object_set_new(entry, "name", ws_tree_string(rank->phases[i].name));
        json_object_set_new(entry, "begin_s", since_begin(page, rank->phases[i].begin_ns));
        json_object_set_new(entry, "end_s",
                            since_begin(page, last ? rank->end_ns : rank->phases[i + 1].begin_ns));
        json_array_append_new(list, entry);
    }
    return list;
}

/* ---- problems ---- */

static json_t *rank_or_null(uint32_t rank)
{
    return rank == UINT32_MAX ? json_null() : ws_tree_count(rank);
}

static json_t *histogram(const struct ws_page *page, const struct ws_wait_group *group)
{
    json_t *entry = json_object(), *bins = json_array();

    for (size_t i = 0; i < WS_HISTOGRAM_BINS; i++)
        json_array_append_new(bins, ws_tree_seconds(group->histogram_ns[i]));
    json_object_set_new(entry, "begin_s", json_real(0));
    json_object_set_new(entry, "width_s",
                        json_real(((double)page->end_ns - (double)page->begin_ns) / 1e9 / WS_HISTOGRAM_BINS));
    json_object_set_new(entry, "duration_s", bins);
    return entry;
}

static json_t *edge_list(const struct ws_wait_group *group)
{
    json_t *list = json_array();

    for (size_t i = 0; i < group->edge_count; i++) {
        const struct ws_wait_edge *edge = &group->edges[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "rank", ws_tree_count(edge->rank));
        json_object_set_new(entry, "for", rank_or_null(edge->cause_rank));
        json_object_set_new(entry, "duration_s", ws_tree_seconds(edge->duration_ns));
        json_object_set_new(entry, "count", ws_tree_count(edge->count));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *instance_list(const struct ws_page *page, const struct ws_wait_group *group)
{
    json_t *list = json_array();

    for (size_t i = 0; i < group->instance_count; i++) {
        const struct ws_wait_instance *instance = &group->instances[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "rank", ws_tree_count(instance->rank));
        json_object_set_new(entry, "start_s", since_begin(page, instance->from_ns));
        json_object_set_new(entry, "duration_s", ws_tree_seconds(instance->duration_ns));
        json_object_set_new(entry, "for", rank_or_null(instance->cause_rank));
        json_array_append_new(list, entry);
    }
    return list;
}

static bool was_changed_before(const char *path, int64_t moment_s)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_mtime < moment_s;
}

/* Was the source changed after the program was built, or after it ran (it may have been built again since)? */
static bool is_newer(const struct ws_page *page, const struct ws_place *place, int64_t changed_s)
{
    struct ws_text schema = {0};
    bool newer;

    ws_text_printf(&schema, "%s/trace.json", page->directory);
    newer = was_changed_before(place->module, changed_s) || was_changed_before(schema.bytes, changed_s);
    ws_text_free(&schema);
    return newer;
}

/* A relative path is looked for below the current folder, then beside the trace, where the command ran as a
 * rule. */
static bool find_source(const struct ws_page *page, const struct ws_place *place, struct ws_excerpt *excerpt)
{
    struct ws_text path = {0};
    bool found = ws_source_excerpt(place->file, place->line, excerpt);

    if (!found && place->file[0] && place->file[0] != '/') {
        ws_text_printf(&path, "%s/../%s", page->directory, place->file);
        found = ws_source_excerpt(path.bytes, place->line, excerpt);
    }
    ws_text_free(&path);
    return found;
}

static void add_source(const struct ws_page *page, const struct ws_place *place, json_t *site)
{
    json_t *entry, *lines;
    struct ws_excerpt excerpt;

    if (page->options->no_source || !find_source(page, place, &excerpt))
        return;
    entry = json_object();
    lines = json_array();
    for (size_t i = 0; i < excerpt.count; i++)
        json_array_append_new(lines, ws_tree_string(excerpt.lines[i]));
    json_object_set_new(entry, "language", ws_tree_string(excerpt.language));
    json_object_set_new(entry, "first_line", json_integer(excerpt.first_line));
    json_object_set_new(entry, "lines", lines);
    json_object_set_new(entry, "line", json_integer(place->line));
    json_object_set_new(entry, "newer", json_boolean(is_newer(page, place, excerpt.changed_s)));
    json_object_set_new(entry, "cut", json_boolean(excerpt.cut));
    json_object_set_new(site, "source", entry);
    ws_excerpt_free(&excerpt);
}

static void add_to_problem(const struct ws_page *page, const struct ws_problem *problem, json_t *entry)
{
    static const struct ws_wait_group none;
    const struct ws_wait_group *group = ws_waits_group(&page->waits, problem->group);
    json_t *sites = json_object_get(entry, "sites");

    group = group ? group : &none;
    json_object_set_new(entry, "waits_for", edge_list(group));
    json_object_set_new(entry, "waits_for_more", ws_tree_count(group->edges_left_out));
    json_object_set_new(entry, "histogram", histogram(page, group));
    json_object_set_new(entry, "instances", instance_list(page, group));
    for (size_t i = 0; i < problem->place_count; i++)
        add_source(page, &problem->places[i], json_array_get(sites, i));
}

/* ---- what belongs to the timeline ---- */

static json_t *name_list(const struct ws_numbered *numbered)
{
    json_t *list = json_array();

    for (size_t i = 0; i < numbered->count; i++)
        json_array_append_new(list, ws_tree_string(numbered->list[i].s));
    return list;
}

static json_t *site_list(const struct ws_page *page)
{
    json_t *list = json_array();

    for (size_t i = 0; i < page->events.sites.count; i++) {
        const struct ws_site *site = ws_trace_site(page->trace, page->events.sites.list[i].i);
        json_t *entry = json_object();
        json_object_set_new(entry, "function", ws_tree_string(site->function));
        json_object_set_new(entry, "file", ws_tree_string(site->file));
        json_object_set_new(entry, "line", json_integer(site->line));
        json_object_set_new(entry, "module", ws_tree_string(site->module));
        json_object_set_new(entry, "offset", ws_tree_count(site->offset));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *type_entry(const struct ws_event_type *type)
{
    json_t *entry = json_object(), *params = json_array();

    for (size_t i = type->attribute_count; i < type->slot_count; i++) {
        json_t *param = json_object();
        json_object_set_new(param, "name", ws_tree_string(type->slots[i].name));
        json_object_set_new(param, "kind", ws_tree_string(ws_type_name(type->slots[i].type)));
        json_array_append_new(params, param);
    }
    json_object_set_new(entry, "name", ws_tree_string(type->name));
    json_object_set_new(entry, "params", params);
    return entry;
}

static json_t *level_list(const struct ws_page *page)
{
    double span_s = ((double)page->end_ns - (double)page->begin_ns) / 1e9;
    json_t *list = json_array();

    for (uint32_t l = 0; l < ws_levels_count(&page->levels); l++) {
        uint32_t bins = page->levels.bins >> l;
        json_t *entry = json_object();
        json_object_set_new(entry, "bins", ws_tree_count(bins));
        json_object_set_new(entry, "width_s", json_real(span_s / bins));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *timeline(const struct ws_page *page)
{
    json_t *entry = json_object(), *types = json_array();

    for (size_t t = 0; t < page->kb->simple_count; t++)
        json_array_append_new(types, type_entry(page->kb->types[t]));
    json_object_set_new(entry, "begin_s", json_real(0));
    json_object_set_new(entry, "end_s", since_begin(page, page->end_ns));
    json_object_set_new(entry, "functions", name_list(&page->events.functions));
    json_object_set_new(entry, "strings", name_list(&page->events.strings));
    json_object_set_new(entry, "sites", site_list(page));
    json_object_set_new(entry, "types", types);
    json_object_set_new(entry, "levels", level_list(page));
    json_object_set_new(entry, "events", ws_tree_count(page->events.seen));
    json_object_set_new(entry, "shown", ws_tree_count(page->events.count));
    json_object_set_new(entry, "messages", ws_tree_count(page->events.message_count));
    return entry;
}

/* With the run that the page shows as the first of its side. */
/* Nothing where nothing was moved, or the runtime's rules say nothing of it. */
static json_t *exchange_of(const struct ws_page *page)
{
    struct ws_exchange shown = page->exchange;
    json_t *tree;

    if (shown.part_count == 0)
        return json_null();
    if (!ws_pairs_are_many(&shown))
        return ws_exchange_tree(&shown);
    shown.pair_count = 0;
    tree = ws_exchange_tree(&shown);
    json_object_set_new(tree, "pairs_in_timeline", ws_tree_count(page->exchange.pair_count));
    return tree;
}

static json_t *comparison(const struct ws_page *page)
{
    const struct ws_side *further = page->options->further;
    const struct ws_compare_options options = {page->options->noise_percent, page->options->threshold_percent};
    size_t count = 1 + (further ? further->count : 0);
    struct ws_diagnosis *runs = ws_alloc_array(count, sizeof *runs);
    const char **paths = ws_alloc_array(count, sizeof *paths);
    const struct ws_side after = {runs, paths, count};
    struct ws_comparison comparison;
    json_t *tree = json_null();

    runs[0] = page->diagnosis;
    paths[0] = page->directory;
    for (size_t i = 1; i < count; i++) {
        runs[i] = further->runs[i - 1];
        paths[i] = further->paths[i - 1];
    }
    if (page->options->before) {
        ws_compare_sides(page->options->before, &after, &options, &comparison);
        tree = ws_comparison_tree(&comparison);
        ws_comparison_free(&comparison);
    }
    free(runs);
    free(paths);
    return tree;
}

json_t *ws_page_tree(const struct ws_page *page)
{
    json_t *root = ws_report_tree(&page->diagnosis), *problems = json_object_get(root, "problems");

    json_object_set_new(root, "format", json_integer(1));
    add_run(page, json_object_get(root, "run"));
    json_object_set_new(root, "ranks", rank_list(page));
    for (size_t i = 0; i < page->diagnosis.problem_count; i++)
        add_to_problem(page, &page->diagnosis.problems[i], json_array_get(problems, i));
    json_object_set_new(root, "phases", phase_list(page));
    json_object_set_new(root, "exchange", exchange_of(page));
    json_object_set_new(root, "compare", comparison(page));
    json_object_set_new(root, "timeline", timeline(page));
    return root;
}
