/* A trace as a whole: its processes, and their events merged into one order. */
#include "trace/trace.h"

#include "trace/layout.h"
#include "trace/process.h"
#include "trace/warnings.h"
#include "util/file.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct ws_trace {
    struct ws_schema schema;
    struct ws_common common;
    struct ws_process *processes; /* that left a readable stream, by rank */
    size_t process_count;
    size_t thread_count;
    struct ws_heap by_end; /* threads by the end of their next event or record */
    struct ws_event *lent; /* the last one given out */
    uint64_t order;
    int64_t low_ns;
    size_t until_low; /* events until it is computed again */
    struct ws_trace_info info;
    struct ws_warnings warnings;
    bool told_untranslated;
};

/* ---- the streams ---- */

static int parse_uuid(const char *text, uint8_t uuid[16])
{
    for (size_t i = 0; i < 16; i++) {
        int length = 0;
        text += *text == '-';
        if (sscanf(text, "%2hhx%n", &uuid[i], &length) != 1 || length != 2)
            return -1;
        text += 2;
    }
    return *text ? -1 : 0;
}

struct streams {
    struct ws_stream *list;
    size_t count, capacity;
};

static int compare_streams(const void *a, const void *b)
{
    const struct ws_stream *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return (left->thread > right->thread) - (left->thread < right->thread);
}

static int open_streams(struct ws_trace *trace, const char *directory, struct streams *streams,
                        struct ws_error *error)
{
    struct ws_arena arena = {0};
    const char *folder = ws_arena_printf(&arena, "%s/ctf", directory);
    struct ws_error reason = {.text = "no rank left a stream"};
    uint8_t uuid[16];
    char **names = NULL;
    int result = 0;

    if (parse_uuid(trace->schema.uuid, uuid) != 0)
        result = ws_fail(error, WS_BAD_INPUT, "%s/trace.json: damaged: not an identity: %.40s", directory,
                         trace->schema.uuid);
    else if (!(names = ws_folder_names(folder, "", error)))
        result = -1;
    for (size_t i = 0; names && names[i]; i++) {
        const char *path = ws_arena_printf(&arena, "%s/%s", folder, names[i]);
        struct ws_stream stream;
        uint32_t rank, thread;
        if (strcmp(names[i], "metadata") == 0)
            continue;
        if (!ws_stream_name_parse(names[i], &rank, &thread))
            ws_warn(&trace->warnings, "%s is not part of the trace and was not read", path);
        else if (ws_stream_open(&stream, path, rank, thread, uuid, &reason) != 0)
            ws_warn(&trace->warnings, "%s was not read: %s", path, reason.text);
        else
            WS_PUSH(streams->list, streams->count, streams->capacity) = stream;
    }
    if (result == 0 && streams->count == 0)
        result = ws_fail(error, WS_BAD_INPUT,
                         "%s: the trace is empty: %s (did an MPI program run, and call MPI_Init?)", directory,
                         reason.text);
    if (streams->count)
        qsort(streams->list, streams->count, sizeof *streams->list, compare_streams);
    ws_names_free(names);
    ws_arena_free(&arena);
    return result;
}

/* Takes streams[first, last) as the threads of one process. */
static void take_process(struct ws_trace *trace, struct ws_process *process, struct ws_stream *first,
                         size_t count)
{
    *process = (struct ws_process){.common = &trace->common, .rank = first->rank, .thread_count = count};
    process->threads = ws_alloc_array(count, sizeof *process->threads);
    for (size_t i = 0; i < count; i++) {
        process->threads[i].process = process;
        process->threads[i].stream = first[i];
    }
    trace->thread_count += count;
}

static void make_processes(struct ws_trace *trace, struct streams *streams)
{
    size_t last;

    trace->processes = ws_alloc_array(streams->count, sizeof *trace->processes);
    for (size_t first = 0; first < streams->count; first = last) {
        last = first + 1;
        while (last < streams->count && streams->list[last].rank == streams->list[first].rank)
            last++;
        take_process(trace, &trace->processes[trace->process_count++], &streams->list[first], last - first);
    }
    free(streams->list);
}

/* ---- what is known about the trace ---- */

static bool has_content(const struct ws_process *process)
{
    return process->begun || process->records;
}

static void describe_rank(struct ws_trace_rank *rank, const struct ws_process *process)
{
    double cost_ns = (double)process->records * (double)process->cost_ps / 1e3 + (double)process->flush_ns;

    rank->present = has_content(process);
    rank->finished = process->finished;
    rank->begin_ns = process->begin_ns;
    rank->end_ns = process->end_ns;
    rank->call_ns = process->call_ns;
    rank->calls = process->calls;
    rank->records = process->records;
    rank->cost_ns = cost_ns < 9e18 ? (int64_t)cost_ns : INT64_MAX;
    rank->host = process->host ? process->host : "";
    for (size_t i = 0; i < process->thread_count; i++) {
        rank->bytes += process->threads[i].stream.size;
        rank->lost += process->threads[i].cursor.lost;
    }
}

static void describe(struct ws_trace *trace)
{
    struct ws_trace_info *info = &trace->info;
    struct ws_trace_rank *ranks;

    info->library = info->executable = "";
    for (size_t i = 0; i < trace->process_count; i++) {
        const struct ws_process *process = &trace->processes[i];
        info->ranks = process->size > info->ranks ? process->size : info->ranks;
        info->ranks = process->rank + 1 > info->ranks ? process->rank + 1 : info->ranks;
        info->incomplete += process->incomplete;
        if (process->begun && !*info->library && !*info->executable) {
            info->library = process->library;
            info->executable = process->executable;
        }
    }
    info->rank = ranks = ws_alloc_array(info->ranks, sizeof *ranks);
    for (uint32_t r = 0; r < info->ranks; r++) {
        ranks[r].rank = r;
        ranks[r].host = "";
    }
    for (size_t i = 0; i < trace->process_count; i++)
        describe_rank(&ranks[trace->processes[i].rank], &trace->processes[i]);
}

/* ---- what is wrong with it ---- */

static int is_missing(const void *ranks, uint32_t rank)
{
    return !((const struct ws_trace_rank *)ranks)[rank].present;
}

static int is_unfinished(const void *ranks, uint32_t rank)
{
    const struct ws_trace_rank *entry = (const struct ws_trace_rank *)ranks + rank;
    return entry->present && !entry->finished;
}

static int has_lost(const void *ranks, uint32_t rank)
{
    return ((const struct ws_trace_rank *)ranks)[rank].lost != 0;
}

static void warn_damage(struct ws_trace *trace)
{
    for (size_t i = 0; i < trace->process_count; i++)
        for (size_t k = 0; k < trace->processes[i].thread_count; k++) {
            const struct ws_thread *thread = &trace->processes[i].threads[k];
            if (thread->cursor.damage)
                ws_warn(
                    &trace->warnings,
                    "the stream of rank %u, thread %u is damaged (%s, at byte %zu): it was read up to there",
                    thread->stream.rank, thread->stream.thread, thread->cursor.damage,
                    thread->cursor.damage_at);
        }
}

static void warn_ranks(struct ws_trace *trace)
{
    const struct ws_trace_info *info = &trace->info;
    struct ws_arena *arena = &trace->warnings.arena;
    const char *missing = ws_rank_list(arena, info->ranks, is_missing, info->rank);
    const char *unfinished = ws_rank_list(arena, info->ranks, is_unfinished, info->rank);
    const char *losers = ws_rank_list(arena, info->ranks, has_lost, info->rank);

    if (missing)
        ws_warn(&trace->warnings, "%s left no readable stream: what the others waited for there is not known",
                missing);
    if (unfinished)
        ws_warn(&trace->warnings, "%s did not reach MPI_Finalize: read up to the last recorded call",
                unfinished);
    if (losers)
        ws_warn(&trace->warnings, "the recorder had to discard records of %s", losers);
}

static void warn_hosts(struct ws_trace *trace)
{
    const char *host = NULL;

    for (size_t i = 0; i < trace->process_count; i++) {
        const char *other = trace->processes[i].host;
        if (host && other && host != other) {
            ws_warn(
                &trace->warnings,
                "the ranks ran on several nodes (%.60s, %.60s), whose clocks this version does not align: "
                "waiting times between nodes are not to be trusted",
                host, other);
            return;
        }
        host = other ? other : host;
    }
}

static void warn_types(struct ws_trace *trace)
{
    struct ws_text list = {0};

    for (size_t i = 0; i < trace->common.binding.missing_count; i++)
        ws_text_printf(&list, "%s%s", i ? ", " : "", trace->common.binding.missing[i]);
    if (list.length)
        ws_warn(
            &trace->warnings,
            "not recorded in this trace: %s (it was made with other rules): problems that need them are not "
            "found",
            list.bytes);
    ws_text_free(&list);
}

static void warn_modules(struct ws_trace *trace, const char *directory)
{
    char *path = ws_arena_printf(&trace->warnings.arena, "%s/trace.json", directory);
    struct stat info;
    const char *module;

    if (stat(path, &info) == 0 && (module = ws_sites_changed(&trace->common.sites, info.st_mtime)))
        ws_warn(&trace->warnings, "%s was changed after the recording: its source lines may be wrong",
                module);
}

static void warn_untranslated(struct ws_trace *trace)
{
    if (trace->common.untranslated && !trace->told_untranslated)
        ws_warn(&trace->warnings, "ranks of communicators that the trace does not define stand as unknown");
    trace->told_untranslated |= trace->common.untranslated != 0;
}

static void warn(struct ws_trace *trace, const char *directory)
{
    warn_damage(trace);
    warn_ranks(trace);
    warn_hosts(trace);
    warn_types(trace);
    warn_modules(trace, directory);
    warn_untranslated(trace);
    if (trace->common.overlaps)
        ws_warn(&trace->warnings, "%llu calls began before their thread's last call ended: shortened",
                (unsigned long long)trace->common.overlaps);
}

const char *const *ws_trace_warnings(const struct ws_trace *trace, size_t *count)
{
    *count = trace->warnings.count;
    return trace->warnings.list;
}

const struct ws_trace_info *ws_trace_info(const struct ws_trace *trace)
{
    return &trace->info;
}

const struct ws_site *ws_trace_site(struct ws_trace *trace, int64_t site)
{
    return ws_sites_get(&trace->common.sites, site);
}

/* ---- the order of events ---- */

/* The least end that an event of this thread can still have; false where none can come. */
static bool next_end(const struct ws_thread *thread, int64_t *end_ns)
{
    if (thread->event_count)
        *end_ns = thread->events[thread->first_event]->value[WS_ATTR_END].i;
    else if (thread->more)
        *end_ns = thread->cursor.end_ns;
    else
        return false;
    return true;
}

static void start_merging(struct ws_trace *trace)
{
    for (size_t i = 0; i < trace->process_count; i++) {
        ws_process_start(&trace->processes[i]);
        for (size_t k = 0; k < trace->processes[i].thread_count; k++) {
            struct ws_thread *thread = &trace->processes[i].threads[k];
            int64_t end_ns;
            if (next_end(thread, &end_ns))
                ws_heap_push(&trace->by_end, end_ns,
                             (uint64_t)thread->stream.rank << 32 | thread->stream.thread, thread);
        }
    }
}

static int64_t find_low(const struct ws_trace *trace)
{
    int64_t low_ns = INT64_MAX;

    for (size_t i = 0; i < trace->by_end.count; i++) {
        const struct ws_thread *thread = trace->by_end.entries[i].item;
        int64_t t_ns = INT64_MAX;
        if (thread->event_count)
            t_ns = thread->events[thread->first_event]->value[WS_ATTR_T].i;
        else if (thread->more)
            t_ns = thread->cursor.t_ns;
        low_ns = t_ns < low_ns ? t_ns : low_ns;
    }
    return low_ns;
}

/* A thread's place in the heap is where its next event cannot come before.  Records are read until the
 * first thread in the heap has an event there. */
int ws_trace_next(struct ws_trace *trace, const struct ws_event **event, struct ws_error *error)
{
    struct ws_heap *heap = &trace->by_end;

    (void)error; /* what can be wrong with a stream ends the stream, and is a warning */
    while (heap->count) {
        struct ws_thread *thread = heap->entries[0].item;
        int64_t end_ns;
        if (!next_end(thread, &end_ns)) {
            ws_heap_pop(heap);
        } else if (end_ns > heap->entries[0].key_ns) {
            ws_heap_delay(heap, end_ns);
        } else if (thread->event_count) {
            free(trace->lent);
            *event = trace->lent = ws_thread_take(thread);
            trace->lent->order = trace->order++;
            if (trace->until_low-- == 0) {
                trace->low_ns = find_low(trace);
                trace->until_low = 16 + trace->thread_count;
            }
            return 1;
        } else {
            ws_process_step(thread->process);
        }
    }
    trace->low_ns = INT64_MAX;
    warn_untranslated(trace);
    return 0;
}

int64_t ws_trace_low_ns(const struct ws_trace *trace)
{
    return trace->low_ns;
}

/* ---- opening ---- */

static int index_processes(struct ws_trace *trace, const char *directory, struct ws_error *error)
{
    bool content = false;

    for (size_t i = 0; i < trace->process_count; i++) {
        ws_process_index(&trace->processes[i]);
        content |= has_content(&trace->processes[i]);
    }
    describe(trace);
    warn(trace, directory);
    return content ? 0
                   : ws_fail(error, WS_BAD_INPUT, "%s: no stream of the trace holds a record%s%s", directory,
                             trace->warnings.count ? ": " : "",
                             trace->warnings.count ? trace->warnings.list[0] : "");
}

struct ws_trace *ws_trace_open(const char *directory, const struct ws_schema *want, struct ws_error *error)
{
    struct ws_trace *trace = ws_alloc(sizeof *trace);
    struct streams streams = {0};
    int result = ws_schema_read(directory, &trace->schema, error);

    if (result == 0)
        result = ws_binding_make(&trace->common.binding, &trace->schema, want, error);
    if (result == 0)
        result = open_streams(trace, directory, &streams, error);
    if (result == 0) {
        make_processes(trace, &streams);
        result = index_processes(trace, directory, error);
    }
    if (result != 0) {
        ws_trace_close(trace);
        return NULL;
    }
    start_merging(trace);
    trace->low_ns = find_low(trace);
    return trace;
}

void ws_trace_close(struct ws_trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->process_count; i++)
        ws_process_release(&trace->processes[i]);
    free(trace->processes);
    ws_heap_free(&trace->by_end);
    ws_sites_free(&trace->common.sites);
    ws_groups_free(&trace->common.groups);
    ws_strings_free(&trace->common.strings);
    ws_binding_free(&trace->common.binding);
    ws_schema_free(&trace->schema);
    ws_warnings_free(&trace->warnings);
    free(trace->lent);
    free((void *)trace->info.rank);
    free(trace);
}
