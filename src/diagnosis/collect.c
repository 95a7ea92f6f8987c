/* Takes the engine's findings while their events live, and keeps of each what the report will need. */
#include "diagnosis/findings.h"

#include <stdlib.h>
#include <string.h>

static uint32_t string_number(struct ws_findings *findings, const char *string)
{
    if (!string)
        string = "";
    return ws_intern(&findings->strings, string, strlen(string));
}

/* ---- call sites ---- */

static uint32_t spot_of_site(struct ws_findings *findings, const struct ws_site *site)
{
    struct ws_text key = {0};
    struct ws_spot *spot;
    uint32_t number;

    if (!site || (!site->file[0] && !site->module[0] && !site->function[0]))
        return 0;
    if (site->file[0])
        ws_text_printf(&key, "%s\n%d\n%s", site->file, site->line, site->function);
    else
        ws_text_printf(&key, "\n%s\n%llx", site->module, (unsigned long long)site->offset);
    number = ws_intern(&findings->spot_names, key.bytes, key.length);
    ws_text_free(&key);
    if (number < findings->spot_count)
        return number;
    WS_PUSH(findings->spots, findings->spot_count, findings->spot_capacity) = (struct ws_spot){0};
    spot = &findings->spots[number];
    spot->function = ws_arena_strdup(&findings->spot_names.arena, site->function);
    spot->file = ws_arena_strdup(&findings->spot_names.arena, site->file);
    spot->module = ws_arena_strdup(&findings->spot_names.arena, site->module);
    spot->line = site->line;
    spot->offset = site->offset;
    return number;
}

uint32_t ws_findings_spot(struct ws_findings *findings, int64_t site)
{
    uint32_t number = ws_intern(&findings->site_names, &site, sizeof site);

    if (number == findings->site_spot_count) {
        uint32_t spot = spot_of_site(findings, findings->sites.site(findings->sites.context, site));
        WS_PUSH(findings->site_spots, findings->site_spot_count, findings->site_spot_capacity) = spot;
    }
    return findings->site_spots[number];
}

/* ---- groups ---- */

/* The role that an event plays: its member's name; `otherwise` where the engine names none. */
static const char *role_of(const struct ws_finding *finding, const struct ws_event *event,
                           const char *otherwise)
{
    for (size_t i = 0; i < finding->action_count; i++)
        if (finding->actions[i].event == event && finding->actions[i].role)
            return finding->actions[i].role;
    return otherwise;
}

/* The call in which the operation completed. */
static struct ws_call_place completing(struct ws_findings *findings, const struct ws_event *event,
                                       const char *role)
{
    return (struct ws_call_place){string_number(findings, role),
                                  string_number(findings, event->value[WS_ATTR_FUNCTION].s),
                                  ws_findings_spot(findings, event->value[WS_ATTR_SITE].i)};
}

/* The call that started it: what comes late is the start, not the completion. */
static struct ws_call_place starting(struct ws_findings *findings, const struct ws_event *event,
                                     const char *role)
{
    const char *called = event->value[WS_ATTR_POSTED_FUNCTION].s;

    if (!called || !called[0])
        return completing(findings, event, role);
    return (struct ws_call_place){string_number(findings, role), string_number(findings, called),
                                  ws_findings_spot(findings, event->value[WS_ATTR_POSTED_SITE].i)};
}

static bool same_call(const struct ws_call_place *a, const struct ws_call_place *b)
{
    return a->called == b->called && a->spot == b->spot;
}

static void add_other(struct ws_group *group, struct ws_call_place place)
{
    if (same_call(&place, &group->waiting) || (group->has_cause && same_call(&place, &group->cause)))
        return;
    for (size_t i = 0; i < group->other_count; i++)
        if (same_call(&place, &group->others[i]))
            return;
    if (group->other_count < WS_MOST_OTHERS)
        WS_PUSH(group->others, group->other_count, group->other_capacity) = place;
}

/* The group of a finding, by problem id and the two call sites. */
static uint32_t group_of(struct ws_findings *findings, const struct ws_finding *finding)
{
    struct ws_group group = {.scope = finding->rule->scope->index, .has_cause = finding->cause != NULL};
    const char *role = role_of(finding, finding->waiting, "waiting");
    uint32_t key[6] = {group.scope, group.has_cause}, number;

    group.waiting = completing(findings, finding->waiting, role);
    key[2] = group.waiting.called;
    key[3] = group.waiting.spot;
    if (finding->cause) {
        group.cause = starting(findings, finding->cause, role_of(finding, finding->cause, "cause"));
        key[4] = group.cause.called;
        key[5] = group.cause.spot;
    }
    number = ws_intern(&findings->group_names, key, sizeof key);
    if (number == findings->group_count)
        WS_PUSH(findings->groups, findings->group_count, findings->group_capacity) = group;
    add_other(&findings->groups[number], starting(findings, finding->waiting, role));
    for (size_t i = 0; i < finding->action_count; i++)
        if (finding->actions[i].event != finding->waiting && finding->actions[i].event != finding->cause)
            add_other(&findings->groups[number],
                      starting(findings, finding->actions[i].event, finding->actions[i].role));
    return number;
}

static uint32_t part_of(struct ws_findings *findings, uint32_t group, uint32_t ruling)
{
    uint32_t key[2] = {group, ruling};
    uint32_t number = ws_intern(&findings->part_names, key, sizeof key);

    if (number == findings->part_count)
        WS_PUSH(findings->parts, findings->part_count, findings->part_capacity) =
            (struct ws_part){.group = group, .ruling = ruling};
    return number;
}

/* ---- findings ---- */

static size_t ruling_of(const struct ws_findings *findings, const struct ws_problem_rule *rule)
{
    size_t i = 0;
    while (i < findings->ruling_count && findings->rulings[i].rule != rule)
        i++;
    return i;
}

static uint32_t rank_of(const struct ws_event *event)
{
    int64_t rank = event ? event->value[WS_ATTR_PROCESS].i : -1;
    return rank < 0 || rank >= WS_NO_RANK ? WS_NO_RANK : (uint32_t)rank;
}

static size_t keep_values(struct ws_findings *findings, const struct ws_ruling *ruling,
                          const struct ws_finding *finding)
{
    size_t first = findings->value_count;

    for (size_t i = 0; i < ruling->description_places + ruling->advice_places; i++)
        WS_PUSH(findings->values, findings->value_count, findings->value_capacity) = (union ws_value){0};
    ws_template_read(findings, ruling->rule->description, finding, findings->values + first);
    ws_template_read(findings, ruling->rule->advice, finding,
                     findings->values + first + ruling->description_places);
    return first;
}

void ws_findings_add(void *context, const struct ws_finding *finding)
{
    struct ws_findings *findings = context;
    size_t ruling = ruling_of(findings, finding->rule);
    struct ws_instance instance = {.from_ns = finding->from_ns,
                                   .duration_ns = finding->duration_ns,
                                   .rank = rank_of(finding->waiting),
                                   .cause_rank = rank_of(finding->cause)};

    if (ruling == findings->ruling_count || instance.rank == WS_NO_RANK || instance.duration_ns <= 0)
        return;
    instance.part = part_of(findings, group_of(findings, finding), (uint32_t)ruling);
    instance.values = keep_values(findings, &findings->rulings[ruling], finding);
    WS_PUSH(findings->instances, findings->count, findings->capacity) = instance;
}

void ws_findings_init(struct ws_findings *findings, const struct ws_kb *kb, struct ws_site_source sites)
{
    size_t capacity = 0;

    memset(findings, 0, sizeof *findings);
    findings->kb = kb;
    findings->sites = sites;
    for (size_t s = 0; s < kb->scope_count; s++)
        for (size_t p = 0; p < kb->scopes[s]->problem_count; p++) {
            const struct ws_problem_rule *rule = kb->scopes[s]->problems[p];
            WS_PUSH(findings->rulings, findings->ruling_count, capacity) = (struct ws_ruling){
                rule, ws_template_places(rule->description), ws_template_places(rule->advice)};
        }
    ws_intern(&findings->spot_names, "", 0);
    WS_PUSH(findings->spots, findings->spot_count, findings->spot_capacity) =
        (struct ws_spot){.function = "", .file = "", .module = ""};
}

void ws_findings_free(struct ws_findings *findings)
{
    for (size_t i = 0; i < findings->group_count; i++)
        free(findings->groups[i].others);
    free(findings->rulings);
    free(findings->instances);
    free(findings->values);
    ws_intern_free(&findings->strings);
    ws_intern_free(&findings->site_names);
    free(findings->site_spots);
    ws_intern_free(&findings->spot_names);
    free(findings->spots);
    ws_intern_free(&findings->group_names);
    free(findings->groups);
    ws_intern_free(&findings->part_names);
    free(findings->parts);
    memset(findings, 0, sizeof *findings);
}
