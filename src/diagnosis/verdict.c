#include "diagnosis/verdict.h"

#include <stdlib.h>
#include <string.h>

#define BASELINE "baseline" /* the rule of its cases */

/* ---- problem types ---- */

struct named { /* a problem, or how one changed */
    const char *id;
    size_t index;
};
/* By id, and those of one in their order. */
struct by_id {
    struct named *items;
    size_t count;
};

static int in_order(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int order = strcmp(a->id, b->id);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

static struct by_id by_id_new(size_t count)
{
    return (struct by_id){ws_alloc_array(count, sizeof(struct named)), 0};
}

static void by_id_add(struct by_id *list, const char *id, size_t index)
{
    list->items[list->count++] = (struct named){id, index};
}

static void by_id_sort(struct by_id *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, in_order);
}

/* The first of this id, or where it would be. */
static size_t first_of(const struct by_id *list, const char *id)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(list->items[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t end_of(const struct by_id *list, size_t first, const char *id)
{
    while (first < list->count && strcmp(list->items[first].id, id) == 0)
        first++;
    return first;
}

static bool has_type(const char *const *types, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(types[i], id) == 0)
            return true;
    return false;
}

void ws_verdict_begin(struct ws_verdict *verdict, const char *path, const struct ws_diagnosis *run,
                      const char *const *types, size_t type_count)
{
    struct by_id present = by_id_new(run->problem_count);
    const char **all;

    *verdict = (struct ws_verdict){.path = path, .run = run, .type_count = type_count};
    all = ws_arena_alloc(&verdict->arena, (type_count + run->problem_count + 1) * sizeof *all);
    if (type_count)
        memcpy(all, types, type_count * sizeof *all);
    for (size_t i = 0; i < run->problem_count; i++)
        by_id_add(&present, run->problems[i].id, i);
    by_id_sort(&present);
    for (size_t i = 0; i < present.count; i = end_of(&present, i, present.items[i].id))
        if (!has_type(types, type_count, present.items[i].id))
            all[verdict->type_count++] = present.items[i].id;
    if (verdict->type_count == 0)
        all[verdict->type_count++] = "problems";
    verdict->types = all;
    free(present.items);
}

/* ---- cases ---- */

static struct ws_verdict_case *add_case(struct ws_verdict *verdict, const char *rule, const char *name,
                                        size_t most)
{
    struct ws_verdict_case *added = &WS_PUSH(verdict->cases, verdict->case_count, verdict->case_capacity);

    *added = (struct ws_verdict_case){.rule = ws_arena_strdup(&verdict->arena, rule), .name = name};
    added->problems = ws_arena_alloc(&verdict->arena, (most + 1) * sizeof *added->problems);
    added->changes = ws_arena_alloc(&verdict->arena, (most + 1) * sizeof *added->changes);
    return added;
}

/* The problems of this type for which the condition holds. */
static void add_type_case(struct ws_verdict *verdict, const char *rule, const char *type,
                          const struct by_id *holding)
{
    size_t first = first_of(holding, type), end = end_of(holding, first, type);
    struct ws_verdict_case *added = add_case(verdict, rule, type, end - first);

    for (size_t i = first; i < end; i++)
        added->problems[added->problem_count++] = &verdict->run->problems[holding->items[i].index];
    added->failed = end > first;
    verdict->failed_count += added->failed;
}

static void add_type_cases(struct ws_verdict *verdict, const char *rule, const bool *holds)
{
    struct by_id holding = by_id_new(verdict->run->problem_count);

    for (size_t i = 0; i < verdict->run->problem_count; i++)
        if (holds[i])
            by_id_add(&holding, verdict->run->problems[i].id, i);
    by_id_sort(&holding);
    for (size_t i = 0; i < verdict->type_count; i++)
        add_type_case(verdict, rule, verdict->types[i], &holding);
    free(holding.items);
}

static void add_run_case(struct ws_verdict *verdict, const struct ws_gate *gate, bool holds)
{
    struct ws_verdict_case *added = add_case(verdict, ws_gate_condition(gate), "run", 0);
    struct ws_text values = {0};

    ws_gate_tell(gate, verdict->run, &values);
    added->values = ws_arena_strdup(&verdict->arena, ws_text_string(&values));
    added->failed = holds;
    verdict->failed_count += holds;
    ws_text_free(&values);
}

int ws_verdict_condition(struct ws_verdict *verdict, const struct ws_gate *gate, struct ws_error *error)
{
    bool *holds = ws_alloc_array(verdict->run->problem_count + 1, sizeof *holds);
    int result = ws_gate_ask(gate, verdict->run, holds, error);

    if (result == 0 && ws_gate_is_of_problems(gate)) {
        add_type_cases(verdict, ws_gate_condition(gate), holds);
    } else if (result == 0) {
        add_run_case(verdict, gate, holds[0]);
    }
    free(holds);
    return result;
}

static void add_baseline_case(struct ws_verdict *verdict, const char *type, const struct by_id *worse)
{
    size_t first = first_of(worse, type), end = end_of(worse, first, type);
    struct ws_verdict_case *added = add_case(verdict, BASELINE, type, end - first);

    for (size_t i = first; i < end; i++)
        added->changes[added->change_count++] = &verdict->comparison->problems[worse->items[i].index];
    added->failed = end > first;
    verdict->failed_count += added->failed;
}

void ws_verdict_baseline(struct ws_verdict *verdict, const struct ws_comparison *comparison)
{
    struct ws_verdict_case *added = add_case(verdict, BASELINE, "time", 0);
    struct by_id worse = by_id_new(comparison->problem_count);

    verdict->comparison = comparison;
    added->failed = comparison->wall.clear && comparison->wall.gain_s < 0;
    verdict->failed_count += added->failed;
    for (size_t i = 0; i < comparison->problem_count; i++)
        if (comparison->problems[i].status == WS_NEW || comparison->problems[i].status == WS_WORSE)
            by_id_add(&worse, comparison->problems[i].id, i);
    by_id_sort(&worse);
    for (size_t i = 0; i < verdict->type_count; i++)
        add_baseline_case(verdict, verdict->types[i], &worse);
    free(worse.items);
}

void ws_verdict_free(struct ws_verdict *verdict)
{
    free(verdict->cases);
    ws_arena_free(&verdict->arena);
    memset(verdict, 0, sizeof *verdict);
}
