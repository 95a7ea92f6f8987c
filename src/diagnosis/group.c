/* From instances to the ranked list: one entry for each problem at each pair of call sites. */
#include "diagnosis/findings.h"

#include <stdlib.h>

/* ---- one problem ---- */

struct ws_place ws_place_at(const struct ws_site *site, const char *role, const char *called,
                            struct ws_arena *arena)
{
    return (struct ws_place){
        .role = ws_arena_strdup(arena, role),
        .called = ws_arena_strdup(arena, called),
        .function = ws_arena_strdup(arena, site->function),
        .file = ws_arena_strdup(arena, site->file),
        .module = ws_arena_strdup(arena, site->module),
        .line = site->line,
        .offset = site->offset,
    };
}

static void add_place(const struct ws_findings *findings, struct ws_problem *problem,
                      const struct ws_call_place *call, bool waiting, bool cause, struct ws_arena *arena)
{
    const struct ws_names *names = &findings->names;
    struct ws_place place = ws_place_at(&names->spots[call->spot], ws_names_text(names, call->role),
                                        ws_names_text(names, call->called), arena);

    place.waiting = waiting;
    place.cause = cause;
    problem->places[problem->place_count++] = place;
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

/* The part with the greatest share of the group's time; of equal ones that of the earlier rule. */
static uint32_t main_part(const struct ws_findings *findings, uint32_t group)
{
    const struct ws_ledger *ledger = &findings->ledger;
    uint32_t best = UINT32_MAX;

    for (uint32_t p = 0; p < findings->part_count && p < ledger->part_count; p++) {
        const struct ws_part_sum *sum = &ledger->parts[p];
        if (findings->parts[p].group != group || sum->count == 0)
            continue;
        if (best == UINT32_MAX || sum->duration_ns > ledger->parts[best].duration_ns ||
            (sum->duration_ns == ledger->parts[best].duration_ns &&
             findings->parts[p].ruling < findings->parts[best].ruling))
            best = p;
    }
    return best;
}

static void fill_texts(const struct ws_findings *findings, uint32_t part, struct ws_problem *problem,
                       struct ws_arena *arena)
{
    const struct ws_ruling *ruling = &findings->rulings[findings->parts[part].ruling];
    const struct ws_problem_rule *rule = ruling->rule;
    const struct ws_fold *folds = findings->ledger.parts[part].folds;

    problem->id = ws_arena_strdup(arena, rule->scope->id);
    problem->remedy = rule->remedy;
    problem->name = ws_arena_strdup(arena, rule->name ? rule->name : rule->scope->id);
    problem->description = ws_template_fill(&findings->names, rule, rule->description, folds, arena);
    problem->advice = ws_template_fill(&findings->names, rule, rule->advice,
                                       folds + ruling->description_places, arena);
}

static void fill_problem(const struct ws_findings *findings, uint32_t group, double severity_percent,
                         struct ws_problem *problem, struct ws_arena *arena)
{
    const struct ws_group_sum *sum = &findings->ledger.groups[group];

    problem->group = group;
    problem->severity_percent = severity_percent;
    problem->duration_ns = sum->duration_ns;
    problem->count = sum->count;
    problem->waiting = ws_shares_list(&sum->waiting, arena);
    problem->waiting_count = sum->waiting.count;
    problem->causing = ws_shares_list(&sum->causing, arena);
    problem->causing_count = sum->causing.count;
    fill_places(findings, &findings->groups[group], problem, arena);
    fill_texts(findings, main_part(findings, group), problem, arena);
}

/* ---- all problems ---- */

static int worst_first(const void *left, const void *right, void *context)
{
    const struct ws_findings *findings = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int64_t a_ns = findings->ledger.groups[a].duration_ns, b_ns = findings->ledger.groups[b].duration_ns;

    if (a_ns != b_ns)
        return a_ns > b_ns ? -1 : 1;
    return ws_group_compare(&findings->names, &findings->groups[a], &findings->groups[b]);
}

#define ANY_PHASE UINT32_MAX

/* The numbers of the groups with some time, the worst first (free()). */
static uint32_t *ranking(const struct ws_findings *findings, uint32_t phase, size_t *count)
{
    uint32_t *ranked = ws_alloc_array(findings->group_count, sizeof *ranked);

    *count = 0;
    for (uint32_t i = 0; i < findings->group_count && i < findings->ledger.group_count; i++)
        if (findings->ledger.groups[i].count && (phase == ANY_PHASE || findings->groups[i].phase == phase))
            ranked[(*count)++] = i;
    qsort_r(ranked, *count, sizeof *ranked, worst_first, (void *)findings);
    return ranked;
}

static double percent_of(int64_t duration_ns, int64_t total_ns)
{
    return total_ns > 0 ? 100.0 * (double)duration_ns / (double)total_ns : 0;
}

void ws_findings_group(const struct ws_findings *findings, struct ws_diagnosis *diagnosis)
{
    size_t count;
    uint32_t *ranked = ranking(findings, ANY_PHASE, &count);

    diagnosis->problems = ws_arena_alloc(&diagnosis->arena, (count + 1) * sizeof(struct ws_problem));
    for (size_t i = 0; i < count; i++) {
        int64_t duration_ns = findings->ledger.groups[ranked[i]].duration_ns;
        double severity_percent = percent_of(duration_ns, diagnosis->total_ns);
        if (severity_percent < diagnosis->threshold_percent) {
            diagnosis->small_count++;
            diagnosis->small_ns = ws_add_ns(diagnosis->small_ns, duration_ns);
        } else {
            fill_problem(findings, ranked[i], severity_percent,
                         &diagnosis->problems[diagnosis->problem_count++], &diagnosis->arena);
        }
    }
    free(ranked);
}

void ws_findings_group_phase(const struct ws_findings *findings, uint32_t phase, double threshold_percent,
                             struct ws_phase_problems *list, struct ws_arena *arena)
{
    size_t count;
    uint32_t *ranked = ranking(findings, phase, &count);

    list->problems = ws_arena_alloc(arena, (count + 1) * sizeof *list->problems);
    for (size_t i = 0; i < count; i++) {
        double severity_percent = percent_of(findings->ledger.groups[ranked[i]].duration_ns, list->total_ns);
        if (severity_percent >= threshold_percent)
            fill_problem(findings, ranked[i], severity_percent, &list->problems[list->problem_count++], arena);
    }
    free(ranked);
}
