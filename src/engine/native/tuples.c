/* Tuples: an event in its place, and the partners that are there for it.
 *
 * Budget of a message: for the one that comes first the filter (2 instructions), one hash of four values, one
 * look for the channel and a place in its queue; for the other the same, and its partner lies in that place.
 */
#include "engine/native/native.h"

/* A parameter's value; many are one comparison, or one difference. */
static inline bool compute(const struct ws_formula *code, union ws_value *const *frames,
                           union ws_value *result)
{
    const struct ws_instruction *first = code->instructions;
    int64_t left, right;

    if (code->count != 1 || (first->code != WS_CODE_LESS && first->code != WS_CODE_SUBTRACT))
        return ws_formula_value(code, frames, result);
    left = ws_operand_value(first->left, frames).i;
    right = ws_operand_value(first->right, frames).i;
    if (first->code == WS_CODE_SUBTRACT)
        return !__builtin_sub_overflow(left, right, &result->i);
    result->i = left < right;
    return true;
}

bool ws_native_parameters(struct ws_native *native, const struct ws_plan_rule *rule, struct ws_event *event)
{
    const struct ws_native_parameters *parameters = &native->rules[rule->number].parameters;
    union ws_value *const *frames = native->frames;

    for (size_t i = 0; i < parameters->copies_count; i++) {
        const struct ws_native_copies *copies = &parameters->copies[i];
        const union ws_value *from = frames[copies->frame];
        for (const struct ws_native_copy *copy = copies->list, *end = copy + copies->count; copy < end;
             copy++)
            event->value[copy->to] = from[copy->from];
    }
    for (size_t i = 0; i < parameters->event_count; i++)
        event->value[parameters->events[i].to].e = ws_operand_event(parameters->events[i].from, frames);
    for (size_t i = 0; i < parameters->computed_count; i++) {
        const struct ws_native_computed *computed = &parameters->computed[i];
        if (!compute(&computed->formula, frames, &event->value[computed->to]))
            return false;
    }
    return true;
}

/* ---- composite events that nobody takes ---- */

/* Marks the scopes that the tuple is of use to, if it is built; false: there is none. */
static bool mark_before(struct ws_native *native, const struct ws_gates *before)
{
    bool wanted = false;

    ws_gates_mark(before, native->frames, native->open);
    for (size_t word = 0; word < (native->analysis.plan.kb->scope_count + 63) / 64; word++) {
        wanted |= native->open[word] != 0;
        native->analysis.marked[word] |= native->open[word];
        native->open[word] = 0;
    }
    return wanted;
}

/* Are all parameters defined?  *violated: the one of that name. */
static bool are_defined(struct ws_native *native, const struct ws_plan_rule *rule, bool *violated)
{
    const struct ws_native_parameters *parameters = &native->rules[rule->number].parameters;
    union ws_value value;

    for (size_t i = 0; i < parameters->computed_count; i++) {
        if (!compute(&parameters->computed[i].formula, native->frames, &value))
            return false;
        *violated |= parameters->computed[i].to == rule->clock_violation && value.i;
    }
    if (parameters->copies_violation)
        *violated = ws_operand_value(parameters->violation, native->frames).i;
    return true;
}

/* Gives false where no more tuples are wanted. */
static bool report(struct ws_native *native, const struct ws_native_seat *seat)
{
    struct ws_event *event;
    bool violated = false;

    if (seat->may_pass && !mark_before(native, native->rules[seat->rule->number].before)) {
        if (!are_defined(native, seat->rule, &violated))
            return true;
        ws_report_passing(&native->analysis, seat->rule, native->tuple, violated);
        return false;
    }
    event = ws_report_tuple(&native->analysis, seat->rule, native->tuple);
    ws_live_of(event)->routed = seat->may_pass;
    if (!ws_native_parameters(native, seat->rule, event)) {
        ws_report_undefined(&native->analysis);
        return true;
    }
    if (seat->first_is_enough)
        ws_report_built(&native->analysis);
    return !seat->first_is_enough;
}

/* ---- finding the members ---- */

static inline bool are_equal(const struct ws_native_step *step, union ws_value *const *frames)
{
    const union ws_value *own = frames[WS_FRAME_MEMBERS + step->member];
    const struct ws_native_pair *pair = step->equal, *end = pair + step->equal_count;

    while (pair < end && own[pair->own].i == ws_operand_value(pair->other, frames).i)
        pair++;
    return pair == end;
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

static bool descend(struct ws_native *native, const struct ws_native_seat *seat, size_t depth,
                    const struct ws_native_sight *sight);

/* What to look for in a step; false where it finds nothing. */
static bool prepare(struct ws_native *native, const struct ws_native_step *step,
                    struct ws_native_sight *sight)
{
    return step->index->count && ws_native_index_look(step->index, &step->look, native->frames, sight);
}

static bool next_step(struct ws_native *native, const struct ws_native_seat *seat, size_t depth)
{
    struct ws_native_sight sight;

    if (depth == seat->step_count)
        return report(native, seat);
    if (!prepare(native, &seat->steps[depth], &sight))
        return true;
    return descend(native, seat, depth, &sight);
}

/* With the next member, if it is equal in all keys, as its hash and its place promise. */
static bool descend_to(struct ws_native *native, const struct ws_native_seat *seat, size_t depth,
                       struct ws_live *live)
{
    const struct ws_native_step *step = &seat->steps[depth];

    if (step->may_repeat && is_placed(native, seat, depth, live))
        return true;
    place(native, step->member, live);
    return !are_equal(step, native->frames) || !ws_formula_holds(&step->test, native->frames) ||
           next_step(native, seat, depth + 1);
}

/* Those of a bucket that have the hash. */
static bool descend_among(struct ws_native *native, const struct ws_native_seat *seat, size_t depth,
                          uint64_t hash)
{
    const struct ws_native_step *step = &seat->steps[depth];
    const struct ws_native_index *index = step->index;
    struct ws_native_node *newest, *node;
    size_t own_offset = native->analysis.plan.types[index->use->type->index].own_offset;

    if (!index->in_buckets)
        return true;
    newest = node = index->buckets[hash & (index->bucket_count - 1)];
    if (newest && step->overlapped != UINT32_MAX)
        node = ws_native_index_before(newest, ws_live_begin(native->tuple[step->overlapped]));
    if (!node)
        return true;
    do {
        node = node->next;
        if (node->hash == hash &&
            !descend_to(native, seat, depth, ws_native_node_live(index, own_offset, node)))
            return false;
    } while (node != newest);
    return true;
}

static bool descend(struct ws_native *native, const struct ws_native_seat *seat, size_t depth,
                    const struct ws_native_sight *sight)
{
    const struct ws_native_index *index = seat->steps[depth].index;
    const struct ws_native_queue *queue;
    struct ws_live *live;

    if (!index->channels)
        return descend_among(native, seat, depth, sight->hash);
    if (!sight->channel)
        return true;
    queue = &sight->channel->queues[index->side];
    if (!queue->capacity)
        return descend_among(native, seat, depth, ws_native_number_hash(sight->channel, sight->number));
    live = ws_native_queue_at(queue, sight->number);
    return !live || descend_to(native, seat, depth, live);
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

    place(native, seat->member, live);
    native->passed[number] = seat->like != UINT32_MAX ? native->passed[seat->like]
                                                      : ws_formula_holds(&seat->filter, native->frames);
    if (!native->passed[number])
        return;
    if (seat->keeps)
        ws_report_kept(&native->analysis, seat->waits);
    if (seat->step_count && !seat->steps[0].index->count)
        return;
    if (!ws_formula_holds(&seat->test, native->frames))
        return;
    if (!seat->own) {
        next_step(native, seat, 0);
    } else if (ws_native_index_look(seat->own, &seat->steps[0].look, native->frames, &seat->own->seen)) {
        seat->own->seen_order = ws_live_event(live)->order;
        descend(native, seat, 0, &seat->own->seen);
    }
}

void ws_native_keep(void *matcher, const struct ws_use *use, struct ws_live *live)
{
    struct ws_native *native = matcher;
    const struct ws_native_use *compiled = &native->uses[use->index];

    native->frames[WS_FRAME_MEMBERS] = ws_live_event(live)->value;
    for (size_t i = 0; i < compiled->index_count; i++) {
        struct ws_native_index *index = compiled->indexes[i];
        ws_native_node(index, live)->next = NULL;
        ws_native_node(index, live)->channel = NULL;
        if (!native->passed[index->seat])
            continue;
        if (index->seen_order == ws_live_event(live)->order ||
            ws_native_index_look(index, &index->look, native->frames, &index->seen))
            ws_native_index_add(index, live, &index->seen);
    }
}

void ws_native_leave(void *matcher, const struct ws_use *use, struct ws_live *live)
{
    struct ws_native *native = matcher;
    const struct ws_native_use *compiled = &native->uses[use->index];

    for (size_t i = 0; i < compiled->index_count; i++)
        ws_native_index_remove(compiled->indexes[i], live);
}
