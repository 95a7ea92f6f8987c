/* The last reading of a process: its events. */
#include "trace/order.h"

#include "trace/layout.h"
#include "util/alloc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define RANK_NONE (-1)
#define RANK_ANY (-2)

/* ---- parameters ---- */

/* The identity of what has this index on its process.  Where it was not defined, one that no other process
 * has. */
static int64_t undefined_identity(const struct ws_process *process, int64_t index)
{
    return index == 0 ? 0 : (int64_t)((uint64_t)(process->rank + 1) << 32 | (uint64_t)index);
}

static int64_t comm_identity(const struct ws_process *process, int64_t index)
{
    if (index == WS_COMM_WORLD_ID || index == WS_COMM_SELF_ID)
        return index;
    if ((uint64_t)index < process->comm_count && process->comms[index].group)
        return process->comms[index].identity;
    return undefined_identity(process, index);
}

static int64_t window_identity(const struct ws_process *process, int64_t index)
{
    if ((uint64_t)index < process->window_count && process->windows[index])
        return process->windows[index];
    return undefined_identity(process, index);
}

/* A rank of a communicator as a rank of MPI_COMM_WORLD; RANK_ANY where the communicator is not known. */
static int64_t world_rank(struct ws_process *process, int64_t comm, int64_t rank)
{
    const struct ws_group *group;

    if (rank < 0)
        return rank == RANK_ANY ? RANK_ANY : RANK_NONE;
    if (comm == WS_COMM_WORLD_ID)
        return rank;
    if (comm == WS_COMM_SELF_ID && rank == 0)
        return process->rank;
    group = (uint64_t)comm < process->comm_count ? process->comms[comm].group : NULL;
    if (group && rank < group->size)
        return group->ranks[rank];
    process->common->untranslated++;
    return RANK_ANY;
}

/* The communicator of the operation, -1: its record has none. */
static int64_t comm_of(const struct ws_source *source)
{
    int comm = source->record->comm;

    if (comm < 0)
        return -1;
    return source->fields ? ws_bound_value(source->record, source->fields, (size_t)comm)
                          : source->values[comm].i;
}

static __attribute__((noinline)) union ws_value translate(struct ws_process *process,
                                                          const struct ws_source *source,
                                                          const struct ws_bound_param *param,
                                                          union ws_value value)
{
    switch (param->how) {
    case WS_PARAM_STRING:
        return (union ws_value){.s = ws_strings_get(&process->common->strings, value.s)};
    case WS_PARAM_COMM_RANK:
        return (union ws_value){.i = world_rank(process, comm_of(source), value.i)};
    case WS_PARAM_COMM:
        return (union ws_value){.i = comm_identity(process, value.i)};
    case WS_PARAM_WINDOW:
        return (union ws_value){.i = window_identity(process, value.i)};
    default:
        return value;
    }
}

static inline union ws_value translated(struct ws_process *process, const struct ws_source *source,
                                        const struct ws_bound_param *param, union ws_value value)
{
    bool known = param->how == WS_PARAM_COMM && (uint64_t)value.i <= WS_COMM_SELF_ID;

    return known || param->how == WS_PARAM_PLAIN ? value : translate(process, source, param, value);
}

/* Fills in the parameters, of a quick record alone. */
static inline void take_quick(struct ws_process *process, const struct ws_source *source, size_t count,
                              union ws_value *value)
{
    const struct ws_bound_record *record = source->record;
    const struct ws_bound_param *plan = record->params;

    for (size_t i = 0; i < count; i++)
        value[i].i = ws_quick_value(&plan[i].quick, source->fields) + plan[i].constant;
    for (size_t i = 0; i < record->translated_count; i++) {
        size_t at = record->translated[i];
        value[at] = translated(process, source, &plan[at], value[at]);
    }
}

static const struct ws_bound_param *plan_of(const struct ws_process *process, const struct ws_source *source)
{
    size_t params = process->common->binding.types[source->record->type].param_count;

    return source->record->params +
           (source->completion ? (size_t)source->completion->completion + 1 : 0) * params;
}

static void take_any(struct ws_process *process, const struct ws_source *source, size_t count,
                     union ws_value *value)
{
    const struct ws_bound_param *plan = plan_of(process, source);

    for (size_t i = 0; i < count; i++) {
        const struct ws_bound_param *param = &plan[i];
        if (param->final)
            value[i] = source->completion_values[param->field];
        else if (source->fields)
            value[i].i = ws_quick_value(&param->quick, source->fields) + param->constant;
        else
            value[i] = source->values[param->field];
        value[i] = translated(process, source, param, value[i]);
    }
}

/* On one process, indexes tell communicators and windows apart as well as identities do. */
void ws_source_key(struct ws_process *process, const struct ws_source *source,
                   const struct ws_bound_number *number, int64_t key[WS_MOST_KEY])
{
    const struct ws_bound_param *plan = plan_of(process, source);

    for (size_t i = 0; i < number->by_count; i++) {
        const struct ws_bound_param *param = &plan[number->by[i]];
        union ws_value value = (param->final ? source->completion_values : source->values)[param->field];
        if (param->how == WS_PARAM_COMM_RANK || param->how == WS_PARAM_STRING)
            value = translate(process, source, param, value);
        memcpy(&key[i], &value, sizeof key[i]);
    }
}

/* ---- numbers ---- */

static __attribute__((noinline)) uint32_t find_channel(struct ws_process *process,
                                                       const struct ws_source *source,
                                                       const struct ws_bound_number *number,
                                                       const struct ws_bound_key *key)
{
    union ws_value values[WS_MOST_FIELDS];
    struct ws_source known = *source;
    int64_t by[WS_MOST_KEY];

    if (source->fields) {
        ws_bound_values(source->record, source->fields, values);
        known.fields = NULL;
        known.values = values;
    }
    if (key->direct)
        for (size_t i = 0; i < number->by_count; i++)
            by[i] = known.values[key->field[i]].i;
    else
        ws_source_key(process, &known, number, by);
    return ws_numbers_add(&process->numbers, number->counter, by, number->by_count);
}

/* The channel that the operation is counted in for its type's number `place`. */
static inline uint32_t start_channel(struct ws_process *process, const struct ws_source *source,
                                     const struct ws_bound_number *number, size_t place)
{
    const struct ws_bound_key *key = &source->record->keys[place];
    struct ws_recent_channel *recent;
    uint64_t bytes;

    if (!key->packed || !source->fields)
        return find_channel(process, source, number, key);
    bytes = ws_get_u64(source->fields + key->offset) & key->mask;
    recent = ws_numbers_recent(&process->numbers, key, bytes);
    if (recent->bytes != bytes || recent->key != key->number)
        *recent = (struct ws_recent_channel){bytes, key->number, find_channel(process, source, number, key)};
    return recent->channel;
}

/* Counts what is posted here.  may_change: the operation may belong to another channel at its end. */
static inline void count(struct ws_thread *thread, const struct ws_source *source, bool may_change,
                         int64_t *numbers)
{
    struct ws_process *process = thread->process;
    const struct ws_bound_type *type = &process->common->binding.types[source->record->type];
    struct ws_numbers *all = &process->numbers;
    uint32_t channel;

    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_bound_number *number = &type->numbers[i];
        bool changed = number->own && may_change && ws_numbers_next_posting(all, &channel);
        if (!changed)
            channel = start_channel(process, source, number, i);
        numbers[i] =
            number->plus + (number->own ? ws_numbers_count(all, channel) : ws_numbers_so_far(all, channel));
    }
}

/* ---- events ---- */

/* Makes the ring larger, by what is in it. */
static __attribute__((noinline)) void widen(struct ws_ring *ring, size_t bytes)
{
    struct ws_ring larger = {
        .count = ring->count, .capacity = ring->capacity ? 2 * ring->capacity : 4, .bytes = bytes};

    larger.slots = ws_alloc_array(larger.capacity, bytes);
    for (size_t i = 0; i < ring->count; i++)
        memcpy(larger.slots + i * bytes, ws_ring_event(ring, i), bytes);
    free(ring->slots);
    *ring = larger;
}

/* A place for one more event. */
static inline struct ws_event *put(struct ws_thread *thread)
{
    struct ws_ring *ring = &thread->ring;

    if (ring->count == ring->capacity)
        widen(ring, thread->process->common->binding.event_bytes);
    return ws_ring_event(ring, ring->count++);
}

/* The thread's present call: the attributes that it alone decides. */
static inline void fill_call(const struct ws_thread *thread, union ws_value *value)
{
    const struct ws_call *call = &thread->call;

    value[WS_ATTR_T].i = call->t_ns;
    value[WS_ATTR_D].i = call->end_ns - call->t_ns;
    value[WS_ATTR_END].i = call->end_ns;
    value[WS_ATTR_PROCESS].i = thread->process->rank;
    value[WS_ATTR_SITE].i = call->site;
    value[WS_ATTR_FUNCTION].s = call->function;
    value[WS_ATTR_CALL].i = call->number;
}

/* Those that the call which started the operation decides, in the same order in both. */
static inline void fill_posted(const struct ws_call *posted, union ws_value *value)
{
    _Static_assert(offsetof(struct ws_call, end_ns) ==
                       (WS_ATTR_BEFORE_FUNCTION - WS_ATTR_POSTED + 1) * sizeof(union ws_value),
                   "struct ws_call begins with these attributes");
    memcpy(&value[WS_ATTR_POSTED], posted, offsetof(struct ws_call, end_ns));
}

/* Forms the event that the thread's present call completes. */
static struct ws_event *form(struct ws_thread *thread, const struct ws_source *source,
                             const struct ws_call *posted, const char *made_by, const int64_t *numbers)
{
    struct ws_process *process = thread->process;
    const struct ws_bound_type *type = &process->common->binding.types[source->record->type];
    struct ws_event *event = put(thread);
    union ws_value *value = event->value;

    event->type = (uint32_t)source->record->type;
    event->mark = 0;
    *ws_event_maker(event, process->common->binding.event_bytes) = made_by;
    fill_call(thread, value);
    fill_posted(posted, value);
    value += WS_ATTR_COUNT;
    if (source->fields && !source->completion)
        take_quick(process, source, type->param_count, value);
    else
        take_any(process, source, type->param_count, value);
    value += type->param_count;
    for (size_t i = 0; i < type->number_count; i++)
        (value++)->i = numbers[i];
    return event;
}

/* ---- calls and starts, for those who want to see them ---- */

static void tell_call(struct ws_thread *thread)
{
    struct ws_event *event;

    if (!thread->new_call || thread->silent)
        return;
    event = put(thread);
    memset(event, 0, thread->process->common->binding.event_bytes);
    event->type = WS_TRACE_CALL;
    fill_call(thread, event->value);
}

static void tell_start(struct ws_thread *thread, const struct ws_source *source,
                       struct ws_operation *operation)
{
    struct ws_event *event;

    if (!thread->process->common->tells_calls)
        return;
    operation->serial = ++thread->process->serial;
    if (thread->silent)
        return;
    event = form(thread, source, &operation->posted, operation->made_by, operation->numbers);
    event->type |= WS_TRACE_STARTED;
    event->mark = operation->serial;
}

/* Of calls that were counted since their site had had its share. */
static void tell_counted(struct ws_thread *thread, const struct ws_source *source)
{
    static const int64_t none[WS_MOST_NUMBERS];
    struct ws_call call = {
        .t_ns = thread->cursor.end_ns, .end_ns = thread->cursor.end_ns, .before = "", .before_function = ""};
    struct ws_event *event;

    if (!thread->process->common->tells_counted || !thread->has_statistics || thread->silent)
        return;
    ws_thread_site(thread, &call);
    event = form(thread, source, &call, call.function, none);
    event->type |= WS_TRACE_COUNTED;
    event->value[WS_ATTR_T].i = event->value[WS_ATTR_END].i = call.end_ns;
    event->value[WS_ATTR_D].i = 0;
    event->value[WS_ATTR_SITE].i = call.site;
    event->value[WS_ATTR_FUNCTION].s = call.function;
    event->value[WS_ATTR_CALL].i = (int64_t)thread->repeat;
    event->value[WS_ATTR_BEFORE_D].i = (int64_t)thread->bytes;
}

static inline struct ws_source source_at(const struct ws_thread *thread)
{
    const struct ws_cursor *cursor = &thread->cursor;

    return (struct ws_source){.record = cursor->record, .fields = cursor->fields, .values = cursor->value};
}

/* Calls that were not recorded one by one: the numbers of those to come depend on them. */
static void count_repeated(struct ws_process *process, struct ws_thread *thread)
{
    const struct ws_source source = source_at(thread);
    const struct ws_bound_type *type;

    if (source.record->type < 0)
        return;
    type = &process->common->binding.types[source.record->type];
    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_bound_number *number = &type->numbers[i];
        if (!number->own)
            continue;
        ws_numbers_skip(&process->numbers, find_channel(process, &source, number, &source.record->keys[i]),
                        thread->repeat);
    }
    tell_counted(thread, &source);
}

static void form_plain(struct ws_thread *thread)
{
    const struct ws_source source = source_at(thread);
    int64_t numbers[WS_MOST_NUMBERS];

    if (source.record->type < 0)
        return;
    count(thread, &source, false, numbers);
    if (thread->silent)
        return;
    form(thread, &source, &thread->call, thread->call.function, numbers);
}

static void follow_operation(struct ws_thread *thread, struct ws_operation *operation,
                             enum ws_outcome outcome)
{
    const struct ws_cursor *cursor = &thread->cursor;
    struct ws_source source = {
        .record = operation->record, .fields = operation->fields, .values = operation->values};

    if (source.record->type < 0)
        return;
    if (outcome == WS_POSTED) {
        operation->posted = thread->call;
        count(thread, &source, true, operation->numbers);
        tell_start(thread, &source, operation);
    } else if (outcome == WS_FORMED && !thread->silent) {
        if (cursor->record->completion >= 0 && source.record->final_by >> cursor->record->completion & 1) {
            source.completion = cursor->record;
            source.completion_values = cursor->value;
        }
        form(thread, &source, &operation->posted, operation->made_by, operation->numbers)->mark =
            operation->serial;
    }
}

/* Gives the name of the event type that the record is about. */
static const char *follow_request(struct ws_thread *thread)
{
    struct ws_process *process = thread->process;
    const struct ws_cursor *cursor = &thread->cursor;
    struct ws_operation *operation = thread->moving;
    enum ws_outcome outcome = ws_requests_apply(&process->requests, cursor->record, cursor->fields,
                                                cursor->value, &thread->call, &operation);
    const char *type = operation ? operation->record->type_name : cursor->record->type_name;

    for (; operation; operation = operation->joined)
        follow_operation(thread, operation, outcome);
    return type;
}

/* Reads one more record; false at the end. */
static inline bool step(struct ws_process *process)
{
    struct ws_thread *thread = ws_process_next(process, WS_READ_EVENTS);
    const char *type;

    if (!thread)
        return false;
    if (thread->repeat) {
        count_repeated(process, thread);
        ws_process_pass(process, thread, WS_READ_EVENTS);
        return true;
    }
    if (process->common->tells_calls)
        tell_call(thread);
    if (thread->cursor.record->role == WS_ROLE_PLAIN) {
        form_plain(thread);
        type = thread->cursor.record->type_name;
    } else {
        type = follow_request(thread);
    }
    ws_process_leave(process, thread, type, WS_READ_EVENTS);
    return true;
}

void ws_process_read(struct ws_process *process, const struct ws_thread *thread, size_t records,
                     size_t enough)
{
    while (records-- && thread->ring.count < enough && step(process))
        ;
}

static void ignore_lost(void *context, const struct ws_operation *operation)
{
    (void)context;
    (void)operation;
}

void ws_process_start(struct ws_process *process)
{
    ws_requests_init(&process->requests, &process->common->binding, ignore_lost, NULL);
    ws_process_rewind(process, WS_READ_EVENTS);
}
