/* Takes the engine's findings while their events live, and keeps of each what the report will need. */
#include "diagnosis/findings.h"

#include <stdlib.h>
#include <string.h>

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
static struct ws_call_place completing(struct ws_names *names, const struct ws_event *event, const char *role,
                                       uint32_t position)
{
    return (struct ws_call_place){position, ws_names_lasting(names, role),
                                  ws_names_lasting(names, event->value[WS_ATTR_FUNCTION].s),
                                  ws_names_site(names, event->value[WS_ATTR_SITE].i)};
}

/* The call that started it: what comes late is the start, not the completion. */
static struct ws_call_place starting(struct ws_names *names, const struct ws_event *event, const char *role,
                                     uint32_t position)
{
    const char *called = event->value[WS_ATTR_POSTED_FUNCTION].s;

    if (!called || !called[0])
        return completing(names, event, role, position);
    return (struct ws_call_place){position, ws_names_lasting(names, role), ws_names_lasting(names, called),
                                  ws_names_site(names, event->value[WS_ATTR_POSTED_SITE].i)};
}

static bool same_call(const struct ws_call_place *a, const struct ws_call_place *b)
{
    return a->called == b->called && a->spot == b->spot;
}

/* Of one call in several roles. */
static bool role_before(const struct ws_names *names, const struct ws_call_place *a,
                        const struct ws_call_place *b)
{
    if (a->position != b->position)
        return a->position < b->position;
    return ws_names_compare_strings(names, a->role, b->role) < 0;
}

static bool call_before(const struct ws_names *names, const struct ws_call_place *a,
                        const struct ws_call_place *b)
{
    int order;

    if (a->position != b->position || a->role != b->role)
        return role_before(names, a, b);
    order = ws_names_compare_strings(names, a->called, b->called);
    return order ? order < 0 : ws_names_compare_spots(names, a->spot, b->spot) < 0;
}

int ws_group_compare(const struct ws_names *names, const struct ws_group *a, const struct ws_group *b)
{
    const struct ws_call_place *left[] = {&a->waiting, &a->cause}, *right[] = {&b->waiting, &b->cause};

    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    if (a->phase != b->phase)
        return ws_names_compare_strings(names, a->phase, b->phase);
    if (a->has_cause != b->has_cause)
        return a->has_cause ? -1 : 1;
    for (size_t i = 0; i < 1 + (size_t)a->has_cause; i++) {
        int order = ws_names_compare_strings(names, left[i]->called, right[i]->called);
        if (order == 0)
            order = ws_names_compare_spots(names, left[i]->spot, right[i]->spot);
        if (order)
            return order;
    }
    return 0;
}

static size_t find_call(const struct ws_group *group, const struct ws_call_place *place)
{
    size_t i = 0;
    while (i < group->other_count && !same_call(&group->others[i], place))
        i++;
    return i;
}

/* Keeps the first calls, in order: which ones these are does not depend on when they come. */
static void add_other(const struct ws_names *names, struct ws_group *group, struct ws_call_place place)
{
    size_t at = find_call(group, &place);

    if (same_call(&place, &group->waiting) || (group->has_cause && same_call(&place, &group->cause)))
        return;
    if (at < group->other_count) {
        if (!role_before(names, &place, &group->others[at]))
            return;
    } else if (group->other_count < WS_MOST_OTHERS) {
        group->other_count++;
    } else if (call_before(names, &place, &group->others[--at])) {
        /* the last one has to go */
    } else {
        return;
    }
    for (; at > 0 && call_before(names, &place, &group->others[at - 1]); at--)
        group->others[at] = group->others[at - 1];
    group->others[at] = place;
}

uint32_t ws_findings_enter_group(struct ws_findings *findings, const struct ws_group *group)
{
    const uint32_t key[7] = {group->phase, group->scope,          group->has_cause,    group->waiting.called,
                             group->waiting.spot,   group->cause.called, group->cause.spot};
    uint32_t number = ws_intern(&findings->group_names, key, sizeof key);
    struct ws_group *known;

    if (number == findings->group_count) {
        WS_PUSH(findings->groups, findings->group_count, findings->group_capacity) = *group;
        return number;
    }
    known = &findings->groups[number];
    if (role_before(&findings->names, &group->waiting, &known->waiting))
        known->waiting = group->waiting;
    if (group->has_cause && role_before(&findings->names, &group->cause, &known->cause))
        known->cause = group->cause;
    for (size_t i = 0; i < group->other_count; i++)
        add_other(&findings->names, known, group->others[i]);
    return number;
}

uint32_t ws_findings_enter_part(struct ws_findings *findings, uint32_t group, uint32_t ruling)
{
    uint32_t key[2] = {group, ruling};
    uint32_t number = ws_intern(&findings->part_names, key, sizeof key);

    if (number == findings->part_count)
        WS_PUSH(findings->parts, findings->part_count, findings->part_capacity) =
            (struct ws_part){.group = group, .ruling = ruling};
    return number;
}

static const char *phase_of(const struct ws_findings *findings, const struct ws_finding *finding)
{
    int64_t rank = finding->waiting->value[WS_ATTR_PROCESS].i;
    return findings->phase(findings->phase_context, (uint32_t)rank, finding->from_ns);
}

/* The group of a finding, by problem id and the two call sites. */
static uint32_t group_of(struct ws_findings *findings, const struct ws_finding *finding, uint32_t ruling,
                         uint32_t phase)
{
    struct ws_group group = {
        .scope = finding->rule->scope->index, .phase = phase, .has_cause = finding->cause != NULL};
    struct ws_names *names = &findings->names;
    const char *role = role_of(finding, finding->waiting, "waiting");

    group.waiting = completing(names, finding->waiting, role, ruling);
    if (finding->cause)
        group.cause = starting(names, finding->cause, role_of(finding, finding->cause, "cause"), ruling);
    add_other(names, &group, starting(names, finding->waiting, role, 0));
    for (uint32_t i = 0; i < finding->action_count; i++)
        if (finding->actions[i].event != finding->waiting && finding->actions[i].event != finding->cause)
            add_other(names, &group,
                      starting(names, finding->actions[i].event, finding->actions[i].role, i + 1));
    return ws_findings_enter_group(findings, &group);
}

/* ---- parts ---- */

static struct ws_sight_call call_of(const struct ws_event *event)
{
    return (struct ws_sight_call){event->value[WS_ATTR_FUNCTION].s, event->value[WS_ATTR_POSTED_FUNCTION].s,
                                  event->value[WS_ATTR_SITE].i, event->value[WS_ATTR_POSTED_SITE].i};
}

static bool is_call(const struct ws_sight_call *call, const struct ws_event *event)
{
    return call->site == event->value[WS_ATTR_SITE].i &&
           call->posted_site == event->value[WS_ATTR_POSTED_SITE].i &&
           call->function == event->value[WS_ATTR_FUNCTION].s &&
           call->posted_function == event->value[WS_ATTR_POSTED_FUNCTION].s;
}

/* Nearly always the call sites tell what will be seen. */
static struct ws_sighting *place_of(const struct ws_findings *findings, const struct ws_finding *finding,
                                    size_t ruling)
{
    const union ws_value *waiting = finding->waiting->value;
    uint64_t hash =
        ruling + 31 * (uint64_t)waiting[WS_ATTR_SITE].i + 1009 * (uint64_t)waiting[WS_ATTR_POSTED_SITE].i;

    if (finding->cause)
        hash += 8191 * (uint64_t)finding->cause->value[WS_ATTR_POSTED_SITE].i;
    return &findings->sightings[hash * UINT64_C(0x9E3779B97F4A7C15) >> 32 & (WS_SIGHTINGS - 1)];
}

static bool was_seen(const struct ws_sighting *sighting, const struct ws_finding *finding, uint32_t phase)
{
    if (sighting->rule != finding->rule || sighting->phase != phase ||
        sighting->action_count != finding->action_count || sighting->has_cause != (finding->cause != NULL) ||
        !is_call(&sighting->waiting, finding->waiting) ||
        (finding->cause && !is_call(&sighting->cause, finding->cause)))
        return false;
    for (size_t i = 0; i < sighting->action_count; i++) {
        const struct ws_event *event = finding->actions[i].event;
        bool waits = event == finding->waiting, causes = event == finding->cause;
        if (sighting->actions[i].role != finding->actions[i].role || sighting->actions[i].waits != waits ||
            sighting->actions[i].causes != causes ||
            (!waits && !causes && !is_call(&sighting->actions[i].call, event)))
            return false;
    }
    return true;
}

static void see(struct ws_sighting *sighting, uint64_t number, const struct ws_finding *finding,
                uint32_t phase, uint32_t part, const union ws_value *values, size_t count)
{
    if (finding->action_count > WS_SIGHT_ACTIONS || count > WS_SIGHT_PLACES)
        return;
    *sighting = (struct ws_sighting){.rule = finding->rule,
                                     .number = number,
                                     .phase = phase,
                                     .part = part,
                                     .has_cause = finding->cause != NULL,
                                     .waiting = call_of(finding->waiting),
                                     .action_count = finding->action_count};
    if (finding->cause)
        sighting->cause = call_of(finding->cause);
    for (size_t i = 0; i < finding->action_count; i++) {
        const struct ws_event *event = finding->actions[i].event;
        sighting->actions[i].role = finding->actions[i].role;
        sighting->actions[i].waits = event == finding->waiting;
        sighting->actions[i].causes = event == finding->cause;
        sighting->actions[i].call = call_of(event);
    }
    for (size_t i = 0; i < count; i++)
        sighting->values[i] = values[i];
}

/* ---- findings ---- */

static uint32_t rank_of(const struct ws_event *event)
{
    int64_t rank = event ? event->value[WS_ATTR_PROCESS].i : -1;
    return rank < 0 || rank >= WS_NO_RANK ? WS_NO_RANK : (uint32_t)rank;
}

static union ws_value *row(struct ws_findings *findings, size_t places)
{
    size_t first = findings->value_count, count = first + places;

    if (count > findings->value_capacity) {
        findings->value_capacity = 2 * count;
        findings->values =
            ws_realloc_array(findings->values, findings->value_capacity, sizeof *findings->values);
    }
    findings->value_count = count;
    return findings->values + first;
}

/* Fills in the row of values; tells part and sight. */
static void read_finding(struct ws_findings *findings, const struct ws_finding *finding, uint32_t number,
                         union ws_value *values, struct ws_instance *instance)
{
    const struct ws_ruling *ruling = &findings->rulings[number];
    uint32_t phase = ws_names_lasting(&findings->names, findings->phase ? phase_of(findings, finding) : "");
    struct ws_sighting *known = place_of(findings, finding, number);

    if (was_seen(known, finding, phase)) {
        for (size_t i = 0; i < ruling->place_count; i++)
            values[i] = known->values[i];
        ws_template_read(&findings->names, findings->kb, ruling->changing, ruling->changing_count, finding,
                         values);
        instance->part = known->part;
        instance->sight = known->number;
        return;
    }
    ws_template_read(&findings->names, findings->kb, ruling->readings, ruling->place_count, finding, values);
    instance->part = ws_findings_enter_part(findings, group_of(findings, finding, number, phase), number);
    see(known, ++findings->sight_count, finding, phase, instance->part, values, ruling->place_count);
}

void ws_findings_add(void *context, const struct ws_finding *finding)
{
    struct ws_findings *findings = context;
    size_t ruling = findings->first_ruling[finding->rule->scope->index] + finding->rule->index;
    struct ws_instance instance = {.from_ns = finding->from_ns,
                                   .duration_ns = finding->duration_ns,
                                   .rank = rank_of(finding->waiting),
                                   .cause_rank = rank_of(finding->cause),
                                   .event = finding->waiting->mark};

    if (instance.rank == WS_NO_RANK || instance.duration_ns <= 0)
        return;
    instance.values = findings->value_count;
    read_finding(findings, finding, (uint32_t)ruling, row(findings, findings->rulings[ruling].place_count),
                 &instance);
    WS_PUSH(findings->instances, findings->count, findings->capacity) = instance;
}

static enum ws_names_of names_of(const struct ws_ruling *ruling, size_t place)
{
    if (ruling->kinds[place] != WS_FOLD_SET)
        return WS_OF_RANKS;
    if (place < ruling->description_places)
        return ws_template_names(ruling->rule->description, place);
    return ws_template_names(ruling->rule->advice, place - ruling->description_places);
}

static struct ws_ruling make_ruling(const struct ws_problem_rule *rule)
{
    struct ws_ruling ruling = {.rule = rule};

    ruling.description_places = ws_template_places(rule, rule->description, NULL);
    ruling.place_count = ruling.description_places + ws_template_places(rule, rule->advice, NULL);
    ruling.kinds = ws_alloc_array(ruling.place_count, sizeof *ruling.kinds);
    ws_template_places(rule, rule->description, ruling.kinds);
    ws_template_places(rule, rule->advice, ruling.kinds + ruling.description_places);
    ruling.names = ws_alloc_array(ruling.place_count, sizeof *ruling.names);
    for (size_t i = 0; i < ruling.place_count; i++)
        ruling.names[i] = names_of(&ruling, i);
    ruling.readings = ws_alloc_array(ruling.place_count, sizeof *ruling.readings);
    ws_template_readings(rule, rule->description, ruling.readings);
    ws_template_readings(rule, rule->advice, ruling.readings + ruling.description_places);
    ruling.changing = ws_alloc_array(ruling.place_count, sizeof *ruling.changing);
    for (uint32_t i = 0; i < ruling.place_count; i++) {
        ruling.readings[i].place = i;
        if (!ruling.readings[i].settled)
            ruling.changing[ruling.changing_count++] = ruling.readings[i];
    }
    return ruling;
}

void ws_findings_init(struct ws_findings *findings, const struct ws_kb *kb, struct ws_site_source sites)
{
    size_t capacity = 0;

    memset(findings, 0, sizeof *findings);
    findings->kb = kb;
    findings->due = WS_FIRST_DUE;
    ws_names_init(&findings->names, sites);
    findings->names.process = kb->about.process;
    ws_reaches_init(&findings->reaches, kb);
    findings->sightings = ws_alloc_array(WS_SIGHTINGS, sizeof *findings->sightings);
    findings->first_ruling = ws_alloc_array(kb->scope_count, sizeof *findings->first_ruling);
    for (size_t s = 0; s < kb->scope_count; s++) {
        findings->first_ruling[s] = findings->ruling_count;
        for (size_t p = 0; p < kb->scopes[s]->problem_count; p++)
            WS_PUSH(findings->rulings, findings->ruling_count, capacity) =
                make_ruling(kb->scopes[s]->problems[p]);
    }
}

void ws_findings_free(struct ws_findings *findings)
{
    for (size_t i = 0; i < findings->ruling_count; i++) {
        free(findings->rulings[i].kinds);
        free(findings->rulings[i].names);
        free(findings->rulings[i].readings);
        free(findings->rulings[i].changing);
    }
    free(findings->rulings);
    free(findings->first_ruling);
    ws_reaches_free(&findings->reaches);
    ws_names_release(&findings->names);
    ws_intern_free(&findings->group_names);
    free(findings->groups);
    ws_intern_free(&findings->part_names);
    free(findings->sightings);
    free(findings->parts);
    free(findings->instances);
    free(findings->values);
    ws_ledger_free(&findings->ledger);
    memset(findings, 0, sizeof *findings);
}
