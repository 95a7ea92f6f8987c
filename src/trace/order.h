/* The order of the records of a process, and the calls that they are of: what each record passes through in
 * each reading.  All of it is inline, and `reading` a constant, so that what a reading does not want costs it
 * nothing: a record has a budget of some 250 instructions in all. */
#ifndef WS_TRACE_ORDER_H
#define WS_TRACE_ORDER_H

#include "trace/process.h"

/* ---- one thread ---- */

/* Goes to the next record of a call. */
static inline void ws_thread_advance(struct ws_thread *thread, enum ws_reading reading)
{
    if (thread->unusual) {
        thread->unusual = thread->half_done = thread->has_statistics = false;
        thread->moving = NULL;
        thread->repeat = 0;
    }
    while ((thread->more = ws_cursor_next(&thread->cursor, reading)) && !thread->cursor.record)
        ws_thread_define(thread);
}

/* Where the thread's record was called, and what. */
static inline void ws_thread_site(const struct ws_thread *thread, struct ws_call *call)
{
    const struct ws_schema *schema = thread->process->common->binding.trace;
    uint32_t site = thread->cursor.site, defined = site - (uint32_t)schema->function_count;

    call->site = 0;
    call->function = "";
    if (defined < thread->stream.site_count) {
        const struct ws_stream_site *found = &thread->stream.sites[defined];
        call->site = found->site;
        call->function = found->function ? found->function : "";
    } else if (site < schema->function_count) {
        call->function = schema->functions[site];
    }
}

/* Of a call that follows one that could wait, or none: what came before it. */
static inline void ws_thread_begin_before(const struct ws_thread *thread, struct ws_call *call)
{
    call->before = thread->call_type ? thread->call_type : "";
    call->before_function = thread->call_type ? call->function : "";
    call->before_ns = call->end_ns - call->t_ns;
    call->compute_ns = 0;
}

/* Fills the call of the record.  Calls of a thread follow each other: one that seems to start before the last
 * one's end is taken to start there. */
static inline void ws_thread_enter_call(struct ws_thread *thread, enum ws_reading reading)
{
    const struct ws_cursor *cursor = &thread->cursor;
    struct ws_call *call = &thread->call;

    thread->new_call = !thread->call_type || !cursor->follows;
    if (!thread->new_call)
        return;
    if (!thread->call_type || thread->may_wait)
        ws_thread_begin_before(thread, call);
    if (thread->call_type)
        thread->idle_since_ns = call->end_ns;
    call->t_ns = cursor->t_ns > thread->idle_since_ns ? cursor->t_ns : thread->idle_since_ns;
    call->end_ns = cursor->end_ns;
    call->compute_ns += thread->idle_since_ns < 0 ? 0 : call->t_ns - thread->idle_since_ns;
    if (thread->silent || thread->sampled) { /* what was done between is not known */
        call->before = call->before_function = "";
        call->before_ns = call->compute_ns = 0;
    }
    if (reading == WS_READ_EVENTS)
        ws_thread_site(thread, call);
    call->number = (int64_t)((uint64_t)thread->stream.thread << 32 | thread->call_count++);
    thread->call_type = "";
    thread->may_wait = false;
}

/* ---- the threads of a process ---- */

/* When the record has its effect on requests: a handle that it makes exists at the end of the call at the
 * latest, one that it ends may be gone at its start. */
static inline int64_t ws_thread_effect_ns(const struct ws_thread *thread)
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

/* The thread whose next record has its effect first, its `call` filled; NULL at the end. */
static inline struct ws_thread *ws_process_next(struct ws_process *process, enum ws_reading reading)
{
    while (process->by_effect.count) {
        struct ws_thread *thread = ws_merge_first(&process->by_effect);
        const struct ws_cursor *cursor = &thread->cursor;
        if (thread->repeat)
            return thread;
        if (cursor->record->role != WS_ROLE_CONTINUE || thread->half_done) {
            ws_thread_enter_call(thread, reading);
            return thread;
        }
        thread->moving = ws_requests_take_out(&process->requests, cursor->record, cursor->value);
        thread->half_done = thread->unusual = true;
        ws_merge_delay(&process->by_effect, ws_thread_effect_ns(thread));
    }
    return NULL;
}

/* Passes over a record that stands for calls that were not recorded one by one: it is no call of its own. */
static inline void ws_process_pass(struct ws_process *process, struct ws_thread *thread,
                                   enum ws_reading reading)
{
    ws_thread_advance(thread, reading);
    if (!thread->more)
        ws_merge_remove(&process->by_effect);
    else if (process->by_effect.count > 1)
        ws_merge_delay(&process->by_effect, ws_thread_effect_ns(thread));
}

/* Leaves that record; type: name of the event type that it is about, or "". */
static inline void ws_process_leave(struct ws_process *process, struct ws_thread *thread, const char *type,
                                    enum ws_reading reading)
{
    if (!*thread->call_type)
        thread->call_type = type;
    thread->may_wait |= thread->cursor.record->may_wait;
    ws_process_pass(process, thread, reading);
}

#endif
