/* From instances to the ranked list: one entry for each problem at each pair of call sites. */
#include "diagnosis/findings.h"

#include <stdlib.h>

struct view {
    const struct ws_findings *findings;
};

static const struct ws_part *part_of(const struct ws_findings *findings, size_t instance)
{
    return &findings->parts[findings->instances[instance].part];
}

static int three_way(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_group(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    size_t i = *(const size_t *)left, j = *(const size_t *)right;
    int order = three_way(part_of(view->findings, i)->group, part_of(view->findings, j)->group);

    if (order == 0)
        order = three_way(view->findings->instances[i].rank, view->findings->instances[j].rank);
    return order ? order : three_way(i, j);
}

static int by_cause(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    size_t i = *(const size_t *)left, j = *(const size_t *)right;
    int order = three_way(view->findings->instances[i].cause_rank, view->findings->instances[j].cause_rank);
    return order ? order : three_way(i, j);
}

static int worst_group_first(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
    const struct ws_group *a = &view->findings->groups[i], *b = &view->findings->groups[j];

    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    return a->scope != b->scope ? three_way(a->scope, b->scope) : three_way(i, j);
}

/* ---- sums ---- */

/* Adds up groups and parts, and finds each group's main part; ties go to the earlier rule. */
static void add_up(struct ws_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        struct ws_part *part = &findings->parts[findings->instances[i].part];
        struct ws_group *group = &findings->groups[part->group];
        int64_t kept_ns = findings->instances[i].duration_ns;
        if (kept_ns <= 0)
            continue;
        part->duration_ns = ws_add_ns(part->duration_ns, kept_ns);
        group->duration_ns = ws_add_ns(group->duration_ns, kept_ns);
        group->count++;
        group->main_part = findings->instances[i].part;
    }
    for (size_t i = 0; i < findings->part_count; i++) {
        const struct ws_part *part = &findings->parts[i];
        struct ws_group *group = &findings->groups[part->group];
        const struct ws_part *best = &findings->parts[group->main_part];
        if (group->count && (part->duration_ns > best->duration_ns ||
                             (part->duration_ns == best->duration_ns && part->ruling < best->ruling)))
            group->main_part = (uint32_t)i;
    }
}

/* The instances that keep some time, by group, rank and arrival (free()). */
static size_t *kept_by_group(const struct ws_findings *findings, size_t *count)
{
    size_t *kept = ws_alloc_array(findings->count, sizeof *kept);
    struct view view = {findings};

    *count = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->instances[i].duration_ns > 0)
            kept[(*count)++] = i;
    qsort_r(kept, *count, sizeof *kept, by_group, &view);
    return kept;
}

/* ---- one problem ---- */

static uint32_t rank_in(const struct ws_instance *instance, bool causing)
{
    return causing ? instance->cause_rank : instance->rank;
}

/* The shares of the ranks; `members` are sorted by that rank. */
static struct ws_rank_share *shares_of(const struct ws_findings *findings, const size_t *members,
                                       size_t count, bool causing, size_t *share_count,
                                       struct ws_arena *arena)
{
    struct ws_rank_share *shares;
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += i == 0 || rank_in(&findings->instances[members[i]], causing) !=
                           rank_in(&findings->instances[members[i - 1]], causing);
    shares = ws_arena_alloc(arena, (n ? n : 1) * sizeof *shares);
    n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct ws_instance *instance = &findings->instances[members[i]];
        uint32_t rank = rank_in(instance, causing);
        if (rank == WS_NO_RANK)
            continue;
        if (n == 0 || shares[n - 1].rank != rank)
            shares[n++].rank = rank;
        shares[n - 1].duration_ns = ws_add_ns(shares[n - 1].duration_ns, instance->duration_ns);
        shares[n - 1].count++;
    }
    *share_count = n;
    return shares;
}

static void fill_shares(const struct ws_findings *findings, const size_t *members, size_t count,
                        struct ws_problem *problem, struct ws_arena *arena)
{
    struct view view = {findings};
    size_t *sorted = ws_alloc_array(count, sizeof *sorted);

    problem->waiting = shares_of(findings, members, count, false, &problem->waiting_count, arena);
    for (size_t i = 0; i < count; i++)
        sorted[i] = members[i];
    qsort_r(sorted, count, sizeof *sorted, by_cause, &view);
    problem->causing = shares_of(findings, sorted, count, true, &problem->causing_count, arena);
    free(sorted);
}

static void add_place(const struct ws_findings *findings, struct ws_problem *problem,
                      const struct ws_call_place *call, bool waiting, bool cause, struct ws_arena *arena)
{
    const struct ws_spot *spot = &findings->spots[call->spot];

    problem->places[problem->place_count++] = (struct ws_place){
        .role = ws_arena_strdup(arena, findings->strings.items[call->role].bytes),
        .called = ws_arena_strdup(arena, findings->strings.items[call->called].bytes),
        .function = ws_arena_strdup(arena, spot->function),
        .file = ws_arena_strdup(arena, spot->file),
        .module = ws_arena_strdup(arena, spot->module),
        .line = spot->line,
        .offset = spot->offset,
        .waiting = waiting,
        .cause = cause,
    };
}

/* One place for both where rank waits for rank in the same call, as in a collective. */
static void fill_places(const struct ws_findings *findings, const struct ws_group *group,
                        struct ws_problem *problem, struct ws_arena *arena)
{
    bool same = group->has_cause && group->waiting.called == group->cause.called &&
                group->waiting.spot == group->cause.spot;

    problem->places = ws_arena_alloc(arena, (group->other_count + 2) * sizeof *problem->places);
    add_place(findings, problem, &group->waiting, true, same, arena);
    if (group->has_cause && !same)
        add_place(findings, problem, &group->cause, false, true, arena);
    for (size_t i = 0; i < group->other_count; i++)
        add_place(findings, problem, &group->others[i], false, false, arena);
}

static void fill_texts(const struct ws_findings *findings, const size_t *members, size_t count,
                       uint32_t main_part, struct ws_problem *problem, struct ws_arena *arena)
{
    const struct ws_ruling *ruling = &findings->rulings[findings->parts[main_part].ruling];
    const struct ws_problem_rule *rule = ruling->rule;
    const union ws_value **rows = ws_alloc_array(count, sizeof *rows);
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (findings->instances[members[i]].part == main_part)
            rows[n++] = findings->values + findings->instances[members[i]].values;
    problem->id = ws_arena_strdup(arena, rule->scope->id);
    problem->name = ws_arena_strdup(arena, rule->name ? rule->name : rule->scope->id);
    problem->description = ws_template_fill(findings, rule, rule->description, rows, n, 0, arena);
    problem->advice =
        ws_template_fill(findings, rule, rule->advice, rows, n, ruling->description_places, arena);
    free(rows);
}

static void fill_problem(const struct ws_findings *findings, uint32_t number, const size_t *members,
                         double severity_percent, struct ws_problem *problem, struct ws_arena *arena)
{
    const struct ws_group *group = &findings->groups[number];

    problem->severity_percent = severity_percent;
    problem->duration_ns = group->duration_ns;
    problem->count = group->count;
    fill_shares(findings, members, group->count, problem, arena);
    fill_places(findings, group, problem, arena);
    fill_texts(findings, members, group->count, group->main_part, problem, arena);
}

/* ---- all problems ---- */

/* The numbers of the groups with some time, the worst first (free()). */
static uint32_t *ranking(const struct ws_findings *findings, size_t *count)
{
    uint32_t *ranked = ws_alloc_array(findings->group_count, sizeof *ranked);
    struct view view = {findings};

    *count = 0;
    for (size_t i = 0; i < findings->group_count; i++)
        if (findings->groups[i].count)
            ranked[(*count)++] = (uint32_t)i;
    qsort_r(ranked, *count, sizeof *ranked, worst_group_first, &view);
    return ranked;
}

void ws_findings_group(struct ws_findings *findings, struct ws_diagnosis *diagnosis)
{
    size_t ranked_count, kept_count, begin = 0;
    size_t *first = ws_alloc_array(findings->group_count, sizeof *first); /* group -> its first in kept */
    size_t *kept = kept_by_group(findings, &kept_count);
    uint32_t *ranked;

    add_up(findings);
    for (size_t i = 0; i < findings->group_count; begin += findings->groups[i++].count)
        first[i] = begin;
    ranked = ranking(findings, &ranked_count);
    diagnosis->problems = ws_arena_alloc(&diagnosis->arena, (ranked_count + 1) * sizeof(struct ws_problem));
    for (size_t i = 0; i < ranked_count; i++) {
        const struct ws_group *group = &findings->groups[ranked[i]];
        double severity_percent =
            diagnosis->total_ns > 0 ? 100.0 * (double)group->duration_ns / (double)diagnosis->total_ns : 0;
        if (severity_percent < diagnosis->threshold_percent) {
            diagnosis->small_count++;
            diagnosis->small_ns = ws_add_ns(diagnosis->small_ns, group->duration_ns);
        } else {
            fill_problem(findings, ranked[i], kept + first[ranked[i]], severity_percent,
                         &diagnosis->problems[diagnosis->problem_count++], &diagnosis->arena);
        }
    }
    free(ranked);
    free(kept);
    free(first);
}
