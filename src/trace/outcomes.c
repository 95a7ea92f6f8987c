#include "trace/outcomes.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- exceptions ---- */

static const struct ws_bound_type *type_of(const struct ws_process *process,
                                           const struct ws_operation *operation)
{
    static const struct ws_bound_type none;
    return operation->record->type >= 0 ? &process->common->binding.types[operation->record->type] : &none;
}

static void except_all(struct ws_process *process, const struct ws_operation *operation)
{
    size_t count = type_of(process, operation)->own_count;

    for (size_t i = 0; i < count; i++)
        ws_numbers_except(&process->numbers, operation->posting + i, WS_NO_CHANNEL);
}

/* The operation came to belong to another channel than it was posted for. */
static void except_changed(struct ws_process *process, const struct ws_operation *operation,
                           const struct ws_source *final)
{
    const struct ws_source start = {.record = operation->record, .values = operation->values};
    const struct ws_bound_type *type = type_of(process, operation);
    int64_t posted_key[WS_MOST_KEY], final_key[WS_MOST_KEY];
    uint64_t posting = operation->posting;

    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_bound_number *number = &type->numbers[i];
        if (!number->own)
            continue;
        ws_source_key(process, &start, number, posted_key);
        ws_source_key(process, final, number, final_key);
        if (number->by_count && memcmp(posted_key, final_key, number->by_count * sizeof *final_key) != 0)
            ws_numbers_except(
                &process->numbers, posting,
                ws_numbers_channel(&process->numbers, number->counter, final_key, number->by_count));
        posting++;
    }
}

/* ---- if each operation ends once ---- */

#define MOST_HANDLES 65536 /* of a process that uses them again */

static struct ws_operation *started_for(const struct ws_outcomes *outcomes, const struct ws_cursor *cursor)
{
    const struct ws_map_entry *entry =
        ws_map_find(&outcomes->by_handle, (uint64_t)cursor->value[cursor->record->request].i);

    return entry ? (struct ws_operation *)(uintptr_t)entry->value : NULL;
}

static void post(struct ws_outcomes *outcomes, struct ws_process *process, struct ws_operation *operation)
{
    operation->posting = process->numbers.postings;
    process->numbers.postings += type_of(process, operation)->own_count;
    outcomes->open++;
}

static void start(struct ws_outcomes *outcomes, struct ws_process *process, const struct ws_thread *thread)
{
    const struct ws_cursor *cursor = &thread->cursor;
    const struct ws_bound_record *record = cursor->record;
    uint64_t handle = (uint64_t)cursor->value[record->request].i;
    struct ws_map_entry *entry = ws_map_reach(&outcomes->by_handle, handle);
    struct ws_operation *operation = (struct ws_operation *)(uintptr_t)entry->value;

    if (!operation) {
        operation =
            ws_alloc(sizeof *operation + process->common->binding.most_fields * sizeof(union ws_value));
        operation->values = (union ws_value *)operation->numbers;
        entry->value = (uintptr_t)operation;
        outcomes->failed |= outcomes->by_handle.count > MOST_HANDLES;
    } else if (operation->made == thread->call.number) {
        outcomes->failed = true; /* one completion ends both */
    }
    operation->made = thread->call.number;
    operation->record = record;
    operation->persistent = record->role == WS_ROLE_INIT;
    if (record->resolves)
        memcpy(operation->values, cursor->value, record->record->field_count * sizeof *cursor->value);
    if (!operation->persistent)
        post(outcomes, process, operation);
}

static void restart(struct ws_outcomes *outcomes, struct ws_process *process, const struct ws_cursor *cursor)
{
    struct ws_operation *operation = started_for(outcomes, cursor);

    if (operation && operation->persistent)
        post(outcomes, process, operation);
    else
        outcomes->failed = true;
}

static void complete(struct ws_outcomes *outcomes, struct ws_process *process, const struct ws_cursor *cursor)
{
    const struct ws_bound_record *record = cursor->record;
    const struct ws_operation *operation;

    outcomes->open--;
    operation = started_for(outcomes, cursor);
    if (!operation || (record->cancelled >= 0 && cursor->value[record->cancelled].i))
        outcomes->failed = true;
    else if (operation->record->resolves)
        except_changed(process, operation,
                       &(struct ws_source){operation->record, record, operation->values, cursor->value});
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
        restart(outcomes, process, cursor);
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
        process->numbers.postings += type_of(process, operation)->own_count;
        break;
    case WS_FORMED:
        if (operation->record->resolves && cursor->record->brings)
            except_changed(
                process, operation,
                &(struct ws_source){operation->record, cursor->record, operation->values, cursor->value});
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

    enum ws_outcome outcome =
        ws_requests_apply(&process->requests, cursor->record, cursor->value, &thread->call, &operation);

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
    while ((thread = ws_process_next(process))) {
        if (thread->repeat) {
            ws_process_pass(process, thread);
            continue;
        }
        if (thread->cursor.record->role != WS_ROLE_PLAIN)
            follow_request(process, thread);
        ws_process_leave(process, thread, "");
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
        free((struct ws_operation *)(uintptr_t)outcomes->by_handle.entries[i].value);
    ws_map_free(&outcomes->by_handle);
}
