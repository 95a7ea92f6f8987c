/* The first reading of a process: what it is, its definitions, its totals, and the exceptions of its
 * numbers (trace/numbers.h). */
#include "trace/process.h"

#include "trace/layout.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SITES (UINT32_C(1) << 22) /* of one stream */

/* ---- definitions ---- */

static void define_begin(struct ws_thread *thread)
{
    struct ws_process *process = thread->process;
    struct ws_begin begin;

    thread->idle_since_ns = thread->cursor.end_ns;
    if (process->begun)
        return;
    ws_cursor_begin(&thread->cursor, &begin);
    process->begun = true;
    process->begin_ns = thread->cursor.end_ns;
    process->size = begin.size <= WS_MOST_RANKS ? begin.size : 0;
    process->cost_ps = begin.call_cost_ps;
    process->host = ws_strings_get(&process->common->strings, begin.host);
    process->library = ws_strings_get(&process->common->strings, begin.library);
    process->executable = ws_strings_get(&process->common->strings, begin.executable);
}

static void define_end(struct ws_thread *thread)
{
    struct ws_process *process = thread->process;
    uint64_t flush_ns = ws_cursor_flush_ns(&thread->cursor);

    process->finished = true;
    process->end_ns = thread->cursor.end_ns;
    process->flush_ns = flush_ns > INT64_MAX ? 0 : flush_ns;
}

static void define_site(struct ws_thread *thread)
{
    struct ws_stream *stream = &thread->stream;
    uint32_t site;
    uint64_t offset;
    const char *module = ws_cursor_site(&thread->cursor, &site, &offset);

    if (site == 0 || site >= MOST_SITES)
        return;
    if (site >= stream->site_count) {
        size_t count = site < 64 ? 64 : 2 * (size_t)site;
        stream->sites = ws_realloc_array(stream->sites, count, sizeof *stream->sites);
        memset(stream->sites + stream->site_count, 0, (count - stream->site_count) * sizeof *stream->sites);
        stream->site_count = count;
    }
    stream->sites[site] = ws_sites_add(&thread->process->common->sites,
                                       ws_strings_get(&thread->process->common->strings, module), offset);
}

static void define_comm(struct ws_thread *thread)
{
    uint32_t comm, size;
    const uint8_t *ranks = ws_cursor_comm(&thread->cursor, &comm, &size);
    const struct ws_group *group = ws_groups_get(&thread->process->common->groups, ranks, size);

    ws_map_put(&thread->process->comms, comm, (uintptr_t)group);
}

void ws_thread_define(struct ws_thread *thread)
{
    switch (thread->cursor.id) {
    case WS_RECORD_BEGIN:
        define_begin(thread);
        break;
    case WS_RECORD_END:
        define_end(thread);
        break;
    case WS_RECORD_SITE:
        define_site(thread);
        break;
    case WS_RECORD_COMM:
        define_comm(thread);
        break;
    default: /* a window's communicator: no event needs it */
        break;
    }
}

/* ---- numbers ---- */

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
    const struct ws_source start = {.record = operation->record, .fields = operation->fields};
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

static void follow_request(struct ws_process *process, const struct ws_thread *thread)
{
    const struct ws_cursor *cursor = &thread->cursor;
    struct ws_operation *operation = thread->moving;

    switch (ws_requests_apply(&process->requests, cursor->record, cursor->fields, &operation)) {
    case WS_POSTED:
        operation->posting = process->numbers.postings;
        process->numbers.postings += type_of(process, operation)->own_count;
        break;
    case WS_FORMED:
        if (operation->record->resolves && cursor->record->completion >= 0)
            except_changed(
                process, operation,
                &(struct ws_source){operation->record, cursor->record, operation->fields, cursor->fields});
        break;
    case WS_DROPPED:
        except_all(process, operation);
        break;
    case WS_NOTHING:
        break;
    }
}

static void lost_operation(void *context, const struct ws_operation *operation)
{
    struct ws_process *process = context;

    process->incomplete++;
    except_all(process, operation);
}

/* ---- the reading ---- */

void ws_process_index(struct ws_process *process)
{
    int64_t first_ns = INT64_MAX, last_ns = 0;
    struct ws_thread *thread;

    ws_requests_init(&process->requests, process->common->binding.most_numbers, lost_operation, process);
    ws_process_rewind(process);
    while ((thread = ws_process_next(process))) {
        const struct ws_call *call = &thread->call;
        process->records++;
        if (thread->new_call) {
            process->calls++;
            process->call_ns += call->end_ns - call->t_ns;
        }
        first_ns = call->t_ns < first_ns ? call->t_ns : first_ns;
        last_ns = call->end_ns > last_ns ? call->end_ns : last_ns;
        if (thread->cursor.record->record->role != WS_ROLE_PLAIN)
            follow_request(process, thread);
        ws_process_leave(process, thread, "");
    }
    ws_requests_finish(&process->requests);
    ws_numbers_second_reading(&process->numbers);
    if (!process->begun)
        process->begin_ns = first_ns == INT64_MAX ? 0 : first_ns;
    if (!process->finished)
        process->end_ns = last_ns > process->begin_ns ? last_ns : process->begin_ns;
}
