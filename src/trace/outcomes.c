#include "trace/outcomes.h"

#include "trace/order.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- exceptions ---- */

static void except_all(struct ws_process *process, const struct ws_operation *operation)
{
    for (size_t i = 0; i < operation->record->own_count; i++)
        ws_numbers_except(&process->numbers, operation->posting + i, WS_NO_CHANNEL);
}

/* The operation, whose first place among the postings this is, may have come to belong to another channel
 * than it was posted for. */
static void except_changed(struct ws_process *process, uint64_t posting, const struct ws_source *start,
                           const struct ws_source *final)
{
    const struct ws_bound_type *type;
    int64_t posted_key[WS_MOST_KEY], final_key[WS_MOST_KEY];

    if (start->record->type < 0)
        return;
    type = &process->common->binding.types[start->record->type];
    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_bound_number *number = &type->numbers[i];
        if (!number->own)
            continue;
        ws_source_key(process, start, number, posted_key);
        ws_source_key(process, final, number, final_key);
        if (number->by_count && memcmp(posted_key, final_key, number->by_count * sizeof *final_key) != 0)
            ws_numbers_except(
                &process->numbers, posting,
                ws_numbers_add(&process->numbers, number->counter, final_key, number->by_count));
        posting++;
    }
}

/* ---- if each operation ends once ---- */

#define MOST_HANDLES 65536 /* of a process that uses them again */

static struct ws_started *started_for(const struct ws_outcomes *outcomes, uint64_t handle)
{
    const struct ws_map_entry *entry = ws_map_find(&outcomes->by_handle, handle);

    return entry ? (struct ws_started *)(uintptr_t)entry->value : NULL;
}

/* Finds what the handle was started for, or makes it. */
static __attribute__((noinline)) struct ws_started *reach(struct ws_outcomes *outcomes,
                                                          const struct ws_process *process, uint64_t handle)
{
    struct ws_map_entry *entry = ws_map_reach(&outcomes->by_handle, handle);
    struct ws_started *started = (struct ws_started *)(uintptr_t)entry->value;

    if (started)
        return started;
    started = ws_alloc(sizeof *started + process->common->binding.most_fields * sizeof(union ws_value));
    started->made = -1;
    entry->value = (uintptr_t)started;
    outcomes->failed |= outcomes->by_handle.count > MOST_HANDLES;
    return started;
}

static void post(struct ws_outcomes *outcomes, struct ws_process *process, struct ws_started *started)
{
    started->posting = process->numbers.postings;
    process->numbers.postings += started->record->own_count;
    outcomes->open++;
}

static void start(struct ws_outcomes *outcomes, struct ws_process *process, const struct ws_thread *thread)
{
    const struct ws_cursor *cursor = &thread->cursor;
    const struct ws_bound_record *record = cursor->record;
    uint64_t handle = (uint64_t)cursor->value[record->request].i;
    size_t at = (handle * UINT64_C(0x9E3779B97F4A7C15)) >> 60;
    struct ws_started *started = outcomes->recent[at].started;

    if (!started || outcomes->recent[at].handle != handle) {
        started = reach(outcomes, process, handle);
        outcomes->recent[at].handle = handle;
        outcomes->recent[at].started = started;
    }
    outcomes->failed |= started->made == thread->call.number; /* one completion ends both */
    started->made = thread->call.number;
    started->record = record;
    started->persistent = record->role == WS_ROLE_INIT;
    started->fields = cursor->fields;
    if (record->resolves && !cursor->fields)
        memcpy(started->values, cursor->value, record->record->field_count * sizeof *cursor->value);
    if (!started->persistent)
        post(outcomes, process, started);
}

static void restart(struct ws_outcomes *outcomes, struct ws_process *process, uint64_t handle)
{
    struct ws_started *started = started_for(outcomes, handle);

    if (started && started->persistent)
        post(outcomes, process, started);
    else
        outcomes->failed = true;
}

static void complete(struct ws_outcomes *outcomes, struct ws_process *process, const struct ws_cursor *cursor)
{
    const struct ws_bound_record *record = cursor->record;
    struct ws_started *started = started_for(outcomes, (uint64_t)cursor->value[record->request].i);

    outcomes->open--;
    if (!started || (record->cancelled >= 0 && cursor->value[record->cancelled].i)) {
        outcomes->failed = true;
    } else if (started->record->resolves) {
        if (started->fields)
            ws_bound_values(started->record, started->fields, started->values);
        except_changed(process, started->posting,
                       &(struct ws_source){.record = started->record, .values = started->values},
                       &(struct ws_source){started->record, record, NULL, started->values, cursor->value});
    }
}

void ws_outcomes_follow(struct ws_outcomes *outcomes, struct ws_process *process,
                        const struct ws_thread *thread)
{
    const struct ws_cursor *cursor = &thread->cursor;

    if (!outcomes->stream)
        outcomes->stream = cursor->stream;
    outcomes->failed |= outcomes->stream != cursor->stream || cursor->record->request < 0;
    if (outcomes->failed)
        return;
    switch (cursor->record->role) {
    case WS_ROLE_START:
    case WS_ROLE_INIT:
        start(outcomes, process, thread);
        break;
    case WS_ROLE_RESTART:
        restart(outcomes, process, (uint64_t)cursor->value[cursor->record->request].i);
        break;
    case WS_ROLE_COMPLETE:
        complete(outcomes, process, cursor);
        break;
    default:
        outcomes->failed = true;
        break;
    }
}

/* ---- if not ---- */

static void follow_operation(struct ws_process *process, const struct ws_cursor *cursor,
                             struct ws_operation *operation, enum ws_outcome outcome)
{
    switch (outcome) {
    case WS_POSTED:
        operation->posting = process->numbers.postings;
        process->numbers.postings += operation->record->own_count;
        break;
    case WS_FORMED:
        if (operation->record->resolves && cursor->record->brings) {
            if (operation->fields)
                ws_bound_values(operation->record, operation->fields, operation->values);
            except_changed(process, operation->posting,
                           &(struct ws_source){.record = operation->record, .values = operation->values},
                           &(struct ws_source){operation->record, cursor->record, NULL, operation->values,
                                               cursor->value});
        }
        break;
    case WS_DROPPED:
        except_all(process, operation);
        break;
    case WS_NOTHING:
        break;
    }
}

static void follow_request(struct ws_process *process, const struct ws_thread *thread)
{
    const struct ws_cursor *cursor = &thread->cursor;
    struct ws_operation *operation = thread->moving;

    enum ws_outcome outcome = ws_requests_apply(&process->requests, cursor->record, cursor->fields,
                                                cursor->value, &thread->call, &operation);

    for (; operation; operation = operation->joined)
        follow_operation(process, cursor, operation, outcome);
}

static void lost_operation(void *context, const struct ws_operation *operation)
{
    struct ws_process *process = context;

    process->incomplete++;
    for (; operation; operation = operation->joined)
        except_all(process, operation);
}

static void follow_all(struct ws_process *process)
{
    struct ws_thread *thread;

    process->numbers.exception_count = 0;
    process->numbers.postings = 0;
    ws_requests_init(&process->requests, &process->common->binding, lost_operation, process);
    ws_process_rewind(process, WS_READ_REQUESTS);
    while ((thread = ws_process_next(process, WS_READ_REQUESTS))) {
        if (thread->repeat) {
            ws_process_pass(process, thread, WS_READ_REQUESTS);
            continue;
        }
        if (thread->cursor.record->role != WS_ROLE_PLAIN)
            follow_request(process, thread);
        ws_process_leave(process, thread, "", WS_READ_REQUESTS);
    }
    ws_requests_finish(&process->requests);
}

void ws_outcomes_conclude(struct ws_outcomes *outcomes, struct ws_process *process)
{
    for (size_t i = 0; i < process->thread_count; i++)
        outcomes->failed |= process->threads[i].cursor.lost || process->threads[i].cursor.damage;
    if (outcomes->failed || outcomes->open)
        follow_all(process);
    ws_numbers_second_reading(&process->numbers);
    for (size_t i = 0; i < outcomes->by_handle.capacity; i++)
        free((void *)(uintptr_t)outcomes->by_handle.entries[i].value);
    ws_map_free(&outcomes->by_handle);
}
