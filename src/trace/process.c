#include "trace/process.h"

#include "trace/layout.h"

#include <stdlib.h>

/* When the record has its effect on requests: a handle that it makes exists at the end of the call at the
 * latest, one that it ends may be gone at its start. */
static int64_t effect_ns(const struct ws_thread *thread)
{
    switch (thread->cursor.record->role) {
    case WS_ROLE_START:
    case WS_ROLE_INIT:
        return thread->cursor.end_ns;
    case WS_ROLE_CONTINUE:
        return thread->half_done ? thread->cursor.end_ns : thread->cursor.t_ns;
    default:
        return thread->cursor.t_ns;
    }
}

void ws_thread_advance(struct ws_thread *thread)
{
    if (thread->repeat || thread->half_done || thread->has_statistics) {
        thread->half_done = false;
        thread->moving = NULL;
        thread->repeat = 0;
        thread->has_statistics = false;
    }
    while ((thread->more = ws_cursor_next(&thread->cursor)) && !thread->cursor.record)
        ws_thread_define(thread);
}

void ws_thread_rewind(struct ws_thread *thread, enum ws_reading reading)
{
    const struct ws_clock *clock = thread->process->clock;

    thread->cursor = (struct ws_cursor){
        .stream = &thread->stream,
        .binding = &thread->process->common->binding,
        .clock = clock && clock->alignment != WS_ALIGNED_SAME ? clock : NULL,
        .reading = reading,
    };
    thread->call = (struct ws_call){0};
    thread->call_type = NULL;
    thread->call_count = 0;
    thread->idle_since_ns = -1;
    thread->silent = thread->sampled = false;
    ws_thread_advance(thread);
}

void ws_process_rewind(struct ws_process *process, enum ws_reading reading)
{
    process->by_effect.count = 0;
    for (size_t i = 0; i < process->thread_count; i++) {
        struct ws_thread *thread = &process->threads[i];
        ws_thread_rewind(thread, reading);
        if (thread->more)
            ws_heap_push(&process->by_effect, effect_ns(thread), thread->stream.thread, thread);
    }
}

void ws_process_site(const struct ws_thread *thread, struct ws_call *call)
{
    const struct ws_schema *schema = thread->process->common->binding.trace;
    uint32_t site = thread->cursor.site;
    const struct ws_stream_site *found;

    call->site = 0;
    call->function = "";
    if (site < schema->function_count) {
        call->function = schema->functions[site];
    } else if ((site -= (uint32_t)schema->function_count) < thread->stream.site_count) {
        found = &thread->stream.sites[site];
        call->site = found->site;
        call->function = found->function ? found->function : "";
    }
}

/* Calls of a thread follow each other: one that seems to start before the last one's end is taken to start
 * there. */
static void enter_call(struct ws_thread *thread)
{
    const struct ws_cursor *cursor = &thread->cursor;
    struct ws_call *call = &thread->call;

    thread->new_call = !thread->call_type || !cursor->follows;
    if (!thread->new_call)
        return;
    if (!thread->call_type || thread->may_wait) {
        call->before = thread->call_type ? thread->call_type : "";
        call->before_function = thread->call_type ? call->function : "";
        call->before_ns = call->end_ns - call->t_ns;
        call->compute_ns = 0;
    }
    if (thread->call_type)
        thread->idle_since_ns = call->end_ns;
    call->t_ns = cursor->t_ns;
    if (call->t_ns < thread->idle_since_ns)
        call->t_ns = thread->idle_since_ns;
    call->end_ns = cursor->end_ns;
    call->compute_ns += thread->idle_since_ns < 0 ? 0 : call->t_ns - thread->idle_since_ns;
    if (thread->silent || thread->sampled) { /* what was done between is not known */
        call->before = call->before_function = "";
        call->before_ns = call->compute_ns = 0;
    }
    if (cursor->reading == WS_READ_VALUES)
        ws_process_site(thread, call);
    call->number = (int64_t)((uint64_t)thread->stream.thread << 32 | thread->call_count++);
    thread->call_type = "";
    thread->may_wait = false;
}

struct ws_thread *ws_process_next(struct ws_process *process)
{
    while (process->by_effect.count) {
        struct ws_thread *thread = process->by_effect.entries[0].item;
        const struct ws_cursor *cursor = &thread->cursor;
        if (thread->repeat)
            return thread;
        if (cursor->record->role != WS_ROLE_CONTINUE || thread->half_done) {
            enter_call(thread);
            return thread;
        }
        thread->moving = ws_requests_take_out(&process->requests, cursor->record, cursor->value);
        thread->half_done = true;
        ws_heap_delay(&process->by_effect, effect_ns(thread));
    }
    return NULL;
}

void ws_process_pass(struct ws_process *process, struct ws_thread *thread)
{
    ws_thread_advance(thread);
    if (!thread->more)
        ws_heap_pop(&process->by_effect);
    else if (process->by_effect.count > 1)
        ws_heap_delay(&process->by_effect, effect_ns(thread));
}

void ws_process_leave(struct ws_process *process, struct ws_thread *thread, const char *type)
{
    if (!*thread->call_type)
        thread->call_type = type;
    thread->may_wait |= thread->cursor.record->may_wait;
    ws_process_pass(process, thread);
}

void ws_process_release(struct ws_process *process)
{
    for (size_t i = 0; i < process->thread_count; i++) {
        struct ws_thread *thread = &process->threads[i];
        free(thread->ring.slots);
        for (struct ws_operation *next, *moving = thread->moving; moving; moving = next) {
            next = moving->joined;
            free(moving);
        }
        ws_stream_close(&thread->stream);
    }
    free(process->threads);
    free(process->phases);
    free(process->names);
    free(process->counted);
    ws_heap_free(&process->by_effect);
    free(process->comms);
    free(process->windows);
    ws_requests_finish(&process->requests);
    ws_numbers_free(&process->numbers);
}
