/* The first reading of a process: what it is, its definitions, its totals, and the exceptions of its numbers
 * (trace/numbers.h), if those are easily found. */
#include "trace/order.h"
#include "trace/outcomes.h"

#include "trace/layout.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define MOST_INDEX (UINT32_C(1) << 22) /* of what one stream defines */

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

/* Room for one more in a table by index; what is new is zero. */
static void *reach(void *table, size_t *count, size_t index, size_t size)
{
    size_t larger = index < 64 ? 64 : 2 * index;

    if (index < *count)
        return table;
    table = ws_realloc_array(table, larger, size);
    memset((char *)table + *count * size, 0, (larger - *count) * size);
    *count = larger;
    return table;
}

static void define_site(struct ws_thread *thread)
{
    struct ws_common *common = thread->process->common;
    struct ws_stream *stream = &thread->stream;
    size_t functions = common->binding.trace->function_count, index;
    struct ws_site_definition site;

    ws_cursor_site(&thread->cursor, &site);
    if (site.site < functions || site.site >= MOST_INDEX || site.function >= functions)
        return;
    index = site.site - functions;
    stream->sites = reach(stream->sites, &stream->site_count, index, sizeof *stream->sites);
    stream->sites[index] = (struct ws_stream_site){
        .site = ws_sites_add(&common->sites, ws_strings_get(&common->strings, site.module), site.offset),
        .function = common->binding.trace->functions[site.function],
    };
}

static void define_comm(struct ws_thread *thread)
{
    struct ws_process *process = thread->process;
    struct ws_comm_definition comm;
    struct ws_comm *known;

    ws_cursor_comm(&thread->cursor, &comm);
    if (comm.index >= MOST_INDEX)
        return;
    process->comms = reach(process->comms, &process->comm_count, comm.index, sizeof *process->comms);
    known = &process->comms[comm.index];
    known->identity = comm.identity;
    if (comm.first == 0 && (!known->group || known->group->size < comm.size))
        known->group = ws_groups_get(&process->common->groups, comm.ranks, comm.size);
    else if (known->group && comm.size > 0 && known->group->size == comm.first &&
             comm.first % WS_COMM_PART == 0 && comm.size <= WS_MOST_RANKS - comm.first)
        known->group = ws_groups_longer(&process->common->groups, known->group, comm.ranks, comm.size);
}

static void define_window(struct ws_thread *thread)
{
    struct ws_process *process = thread->process;
    struct ws_comm_definition window;

    ws_cursor_comm(&thread->cursor, &window);
    if (window.index >= MOST_INDEX)
        return;
    process->windows =
        reach(process->windows, &process->window_count, window.index, sizeof *process->windows);
    process->windows[window.index] = window.identity;
}

/* The kernel's clock and the recorder's reading of the counter show how evenly the counter ran. */
static void define_clock(struct ws_thread *thread)
{
    struct ws_process *process = thread->process;
    struct ws_record_clock clock;
    int64_t ahead_ns;

    ws_cursor_clock(&thread->cursor, &clock);
    ahead_ns = (int64_t)(clock.kernel_ns - (uint64_t)thread->cursor.own_ns);
    if (!process->clock_told)
        process->clock_ns = ahead_ns;
    else
        process->clock_off_ns = ahead_ns - process->clock_ns;
    process->clock_told = true;
}

static void begin_phase(struct ws_thread *thread, const char *name)
{
    struct ws_process *process = thread->process;
    const struct ws_phase phase = {thread->cursor.end_ns, ws_strings_get(&process->common->strings, name)};

    if (!process->indexed)
        WS_PUSH(process->phases, process->phase_count, process->phase_capacity) = phase;
}

/* "type=HelloWorld" */
static void name_value(struct ws_thread *thread, uint64_t value, const char *text)
{
    struct ws_process *process = thread->process;
    struct ws_strings *strings = &process->common->strings;
    const char *equals = strchr(text, '=');
    char param[256];

    if (process->indexed || !equals || equals == text || (size_t)(equals - text) >= sizeof param)
        return;
    snprintf(param, sizeof param, "%.*s", (int)(equals - text), text);
    WS_PUSH(process->names, process->name_count, process->name_capacity) =
        (struct ws_value_name){ws_strings_get(strings, param), ws_strings_get(strings, equals + 1), value};
}

/* Recording stops, or goes on: what comes after it follows no call. */
static void change_recording(struct ws_thread *thread, bool goes_on)
{
    struct ws_process *process = thread->process;

    if (thread->silent && goes_on && thread == process->threads && !process->indexed)
        process->stopped_ns += thread->cursor.end_ns - thread->silent_since_ns;
    if (!thread->silent && !goes_on)
        thread->silent_since_ns = thread->cursor.end_ns;
    thread->silent = !goes_on;
    thread->call_type = NULL;
    thread->idle_since_ns = thread->cursor.end_ns;
}

static void define_control(struct ws_thread *thread)
{
    struct ws_control control;

    ws_cursor_control(&thread->cursor, &control);
    switch (control.what) {
    case WS_CONTROL_STOP:
    case WS_CONTROL_GO_ON:
        change_recording(thread, control.what == WS_CONTROL_GO_ON);
        break;
    case WS_CONTROL_REPEAT:
        thread->repeat = control.count;
        thread->unusual = true;
        break;
    case WS_CONTROL_SAMPLE:
        thread->sampled = true;
        break;
    case WS_CONTROL_LONGEST:
        thread->longest_ns = control.count;
        thread->has_statistics = thread->unusual = true;
        break;
    case WS_CONTROL_BYTES:
        thread->bytes = control.count;
        break;
    case WS_CONTROL_PHASE:
        begin_phase(thread, control.name);
        break;
    case WS_CONTROL_NAME:
        name_value(thread, control.count, control.name);
        break;
    }
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
    case WS_RECORD_WINDOW:
        define_window(thread);
        break;
    case WS_RECORD_CLOCK:
        define_clock(thread);
        break;
    case WS_RECORD_CONTROL:
        define_control(thread);
        break;
    }
}

/* ---- the reading ---- */

#define MOST_COUNTED_SITES 1024 /* the others are told together */

static struct ws_counted_calls *counted_of(struct ws_process *process, const struct ws_call *at)
{
    for (size_t i = 0; i < process->counted_count; i++)
        if (process->counted[i].site == at->site && process->counted[i].function == at->function)
            return &process->counted[i];
    if (process->counted_count > MOST_COUNTED_SITES)
        return &process->counted[0];
    if (process->counted_count == 0)
        WS_PUSH(process->counted, process->counted_count, process->counted_capacity) =
            (struct ws_counted_calls){.function = ""};
    WS_PUSH(process->counted, process->counted_count, process->counted_capacity) =
        (struct ws_counted_calls){.site = at->site, .function = at->function};
    return &process->counted[process->counted_count - 1];
}

/* The statistics of calls whose site has had its share; the record's duration is their sum. */
static void add_counted(struct ws_process *process, const struct ws_thread *thread)
{
    int64_t total_ns = thread->cursor.end_ns - thread->cursor.t_ns;
    struct ws_counted_calls *counted;
    struct ws_call at = {0};

    if (!thread->has_statistics)
        return;
    ws_thread_site(thread, &at);
    counted = counted_of(process, &at);
    counted->calls += thread->repeat;
    counted->bytes += thread->bytes;
    counted->total_ns += (uint64_t)total_ns;
    if (thread->longest_ns > counted->longest_ns)
        counted->longest_ns = thread->longest_ns;
    process->call_ns = ws_add_ns(process->call_ns, total_ns);
}

/* What the recorder counted; a stream that ends early has no less than the calls that left records. */
static uint64_t calls_of(const struct ws_thread *thread)
{
    return thread->cursor.calls > thread->call_count ? thread->cursor.calls : thread->call_count;
}

/* Of the times of a call only those that make sums are wanted; see ws_thread_enter_call. */
static inline void take_call(struct ws_process *process, struct ws_thread *thread, int64_t *first_ns,
                             int64_t *last_ns)
{
    const struct ws_cursor *cursor = &thread->cursor;
    int64_t t_ns = cursor->t_ns;

    if (thread->call_type && cursor->follows)
        return;
    if (t_ns < thread->idle_since_ns) {
        t_ns = thread->idle_since_ns;
        process->common->overlaps++;
    }
    if (!thread->silent)
        process->call_ns = ws_add_ns(process->call_ns, cursor->end_ns - t_ns);
    *first_ns = t_ns < *first_ns ? t_ns : *first_ns;
    *last_ns = cursor->end_ns > *last_ns ? cursor->end_ns : *last_ns;
    thread->idle_since_ns = cursor->end_ns;
    thread->call.number = thread->call_count++;
    thread->call_type = "";
}

/* Passes over the records that only end operations in the call of the record before. */
static inline void pass_ends(struct ws_process *process, struct ws_thread *thread,
                             struct ws_outcomes *outcomes)
{
    struct ws_cursor *cursor = &thread->cursor;
    const struct ws_bound_opening *openings = cursor->binding->openings, *opening;
    uint64_t passed = 0;

    if (thread->unusual || !cursor->called)
        return;
    for (; cursor->at < cursor->quick_end && (opening = &openings[cursor->bytes[cursor->at]])->passes;
         passed++)
        cursor->at += opening->bytes;
    process->records += passed;
    outcomes->open -= (int64_t)passed;
}

static inline void take_record(struct ws_process *process, struct ws_thread *thread,
                               struct ws_outcomes *outcomes, int64_t *first_ns, int64_t *last_ns)
{
    process->records++;
    if (thread->repeat) {
        add_counted(process, thread);
        return;
    }
    take_call(process, thread, first_ns, last_ns);
    ws_outcomes_take(outcomes, process, thread);
    pass_ends(process, thread, outcomes);
}

void ws_process_index(struct ws_process *process)
{
    int64_t first_ns = INT64_MAX, last_ns = 0;
    struct ws_outcomes outcomes = {0};

    for (size_t i = 0; i < process->thread_count; i++) {
        struct ws_thread *thread = &process->threads[i];
        for (ws_thread_rewind(thread, WS_READ_OUTCOMES); thread->more;
             ws_thread_advance(thread, WS_READ_OUTCOMES))
            take_record(process, thread, &outcomes, &first_ns, &last_ns);
        process->calls += calls_of(thread);
    }
    process->indexed = true;
    ws_outcomes_conclude(&outcomes, process);
    if (!process->begun)
        process->begin_ns = first_ns == INT64_MAX ? 0 : first_ns;
    if (!process->finished)
        process->end_ns = last_ns > process->begin_ns ? last_ns : process->begin_ns;
    if (process->thread_count && process->threads->silent &&
        process->end_ns > process->threads->silent_since_ns)
        process->stopped_ns += process->end_ns - process->threads->silent_since_ns;
}
