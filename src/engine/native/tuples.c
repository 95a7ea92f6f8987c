/* Tuples: an event in its place, and the partners that are there for it.
 *
 * Budget of a message: the filter (2 instructions), one hash of five values, one look into an index, one test
 * of five equalities for the receive; for the send the hash again, and its node put into the index. */
#include "engine/native/native.h"

bool ws_native_parameters(struct ws_native *native, const struct ws_plan_rule *rule, struct ws_event *event)
{
    const struct ws_event_type *type = rule->rule->type;
    const struct ws_native_parameter *parameters = native->rules[rule->number].parameters;
    union ws_value *const *frames = native->frames;

    for (size_t i = type->attribute_count; i < type->slot_count; i++) {
        const struct ws_native_parameter *parameter = &parameters[i];
        if (parameter->source == WS_SOURCE_COPY)
            event->value[i] = ws_operand_value(parameter->formula.result, frames);
        else if (parameter->source == WS_SOURCE_EVENT)
            event->value[i].e = ws_operand_event(parameter->formula.result, frames);
        else if (!ws_formula_value(&parameter->formula, frames, &event->value[i]))
            return false;
    }
    return true;
}

/* Gives false where no more tuples are wanted. */
static bool report(struct ws_native *native, const struct ws_native_seat *seat)
{
    struct ws_event *event = ws_report_tuple(&native->analysis, seat->rule, native->tuple);

    if (ws_native_parameters(native, seat->rule, event))
        return !seat->first_is_enough;
    ws_report_undefined(&native->analysis);
    return true;
}

static bool are_equal(const struct ws_native_step *step, union ws_value *const *frames)
{
    for (size_t i = 0; i < step->equal_count; i++)
        if (ws_operand_value(step->equal[i].left, frames).i !=
            ws_operand_value(step->equal[i].right, frames).i)
            return false;
    return true;
}

static void place(struct ws_native *native, uint32_t member, struct ws_live *live)
{
    native->tuple[member] = live;
    native->frames[WS_FRAME_MEMBERS + member] = ws_live_event(live)->value;
}

static bool is_placed(const struct ws_native *native, const struct ws_native_seat *seat, size_t steps,
                      const struct ws_live *live)
{
    for (size_t i = 0; i < steps; i++)
        if (native->tuple[seat->steps[i].member] == live)
            return true;
    return false;
}

static bool descend(struct ws_native *native, const struct ws_native_seat *seat, size_t depth, uint64_t hash);

/* The hash for a step; false where it finds nothing. */
static bool prepare(struct ws_native *native, const struct ws_native_step *step, uint64_t *hash)
{
    return step->index->count && ws_native_hash(step->keys, step->index->key_count, native->frames, hash);
}

static bool next_step(struct ws_native *native, const struct ws_native_seat *seat, size_t depth)
{
    uint64_t hash;

    if (depth == seat->step_count)
        return report(native, seat);
    if (!prepare(native, &seat->steps[depth], &hash))
        return true;
    return descend(native, seat, depth, hash);
}

static bool descend(struct ws_native *native, const struct ws_native_seat *seat, size_t depth, uint64_t hash)
{
    const struct ws_native_step *step = &seat->steps[depth];
    const struct ws_native_index *index = step->index;
    struct ws_native_node *newest = index->buckets[hash & (index->bucket_count - 1)], *node = newest;
    size_t own_offset = native->analysis.plan.types[index->use->type->index].own_offset;

    if (newest && step->overlapped != UINT32_MAX)
        node = ws_native_index_before(newest, ws_live_begin(native->tuple[step->overlapped]));
    if (!node)
        return true;
    do {
        struct ws_live *live;
        node = node->next;
        if (node->hash != hash)
            continue;
        live = ws_native_node_live(index, own_offset, node);
        if (step->may_repeat && is_placed(native, seat, depth, live))
            continue;
        place(native, step->member, live);
        if (are_equal(step, native->frames) && ws_formula_holds(&step->test, native->frames) &&
            !next_step(native, seat, depth + 1))
            return false;
    } while (node != newest);
    return true;
}

void ws_native_route(void *matcher, struct ws_live *live, uint64_t *scopes)
{
    struct ws_native *native = matcher;
    const struct ws_event *event = ws_live_event(live);

    native->frames[WS_FRAME_MEMBERS] = (union ws_value *)event->value;
    ws_gates_mark(&native->gates[event->type], native->frames, scopes);
}

void ws_native_seek(void *matcher, const struct ws_use *use, size_t number, struct ws_live *live)
{
    struct ws_native *native = matcher;
    const struct ws_native_seat *seat = &native->uses[use->index].seats[number];
    uint64_t hash = 0;

    place(native, seat->member, live);
    native->passed[number] = ws_formula_holds(&seat->filter, native->frames);
    if (!native->passed[number])
        return;
    if (seat->keeps)
        ws_report_kept(&native->analysis, seat->waits);
    if (!ws_formula_holds(&seat->test, native->frames))
        return;
    if (!seat->own) {
        next_step(native, seat, 0);
    } else if (prepare(native, &seat->steps[0], &hash)) {
        seat->own->hashed_order = ws_live_event(live)->order;
        seat->own->hash = hash;
        descend(native, seat, 0, hash);
    }
}

void ws_native_keep(void *matcher, const struct ws_use *use, struct ws_live *live)
{
    struct ws_native *native = matcher;
    const struct ws_native_use *compiled = &native->uses[use->index];

    native->frames[WS_FRAME_MEMBERS] = ws_live_event(live)->value;
    for (size_t i = 0; i < compiled->index_count; i++) {
        struct ws_native_index *index = compiled->indexes[i];
        uint64_t hash = index->hash;
        ws_native_node(index, live)->next = NULL;
        if (!native->passed[index->seat])
            continue;
        if (index->hashed_order == ws_live_event(live)->order ||
            ws_native_hash(index->keys, index->key_count, native->frames, &hash))
            ws_native_index_add(index, live, hash);
    }
}

void ws_native_leave(void *matcher, const struct ws_use *use, struct ws_live *live)
{
    struct ws_native *native = matcher;
    const struct ws_native_use *compiled = &native->uses[use->index];

    for (size_t i = 0; i < compiled->index_count; i++)
        ws_native_index_remove(compiled->indexes[i], live);
}
