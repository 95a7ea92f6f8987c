/* Each moment of a rank counts once, whatever number of rules finds it: a Waitall over several late
 * messages loses its time once.  Findings of one rank that hang together are settled together, as soon as
 * nothing still to come can touch them; so only those are kept that may still change. */
#include "diagnosis/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct view { /* what the comparisons need */
    const struct ws_findings *findings;
    const struct ws_instance *instances;
};

static int64_t finish(const struct ws_instance *instance)
{
    int64_t end;
    return __builtin_add_overflow(instance->from_ns, instance->duration_ns, &end) ? INT64_MAX : end;
}

/* ---- an order by content ---- */

static int compare_values(const struct ws_names *names, enum ws_fold_kind kind, enum ws_names_of of,
                          union ws_value a, union ws_value b)
{
    if (kind == WS_FOLD_REAL || kind == WS_FOLD_REAL_SUM) {
        if (isnan(a.r) || isnan(b.r))
            return isnan(a.r) - isnan(b.r);
        return (a.r > b.r) - (a.r < b.r);
    }
    if (of != WS_OF_RANKS && a.i != WS_UNDEFINED && b.i != WS_UNDEFINED)
        return (of == WS_OF_STRINGS ? ws_names_compare_strings
                                    : ws_names_compare_spots)(names, (uint32_t)a.i, (uint32_t)b.i);
    return (a.i > b.i) - (a.i < b.i);
}

static int compare_rows(const struct ws_findings *findings, const struct ws_ruling *ruling, size_t a, size_t b)
{
    for (size_t i = 0; i < ruling->place_count; i++) {
        int order = compare_values(&findings->names, ruling->kinds[i], ruling->names[i],
                                   findings->values[a + i], findings->values[b + i]);
        if (order)
            return order;
    }
    return 0;
}

/* Of one rule, equally long, at one moment: two that are equal here are alike in the report. */
static int compare_contents(const struct ws_findings *findings, const struct ws_instance *a,
                            const struct ws_instance *b)
{
    const struct ws_part *part = &findings->parts[a->part], *other = &findings->parts[b->part];
    const struct ws_group *left = &findings->groups[part->group], *right = &findings->groups[other->group];
    int order;

    if (a->cause_rank != b->cause_rank)
        return ws_three_way(a->cause_rank, b->cause_rank);
    if (left != right && (order = ws_group_compare(&findings->names, left, right)) != 0)
        return order;
    return compare_rows(findings, &findings->rulings[part->ruling], a->values, b->values);
}

static int by_rank_and_time(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    const struct ws_instance *a = &view->instances[*(const size_t *)left];
    const struct ws_instance *b = &view->instances[*(const size_t *)right];

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static int longest_first(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    const struct ws_instance *a = &view->instances[*(const size_t *)left];
    const struct ws_instance *b = &view->instances[*(const size_t *)right];
    uint32_t rule_a = view->findings->parts[a->part].ruling, rule_b = view->findings->parts[b->part].ruling;

    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    if (rule_a != rule_b)
        return rule_a < rule_b ? -1 : 1;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return compare_contents(view->findings, a, b);
}

/* ---- one cluster; most are of a few intervals ---- */

#define FEW 16

static int by_moment(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void sort_moments(int64_t *moments, size_t count)
{
    if (count > 2 * FEW) {
        qsort(moments, count, sizeof *moments, by_moment);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        int64_t moving = moments[i];
        size_t at = i;
        for (; at > 0 && moments[at - 1] > moving; at--)
            moments[at] = moments[at - 1];
        moments[at] = moving;
    }
}

static void sort_cluster(const struct view *view, size_t *cluster, size_t count)
{
    if (count > FEW) {
        qsort_r(cluster, count, sizeof *cluster, longest_first, (void *)view);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        size_t moving = cluster[i], at = i;
        for (; at > 0 && longest_first(&cluster[at - 1], &moving, (void *)view) > 0; at--)
            cluster[at] = cluster[at - 1];
        cluster[at] = moving;
    }
}

static size_t place_of(const int64_t *moments, size_t count, int64_t moment)
{
    const int64_t *found = bsearch(&moment, moments, count, sizeof moment, by_moment);
    return (size_t)(found - moments);
}

/* The first piece at or after `piece` that is not taken; paths are halved on the way. */
static size_t next_free(size_t *next, size_t piece)
{
    while (next[piece] != piece) {
        next[piece] = next[next[piece]];
        piece = next[piece];
    }
    return piece;
}

/* The distinct ends of the cluster's intervals, in order: between two neighbours lies one piece. */
static size_t cut_into_pieces(const struct ws_instance *instances, const size_t *cluster, size_t count,
                              int64_t *moments)
{
    size_t distinct = 0;

    for (size_t i = 0; i < count; i++) {
        moments[2 * i] = instances[cluster[i]].from_ns;
        moments[2 * i + 1] = finish(&instances[cluster[i]]);
    }
    sort_moments(moments, 2 * count);
    for (size_t i = 0; i < 2 * count; i++)
        if (distinct == 0 || moments[distinct - 1] != moments[i])
            moments[distinct++] = moments[i];
    return distinct;
}

static void tell(const struct ws_findings *findings, const struct ws_instance *instance, int64_t from_ns,
                 int64_t to_ns)
{
    const struct ws_problem_rule *rule;
    const struct ws_part *part;

    if (!findings->waited || from_ns == to_ns)
        return;
    part = &findings->parts[instance->part];
    rule = findings->rulings[part->ruling].rule;
    findings->waited(&(struct ws_waited){.group = part->group,
                                         .event = instance->event,
                                         .rank = instance->rank,
                                         .cause_rank = instance->cause_rank,
                                         .from_ns = from_ns,
                                         .to_ns = to_ns,
                                         .id = rule->scope->id,
                                         .name = rule->name ? rule->name : rule->scope->id},
                     findings->waited_context);
}

/* A cluster is a set of intervals of one rank that hang together. */
static void share_out(const struct view *view, struct ws_instance *instances, size_t *cluster, size_t count)
{
    int64_t few_moments[2 * FEW],
        *moments = count > FEW ? ws_alloc_array(2 * count, sizeof *moments) : few_moments;
    size_t few_next[2 * FEW], *next = count > FEW ? ws_alloc_array(2 * count, sizeof *next) : few_next;
    size_t moment_count = cut_into_pieces(instances, cluster, count, moments);

    for (size_t i = 0; i < moment_count; i++)
        next[i] = i;
    sort_cluster(view, cluster, count);
    for (size_t i = 0; i < count; i++) {
        struct ws_instance *instance = &instances[cluster[i]];
        size_t last = place_of(moments, moment_count, finish(instance));
        size_t piece = next_free(next, place_of(moments, moment_count, instance->from_ns));
        int64_t kept_ns = 0, from_ns = moments[piece];
        for (; piece < last; piece = next_free(next, piece)) {
            kept_ns += moments[piece + 1] - moments[piece];
            next[piece] = piece + 1;
        }
        /* In one piece: an interval that cuts it in two would lie inside, and be shorter. */
        tell(view->findings, instance, from_ns, from_ns + kept_ns);
        instance->duration_ns = kept_ns;
    }
    if (next != few_next)
        free(next);
    if (moments != few_moments)
        free(moments);
}

/* The end of the cluster that begins at order[begin]; *reach_ns: where its last interval ends. */
static size_t cluster_end(const struct ws_instance *instances, const size_t *order, size_t begin, size_t count,
                          int64_t *reach_ns)
{
    size_t end = begin + 1;

    *reach_ns = finish(&instances[order[begin]]);
    for (; end < count && instances[order[end]].rank == instances[order[begin]].rank &&
           instances[order[end]].from_ns < *reach_ns;
         end++) {
        int64_t more_ns = finish(&instances[order[end]]);
        *reach_ns = more_ns > *reach_ns ? more_ns : *reach_ns;
    }
    return end;
}

/* Findings come in about the order of time: each moves a little, or the whole is sorted. */
static void sort_by_time(struct view *view, size_t *order, size_t count)
{
    size_t moves = 0;

    for (size_t i = 1; i < count; i++) {
        size_t moving = order[i], at = i;
        int64_t from_ns = view->instances[moving].from_ns;
        for (; at > 0 && view->instances[order[at - 1]].from_ns > from_ns; at--)
            order[at] = order[at - 1];
        order[at] = moving;
        moves += i - at;
        if (moves > 8 * count) {
            qsort_r(order, count, sizeof *order, by_rank_and_time, view);
            return;
        }
    }
}

/* Where the instances of each rank begin, [ranks + 1] (free()). */
static size_t *rank_begins(const struct ws_instance *instances, size_t count, size_t ranks)
{
    size_t *begins = ws_alloc_array(ranks + 1, sizeof *begins);

    for (size_t i = 0; i < count; i++)
        begins[instances[i].rank + 1]++;
    for (size_t r = 0; r < ranks; r++)
        begins[r + 1] += begins[r];
    return begins;
}

static void order_by_ranks(struct view *view, size_t *order, size_t count, size_t ranks)
{
    size_t *ends = rank_begins(view->instances, count, ranks);

    for (size_t i = 0; i < count; i++)
        order[ends[view->instances[i].rank]++] = i;
    for (size_t r = 0, begin = 0; r < ranks; begin = ends[r++])
        sort_by_time(view, order + begin, ends[r] - begin);
    free(ends);
}

/* The instances by rank and time (free()). */
static size_t *in_order(const struct ws_findings *findings, const struct ws_instance *instances, size_t count)
{
    struct view view = {findings, instances};
    size_t *order = ws_alloc_array(count, sizeof *order), ranks = 0;

    for (size_t i = 0; i < count; i++)
        ranks = instances[i].rank >= ranks ? (size_t)instances[i].rank + 1 : ranks;
    if (ranks <= 4 * count) {
        order_by_ranks(&view, order, count, ranks);
        return order;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, by_rank_and_time, &view);
    return order;
}

void ws_count_once(const struct ws_findings *findings, struct ws_instance *instances, size_t count)
{
    struct view view = {findings, instances};
    size_t *order = in_order(findings, instances, count);
    int64_t reach_ns;

    for (size_t begin = 0, end; begin < count; begin = end) {
        end = cluster_end(instances, order, begin, count, &reach_ns);
        if (end - begin > 1)
            share_out(&view, instances, order + begin, end - begin);
    }
    free(order);
}

/* ---- what may still come ---- */

struct threat { /* a finding to come may lie in this time of this rank */
    uint32_t rank;
    int64_t from_ns, to_ns;
};
struct threats {
    const struct ws_reaches *reaches;
    struct threat *list;
    size_t count, capacity, next;
    size_t seen;      /* held events */
    int64_t reach_ns; /* of those of this rank before list[next] */
    int64_t low_ns;   /* of this rank, where asked_low */
    uint32_t rank;
    bool asked_low;
};

static void see_held(void *context, const struct ws_held *held)
{
    struct threats *threats = context;
    struct threat threat = {(uint32_t)held->rank, held->begin_ns, held->end_ns};

    threats->seen++;
    if (held->rank < 0 || held->rank >= WS_NO_RANK)
        return;
    switch (threats->reaches->of_type[held->type]) {
    case WS_REACH_NOTHING:
        return;
    case WS_REACH_CALL:
        break;
    case WS_REACH_ANY:
        threat.from_ns = INT64_MIN;
        /* fall through */
    case WS_REACH_AFTER:
        threat.to_ns = INT64_MAX;
        break;
    }
    WS_PUSH(threats->list, threats->count, threats->capacity) = threat;
}

static int compare_threats(const void *left, const void *right)
{
    const struct threat *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static void turn_to(struct threats *threats, uint32_t rank)
{
    if (rank == threats->rank)
        return;
    threats->rank = rank;
    threats->reach_ns = INT64_MIN;
    threats->asked_low = false;
}

/* Does any of them touch the cluster?  Asked for clusters by rank and time. */
static bool threatened(struct threats *threats, uint32_t rank, int64_t from_ns, int64_t to_ns)
{
    for (; threats->next < threats->count; threats->next++) {
        const struct threat *threat = &threats->list[threats->next];
        if (threat->rank > rank || (threat->rank == rank && threat->from_ns >= to_ns))
            break;
        if (threat->rank == rank && threat->to_ns > threats->reach_ns)
            threats->reach_ns = threat->to_ns;
    }
    return threats->reach_ns > from_ns;
}

static void gather(struct threats *threats, const struct ws_horizon *horizon)
{
    horizon->held(horizon->context, see_held, threats);
    if (threats->count)
        qsort(threats->list, threats->count, sizeof *threats->list, compare_threats);
}

/* An event of any type may still come to the rank from its low_ns on. */
static bool beyond_horizon(struct threats *threats, const struct ws_horizon *horizon, bool backwards,
                           int64_t to_ns)
{
    if (!threats->asked_low)
        threats->low_ns = horizon->low_ns(horizon->context, threats->rank);
    threats->asked_low = true;
    return backwards || threats->low_ns < to_ns;
}

static bool looks_back(const struct ws_findings *findings)
{
    for (size_t t = 0; t < findings->kb->simple_count; t++)
        if (findings->reaches.of_type[t] == WS_REACH_ANY)
            return true;
    return false;
}

/* ---- settling ---- */

/* Settled values are folded once for each sight: they are names, of which only counts which there are. */
static void fold_values(const struct ws_findings *findings, const struct ws_ruling *ruling,
                        const struct ws_instance *instance, struct ws_part_sum *sum)
{
    const union ws_value *values = findings->values + instance->values;
    bool again = instance->sight && instance->sight == sum->sight;
    size_t count = again ? ruling->changing_count : ruling->place_count;

    for (size_t i = 0; i < count; i++) {
        size_t place = again ? ruling->changing[i].place : i;
        ws_fold_add(&sum->folds[place], ruling->kinds[place], values[place]);
    }
    sum->sight = instance->sight;
}

static void add_up(struct ws_findings *findings, const struct ws_instance *instance)
{
    const struct ws_part *part = &findings->parts[instance->part];
    const struct ws_ruling *ruling = &findings->rulings[part->ruling];
    int64_t kept_ns = instance->duration_ns;
    struct ws_part_sum *part_sum;
    struct ws_group_sum *group_sum;

    if (kept_ns <= 0)
        return;
    part_sum = ws_ledger_part(&findings->ledger, instance->part, ruling->place_count);
    group_sum = ws_ledger_group(&findings->ledger, part->group);
    part_sum->duration_ns = ws_add_ns(part_sum->duration_ns, kept_ns);
    part_sum->count++;
    group_sum->duration_ns = ws_add_ns(group_sum->duration_ns, kept_ns);
    group_sum->count++;
    ws_shares_add(&group_sum->waiting, instance->rank, kept_ns, 1);
    ws_shares_add(&group_sum->causing, instance->cause_rank, kept_ns, 1);
    fold_values(findings, ruling, instance, part_sum);
}

/* Marks with rank WS_NO_RANK what is settled. */
static void settle(struct ws_findings *findings, const struct ws_horizon *horizon, struct threats *threats)
{
    struct view view = {findings, findings->instances};
    size_t *order = in_order(findings, findings->instances, findings->count);
    bool backwards = horizon && looks_back(findings);
    int64_t to_ns;

    for (size_t begin = 0, end; begin < findings->count; begin = end) {
        const struct ws_instance *first = &findings->instances[order[begin]];
        end = cluster_end(findings->instances, order, begin, findings->count, &to_ns);
        turn_to(threats, first->rank);
        if (horizon && (beyond_horizon(threats, horizon, backwards, to_ns) ||
                        threatened(threats, first->rank, first->from_ns, to_ns)))
            continue;
        if (end - begin > 1)
            share_out(&view, findings->instances, order + begin, end - begin);
        else
            tell(findings, first, first->from_ns, finish(first));
        for (size_t i = begin; i < end; i++) {
            add_up(findings, &findings->instances[order[i]]);
            findings->instances[order[i]].rank = WS_NO_RANK;
        }
    }
    free(order);
}

void ws_findings_compact(struct ws_findings *findings)
{
    size_t count = 0, value_count = 0;

    for (size_t i = 0; i < findings->count; i++) {
        struct ws_instance instance = findings->instances[i];
        size_t places = findings->rulings[findings->parts[instance.part].ruling].place_count;
        if (instance.rank == WS_NO_RANK)
            continue;
        memmove(findings->values + value_count, findings->values + instance.values,
                places * sizeof *findings->values);
        instance.values = value_count;
        value_count += places;
        findings->instances[count++] = instance;
    }
    findings->count = count;
    findings->value_count = value_count;
}

void ws_findings_settle(struct ws_findings *findings, const struct ws_horizon *horizon)
{
    struct threats threats = {.reaches = &findings->reaches, .rank = WS_NO_RANK};

    if (horizon)
        gather(&threats, horizon);
    settle(findings, horizon, &threats);
    ws_findings_compact(findings);
    findings->due = WS_FIRST_DUE + 2 * findings->count + threats.seen;
    free(threats.list);
}
