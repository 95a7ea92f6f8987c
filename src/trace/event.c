/* The second reading of a process: its events. */
#include "trace/process.h"

#include "trace/layout.h"
#include "util/alloc.h"

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

union ws_value ws_source_param(struct ws_process *process, const struct ws_source *source, size_t param)
{
    const struct ws_bound_record *record = source->record, *from = record;
    size_t params = process->common->binding.types[record->type].param_count, field;
    const union ws_value *values = source->values;
    int final =
        source->completion ? record->finals[(size_t)source->completion->completion * params + param] : -1;
    union ws_value value;

    field = (size_t)record->params[param];
    if (final >= 0) {
        from = source->completion;
        values = source->completion_values;
        field = (size_t) final;
    }
    value = values[field];
    switch (from->record->fields[field].format) {
    case WS_FORMAT_STRING:
        value.s = ws_strings_get(&process->common->strings, value.s);
        break;
    case WS_FORMAT_COMM_RANK:
        value.i = world_rank(process, record->comm < 0 ? -1 : source->values[record->comm].i, value.i);
        break;
    case WS_FORMAT_COMM:
        value.i = comm_identity(process, value.i);
        break;
    case WS_FORMAT_WINDOW:
        value.i = window_identity(process, value.i);
        break;
    default:
        break;
    }
    return value;
}

void ws_source_key(struct ws_process *process, const struct ws_source *source,
                   const struct ws_bound_number *number, int64_t key[WS_MOST_KEY])
{
    for (size_t i = 0; i < number->by_count; i++) {
        union ws_value value = ws_source_param(process, source, (size_t)number->by[i]);
        memcpy(&key[i], &value, sizeof key[i]);
    }
}

/* ---- numbers ---- */

/* Counts what is posted here.  may_change: the operation may belong to another channel at its end. */
static void count(struct ws_process *process, const struct ws_source *source, bool may_change,
                  int64_t *numbers)
{
    const struct ws_bound_type *type = &process->common->binding.types[source->record->type];
    int64_t key[WS_MOST_KEY];
    uint32_t channel;

    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_bound_number *number = &type->numbers[i];
        bool changed = number->own && may_change && ws_numbers_next_posting(&process->numbers, &channel);
        if (!changed)
            ws_source_key(process, source, number, key);
        if (!number->own) {
            numbers[i] =
                number->plus + ws_numbers_so_far(&process->numbers, number->counter, key, number->by_count);
            continue;
        }
        if (!changed)
            channel = ws_numbers_channel(&process->numbers, number->counter, key, number->by_count);
        numbers[i] = number->plus + ws_numbers_count(&process->numbers, channel);
    }
}

/* ---- events ---- */

static void put(struct ws_thread *thread, struct ws_event *event)
{
    if (thread->event_count == thread->event_capacity) {
        size_t capacity = thread->event_capacity ? 2 * thread->event_capacity : 8;
        struct ws_event **events = ws_alloc_array(capacity, sizeof *events);
        for (size_t i = 0; i < thread->event_count; i++)
            events[i] = thread->events[(thread->first_event + i) % thread->event_capacity];
        free(thread->events);
        thread->events = events;
        thread->event_capacity = capacity;
        thread->first_event = 0;
    }
    thread->events[(thread->first_event + thread->event_count++) % thread->event_capacity] = event;
}

struct ws_event *ws_thread_take(struct ws_thread *thread)
{
    struct ws_event *event = thread->events[thread->first_event];

    thread->first_event = (thread->first_event + 1) % thread->event_capacity;
    thread->event_count--;
    return event;
}

/* Forms the event that the thread's present call completes. */
static void form(struct ws_thread *thread, const struct ws_source *source, const struct ws_call *posted,
                 const int64_t *numbers)
{
    struct ws_process *process = thread->process;
    const struct ws_bound_type *type = &process->common->binding.types[source->record->type];
    const struct ws_call *call = &thread->call;
    struct ws_event *event;
    union ws_value *value;

    event =
        ws_alloc(sizeof *event + (WS_ATTR_COUNT + type->param_count + type->number_count) * sizeof *value);
    value = event->value;
    event->type = (uint32_t)source->record->type;
    value[WS_ATTR_T].i = call->t_ns;
    value[WS_ATTR_D].i = call->end_ns - call->t_ns;
    value[WS_ATTR_END].i = call->end_ns;
    value[WS_ATTR_PROCESS].i = process->rank;
    value[WS_ATTR_SITE].i = call->site;
    value[WS_ATTR_FUNCTION].s = call->function;
    value[WS_ATTR_POSTED].i = posted->t_ns;
    value[WS_ATTR_POSTED_SITE].i = posted->site;
    value[WS_ATTR_POSTED_FUNCTION].s = posted->function;
    value[WS_ATTR_COMPUTE].i = posted->compute_ns;
    value[WS_ATTR_BEFORE].s = posted->before;
    value[WS_ATTR_BEFORE_D].i = posted->before_ns;
    value[WS_ATTR_BEFORE_FUNCTION].s = posted->before_function;
    value[WS_ATTR_CALL].i = call->number;
    value += WS_ATTR_COUNT;
    for (size_t i = 0; i < type->param_count; i++)
        *value++ = ws_source_param(process, source, i);
    for (size_t i = 0; i < type->number_count; i++)
        (value++)->i = numbers[i];
    put(thread, event);
}

static void form_plain(struct ws_thread *thread)
{
    const struct ws_source source = {.record = thread->cursor.record, .values = thread->cursor.value};
    int64_t numbers[WS_MOST_NUMBERS];

    if (source.record->type < 0)
        return;
    count(thread->process, &source, false, numbers);
    form(thread, &source, &thread->call, numbers);
}

/* Gives the name of the event type that the record is about. */
static const char *follow_request(struct ws_thread *thread)
{
    struct ws_process *process = thread->process;
    const struct ws_cursor *cursor = &thread->cursor;
    struct ws_operation *operation = thread->moving;
    struct ws_source source = {0};
    enum ws_outcome outcome =
        ws_requests_apply(&process->requests, cursor->record, cursor->value, &operation);

    if (!operation)
        return cursor->record->type_name;
    source.record = operation->record;
    source.values = operation->values;
    if (source.record->type < 0)
        return source.record->type_name;
    if (outcome == WS_POSTED) {
        operation->posted = thread->call;
        count(process, &source, true, operation->numbers);
    } else if (outcome == WS_FORMED) {
        if (cursor->record->completion >= 0) {
            source.completion = cursor->record;
            source.completion_values = cursor->value;
        }
        form(thread, &source, &operation->posted, operation->numbers);
    }
    return source.record->type_name;
}

bool ws_process_step(struct ws_process *process)
{
    struct ws_thread *thread = ws_process_next(process);
    const char *type;

    if (!thread)
        return false;
    if (thread->cursor.record->record->role == WS_ROLE_PLAIN) {
        form_plain(thread);
        type = thread->cursor.record->type_name;
    } else {
        type = follow_request(thread);
    }
    ws_process_leave(process, thread, type);
    return true;
}

static void ignore_lost(void *context, const struct ws_operation *operation)
{
    (void)context;
    (void)operation;
}

void ws_process_start(struct ws_process *process)
{
    ws_requests_init(&process->requests, &process->common->binding, ignore_lost, NULL);
    ws_process_rewind(process);
}
