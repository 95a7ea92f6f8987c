/* A comparison for programs.  docs/report.md describes it; keys are never taken away. */
#include "report/formats.h"
#include "report/report.h"
#include "report/tree.h"

#include <math.h>

static const char *const ways[WS_AGAIN_COUNT] = {
    [WS_AGAIN_SAME_LINES] = "same lines",     [WS_AGAIN_MOVED] = "moved",
    [WS_AGAIN_FILE_RENAMED] = "file renamed", [WS_AGAIN_FUNCTION_RENAMED] = "function renamed",
    [WS_AGAIN_OTHER_CAUSE] = "other cause",   [WS_AGAIN_OTHER_CALL] = "other call"};

static json_t *seconds(double s)
{
    return ws_tree_rounded(s, 1e-9);
}

static json_t *percent(double part, double whole)
{
    return ws_tree_rounded(ws_report_share(part, whole), 1e-4);
}

static json_t *side(const struct ws_side *side, const struct ws_side_sum *sum)
{
    const struct ws_diagnosis *first = &side->runs[0];
    json_t *entry = json_object(), *warnings = json_array();

    for (size_t i = 0; i < first->warning_count; i++)
        json_array_append_new(warnings, ws_tree_string(first->warnings[i]));
    json_object_set_new(entry, "path", ws_tree_string(side->paths[0]));
    json_object_set_new(entry, "runs", ws_tree_count(side->count));
    json_object_set_new(entry, "command", ws_tree_string(first->command));
    json_object_set_new(entry, "mpi", ws_tree_string(first->mpi));
    json_object_set_new(entry, "ranks", ws_tree_count(first->ranks));
    json_object_set_new(entry, "wall_s", seconds(sum->wall_s));
    json_object_set_new(entry, "total_s", seconds(sum->total_s));
    json_object_set_new(entry, "waiting_s", seconds(sum->waiting_s));
    json_object_set_new(entry, "waiting_percent", percent(sum->waiting_s, sum->total_s));
    json_object_set_new(entry, "threshold_percent", json_real(first->threshold_percent));
    json_object_set_new(entry, "warnings", warnings);
    return entry;
}

static void add_change(json_t *entry, const struct ws_change *change)
{
    json_object_set_new(entry, "before_s", seconds(change->before_s));
    json_object_set_new(entry, "after_s", seconds(change->after_s));
    json_object_set_new(entry, "gain_s", seconds(change->gain_s));
    json_object_set_new(entry, "gain_percent",
                        change->before_s > 0 ? percent(change->gain_s, change->before_s) : json_null());
    json_object_set_new(entry, "noise_s", seconds(change->noise_s));
    json_object_set_new(entry, "clear", json_boolean(change->clear));
}

static json_t *change(const struct ws_change *change)
{
    json_t *entry = json_object();

    add_change(entry, change);
    return entry;
}

static json_t *noise(const struct ws_comparison *comparison)
{
    const struct ws_change *wall = &comparison->wall;
    json_t *entry = json_object();

    json_object_set_new(entry, "measured", json_boolean(comparison->measured));
    json_object_set_new(entry, "percent",
                        comparison->measured ? percent(wall->noise_s, fmax(wall->before_s, wall->after_s))
                                             : json_real(comparison->noise_percent));
    json_object_set_new(entry, "floor_percent", json_real(comparison->threshold_percent));
    return entry;
}

/* ---- problems ---- */

static void add_side(json_t *entry, const struct ws_problem_side *side, const char *const keys[4])
{
    json_object_set_new(entry, keys[0], ws_tree_rounded(side->percent, 1e-4));
    json_object_set_new(entry, keys[1], ws_tree_count(side->problem ? side->problem->count : 0));
    json_object_set_new(entry, keys[2],
                        side->index == WS_NOT_AGAIN ? json_null() : ws_tree_count(side->index));
    if (side->at_most_s > 0)
        json_object_set_new(entry, keys[3], seconds(side->at_most_s));
}

static json_t *place(const struct ws_place *place)
{
    return place ? ws_tree_place(place) : json_null();
}

static void add_site(json_t *list, const struct ws_place *before, const struct ws_place *after, bool waits,
                     bool causes)
{
    json_t *entry;

    if (!before && !after)
        return;
    entry = json_object();
    json_object_set_new(entry, "role", ws_tree_string(after ? after->role : before->role));
    json_object_set_new(entry, "waits", json_boolean(waits));
    json_object_set_new(entry, "causes", json_boolean(causes));
    json_object_set_new(entry, "before", place(before));
    json_object_set_new(entry, "after", place(after));
    json_array_append_new(list, entry);
}

static json_t *sites(const struct ws_compared_problem *problem)
{
    const struct ws_problem *before = problem->before.problem, *after = problem->after.problem;
    const struct ws_place *before_waits = before ? ws_problem_waits_at(before) : NULL;
    const struct ws_place *after_waits = after ? ws_problem_waits_at(after) : NULL;
    const struct ws_place *before_cause = before ? ws_problem_caused_at(before) : NULL;
    const struct ws_place *after_cause = after ? ws_problem_caused_at(after) : NULL;
    bool same = before_waits == before_cause && after_waits == after_cause;
    json_t *list = json_array();

    add_site(list, before_waits, after_waits, true, same);
    if (!same)
        add_site(list, before_cause, after_cause, false, true);
    return list;
}

static json_t *problem_entry(const struct ws_compared_problem *problem)
{
    static const char *const before[] = {"before_percent", "before_count", "before_index",
                                         "before_at_most_s"};
    static const char *const after[] = {"after_percent", "after_count", "after_index", "after_at_most_s"};
    json_t *entry = json_object();

    json_object_set_new(entry, "status", ws_tree_string(ws_status_names[problem->status]));
    json_object_set_new(entry, "id", ws_tree_string(problem->id));
    json_object_set_new(entry, "name", ws_tree_string(problem->name));
    add_change(entry, &problem->change);
    add_side(entry, &problem->before, before);
    add_side(entry, &problem->after, after);
    json_object_set_new(entry, "matched",
                        problem->before.problem && problem->after.problem ? json_string(ways[problem->by])
                                                                          : json_null());
    json_object_set_new(entry, "sites", sites(problem));
    return entry;
}

/* ---- all of it ---- */

json_t *ws_comparison_tree(const struct ws_comparison *comparison)
{
    json_t *root = json_object(), *problems = json_array(), *counts = json_object(), *small = json_object(),
           *warnings = json_array();

    for (size_t i = 0; i < comparison->problem_count; i++)
        json_array_append_new(problems, problem_entry(&comparison->problems[i]));
    for (size_t i = 0; i < WS_STATUS_COUNT; i++)
        json_object_set_new(counts, ws_status_names[i], ws_tree_count(comparison->counts[i]));
    for (size_t i = 0; i < comparison->warning_count; i++)
        json_array_append_new(warnings, ws_tree_string(comparison->warnings[i]));
    json_object_set_new(small, "problems", ws_tree_count(comparison->small_count));
    json_object_set_new(root, "format", json_integer(WS_REPORT_JSON_FORMAT));
    json_object_set_new(root, "before", side(&comparison->before, &comparison->before_sum));
    json_object_set_new(root, "after", side(&comparison->after, &comparison->after_sum));
    json_object_set_new(root, "wall", change(&comparison->wall));
    json_object_set_new(root, "waiting", change(&comparison->waiting));
    json_object_set_new(root, "per_rank", json_boolean(comparison->per_rank));
    json_object_set_new(root, "noise", noise(comparison));
    json_object_set_new(root, "problems", problems);
    json_object_set_new(root, "counts", counts);
    json_object_set_new(root, "below_threshold", small);
    json_object_set_new(root, "warnings", warnings);
    return root;
}

int ws_compare_json(const struct ws_comparison *comparison, FILE *out)
{
    return ws_tree_write(ws_comparison_tree(comparison), out);
}
