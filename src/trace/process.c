#include "trace/order.h"

#include <stdlib.h>

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
    ws_thread_advance(thread, reading);
}

void ws_process_rewind(struct ws_process *process, enum ws_reading reading)
{
    ws_merge_clear(&process->by_effect);
    for (size_t i = 0; i < process->thread_count; i++) {
        struct ws_thread *thread = &process->threads[i];
        ws_thread_rewind(thread, reading);
        if (thread->more)
            ws_merge_add(&process->by_effect, ws_thread_effect_ns(thread), thread);
    }
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
    ws_merge_free(&process->by_effect);
    free(process->comms);
    free(process->windows);
    ws_requests_finish(&process->requests);
    ws_numbers_free(&process->numbers);
}
