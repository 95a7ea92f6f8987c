/* A trace as a whole: its processes, and their events merged into one order. */
#include "trace/trace.h"

#include "trace/facts.h"
#include "trace/layout.h"
#include "trace/process.h"
#include "trace/run.h"
#include "util/file.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Records read at once, of all threads together, and of one at least. */
#define MOST_READ_AHEAD ((size_t)1 << 15)
#define LEAST_READ_AHEAD 64
#define MOST_EVENTS_AHEAD 24 /* of the thread whose turn it is: more do not stay in a core's own cache */
#define CACHE_LINE 64

struct ws_trace {
    struct ws_schema schema;
    struct ws_common common;
    struct ws_process *processes; /* that left a readable stream, by rank */
    size_t process_count;
    size_t thread_count;
    struct ws_merge by_end; /* threads by the end of their next event or record */
    uint64_t order;
    int64_t low_ns;
    size_t until_low; /* events until it is computed again */
    bool part;        /* of the ranks: what is told of the whole is merged */
    struct ws_facts facts;
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

static void skip_file(struct ws_trace *trace, const char *name, bool stream, const char *text)
{
    struct ws_strings *strings = &trace->common.strings;

    ws_facts_add_file(&trace->facts, (struct ws_file_facts){.name = ws_strings_get(strings, name),
                                                            .text = ws_strings_get(strings, text),
                                                            .stream = stream});
}

/* Opens a file of the folder that is a stream of a rank from `first` to `end` - 1; others are another
 * member's, files that are none the one's with rank 0. */
static void open_stream(struct ws_trace *trace, const char *path, const uint8_t uuid[16], uint32_t first,
                        uint32_t end, struct streams *streams)
{
    const char *name = ws_base_name(path);
    struct ws_error reason = {0};
    struct ws_text text = {0};
    struct ws_stream stream;
    uint32_t rank, thread;

    if (strcmp(name, "metadata") == 0)
        return;
    if (!ws_stream_name_parse(name, &rank, &thread)) {
        ws_text_printf(&text, "%s is not part of the trace and was not read", path);
        if (first == 0)
            skip_file(trace, name, false, text.bytes);
    } else if (rank < first || rank >= end) {
        return;
    } else if (ws_stream_open(&stream, path, rank, thread, uuid, trace->facts.growing, &reason) != 0) {
        ws_text_printf(&text, "%s was not read: %s", path, reason.text);
        if (!trace->facts.growing) /* else it may have begun just now */
            skip_file(trace, name, true, text.bytes);
    } else {
        WS_PUSH(streams->list, streams->count, streams->capacity) = stream;
    }
    ws_text_free(&text);
}

static int open_streams(struct ws_trace *trace, const char *directory, uint32_t first, uint32_t end,
                        struct streams *streams, struct ws_error *error)
{
    struct ws_arena arena = {0};
    const char *folder = ws_arena_printf(&arena, "%s/ctf", directory);
    uint8_t uuid[16];
    char **names = NULL;
    int result = 0;

    if (parse_uuid(trace->schema.uuid, uuid) != 0)
        result = ws_fail(error, WS_BAD_INPUT, "%s/trace.json: damaged: not an identity: %.40s", directory,
                         trace->schema.uuid);
    else if (!(names = ws_folder_names(folder, "", error)))
        result = -1;
    for (size_t i = 0; names && names[i]; i++)
        open_stream(trace, ws_arena_printf(&arena, "%s/%s", folder, names[i]), uuid, first, end, streams);
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

/* ---- the clocks ---- */

static int compare_rank(const void *rank, const void *process)
{
    return ws_three_way(*(const uint32_t *)rank, ((const struct ws_process *)process)->rank);
}

static struct ws_process *find_process(const struct ws_trace *trace, uint32_t rank)
{
    return bsearch(&rank, trace->processes, trace->process_count, sizeof *trace->processes, compare_rank);
}

/* Looks what a first thread's stream says of its clock, be it of another member's ranks: which clock is whose
 * must be known of all. */
static void find_clock(struct ws_trace *trace, const char *path, const uint8_t uuid[16])
{
    struct ws_process *process;
    struct ws_stream stream;
    struct ws_error error;
    uint32_t rank, thread;

    if (!ws_stream_name_parse(ws_base_name(path), &rank, &thread) || thread != 0)
        return;
    process = find_process(trace, rank);
    if (process) {
        process->clock =
            ws_clock_find(&trace->common.clocks, &process->threads[0].stream, &trace->common.binding);
    } else if (ws_stream_open(&stream, path, rank, thread, uuid, trace->facts.growing, &error) == 0) {
        ws_clock_find(&trace->common.clocks, &stream, &trace->common.binding);
        ws_stream_close(&stream);
    }
}

static void find_clocks(struct ws_trace *trace, const char *directory)
{
    struct ws_arena arena = {0};
    const char *folder = ws_arena_printf(&arena, "%s/ctf", directory);
    char **names = ws_folder_names(folder, "", NULL);
    uint8_t uuid[16];

    if (names && parse_uuid(trace->schema.uuid, uuid) == 0)
        for (size_t i = 0; names[i]; i++)
            find_clock(trace, ws_arena_printf(&arena, "%s/%s", folder, names[i]), uuid);
    ws_clocks_align(&trace->common.clocks);
    ws_names_free(names);
    ws_arena_free(&arena);
}

/* ---- what is known about the trace ---- */

static bool has_content(const struct ws_process *process)
{
    return process->begun || process->records;
}

static struct ws_rank_facts rank_facts(const struct ws_process *process)
{
    double cost_ns = (double)process->calls * (double)process->cost_ps / 1e3 + (double)process->flush_ns;
    struct ws_rank_facts facts = {.begun = process->begun,
                                  .size = process->size,
                                  .incomplete = process->incomplete,
                                  .library = process->library,
                                  .executable = process->executable};
    struct ws_trace_rank *rank = &facts.rank;

    rank->rank = process->rank;
    rank->present = has_content(process);
    rank->finished = process->finished;
    rank->begin_ns = process->begin_ns;
    rank->end_ns = process->end_ns;
    rank->call_ns = process->call_ns;
    rank->stopped_ns = process->stopped_ns;
    if (process->phase_count) {
        struct ws_phase *phases = ws_alloc_array(process->phase_count, sizeof *phases);
        memcpy(phases, process->phases, process->phase_count * sizeof *phases);
        rank->phases = phases;
        rank->phase_count = process->phase_count;
    }
    rank->calls = process->calls;
    rank->records = process->records;
    rank->cost_ns = cost_ns < 9e18 ? (int64_t)cost_ns : INT64_MAX;
    rank->host = process->host ? process->host : "";
    if (process->clock) {
        facts.clock = process->clock->number;
        facts.alignment = process->clock->alignment;
        facts.clock_error_ns = ws_clock_error_ns(process->clock);
    }
    facts.clock_off_ns = process->clock_off_ns;
    for (size_t i = 0; i < process->thread_count; i++) {
        rank->threads += process->threads[i].call_count > 0;
        rank->bytes += process->threads[i].stream.size;
        rank->lost += process->threads[i].cursor.lost;
    }
    return facts;
}

static void add_damages(struct ws_trace *trace, const struct ws_process *process)
{
    for (size_t k = 0; k < process->thread_count; k++) {
        const struct ws_thread *thread = &process->threads[k];
        if (thread->cursor.damage)
            ws_facts_add_damage(
                &trace->facts,
                ws_arena_printf(
                    &trace->common.strings.arena,
                    "the stream of rank %u, thread %u is damaged (%s, at byte %zu): it was read up to there",
                    thread->stream.rank, thread->stream.thread, thread->cursor.damage,
                    thread->cursor.damage_at));
    }
}

static void add_counted(struct ws_trace *trace, const struct ws_process *process)
{
    struct ws_strings *strings = &trace->common.strings;

    for (size_t i = 0; i < process->counted_count; i++) {
        const struct ws_counted_calls *calls = &process->counted[i];
        struct ws_counted counted = {.function = ws_strings_get(strings, calls->function),
                                     .calls = calls->calls,
                                     .bytes = calls->bytes,
                                     .total_ns = calls->total_ns,
                                     .longest_ns = calls->longest_ns};
        counted.module = ws_strings_get(strings, ws_trace_site_place(trace, calls->site, &counted.offset));
        if (counted.calls)
            ws_facts_add_counted(&trace->facts, &counted);
    }
}

static void collect_facts(struct ws_trace *trace)
{
    struct ws_facts *facts = &trace->facts;

    for (size_t i = 0; i < trace->process_count; i++) {
        WS_PUSH(facts->ranks, facts->rank_count, facts->rank_capacity) = rank_facts(&trace->processes[i]);
        add_damages(trace, &trace->processes[i]);
        add_counted(trace, &trace->processes[i]);
    }
    for (size_t i = 1; i < trace->common.sites.count; i++)
        ws_facts_add_module(facts, trace->common.sites.entries[i].site.module);
    facts->untranslated = trace->common.untranslated;
    facts->overlaps = trace->common.overlaps;
}

void ws_trace_pack(const struct ws_trace *trace, struct ws_text *out)
{
    ws_facts_pack(&trace->facts, out);
}

int ws_trace_unpack(struct ws_trace *trace, const struct ws_text *in, struct ws_error *error)
{
    return ws_facts_unpack(&trace->facts, in, error);
}

static void warn_untranslated(struct ws_trace *trace, uint64_t untranslated)
{
    if (untranslated && !trace->told_untranslated)
        ws_warn(&trace->warnings, "ranks of communicators that the trace does not define stand as unknown");
    trace->told_untranslated |= untranslated != 0;
}

static int64_t made_s(const char *directory)
{
    struct ws_text path = {0};
    struct stat info;
    int64_t moment = -1;

    ws_text_printf(&path, "%s/trace.json", directory);
    if (stat(path.bytes, &info) == 0)
        moment = info.st_mtime;
    ws_text_free(&path);
    return moment;
}

static void warn(struct ws_trace *trace, const char *directory)
{
    const struct ws_binding *binding = &trace->common.binding;
    struct ws_error unknown;
    struct ws_run run;
    bool is_run = ws_run_read(directory, &run, &unknown) == 0; /* else the diagnosis tells */

    ws_facts_warn(&trace->facts, &trace->info, is_run ? run.only : "", binding->missing, binding->missing_count,
                  trace->common.sites.places.count ? -1 : made_s(directory), &trace->warnings);
    if (is_run)
        ws_run_free(&run);
    warn_untranslated(trace, trace->facts.untranslated);
    if (trace->facts.overlaps)
        ws_warn(&trace->warnings, "%llu calls began before their thread's last call ended: shortened",
                (unsigned long long)trace->facts.overlaps);
}

/* Nothing to read: tells the last stream's trouble, or the trace's first. */
static int empty(const struct ws_trace *trace, const char *directory, struct ws_error *error)
{
    static const char before[] = " was not read: ";
    const char *reason = "no process left a stream";
    bool mpi = strcmp(trace->schema.runtime, "mpi") == 0;

    if (trace->facts.rank_count)
        return ws_fail(error, WS_BAD_INPUT, "%s: no stream of the trace holds a record%s%s", directory,
                       trace->warnings.count ? ": " : "",
                       trace->warnings.count ? trace->warnings.list[0] : "");
    for (size_t i = 0; i < trace->facts.file_count; i++)
        if (trace->facts.files[i].stream)
            reason = strstr(trace->facts.files[i].text, before) + strlen(before);
    return ws_fail(error, WS_BAD_INPUT,
                   "%s: the trace is empty: %s (did a program of %s run, and %s?)", directory, reason,
                   mpi ? "MPI" : trace->schema.runtime, mpi ? "call MPI_Init" : "begin");
}

int ws_trace_conclude(struct ws_trace *trace, const char *directory, struct ws_error *error)
{
    ws_facts_describe(&trace->facts, &trace->info);
    warn(trace, directory);
    for (size_t i = 0; i < trace->facts.rank_count; i++)
        if (trace->facts.ranks[i].rank.present)
            return 0;
    return empty(trace, directory, error);
}

uint64_t ws_trace_untranslated(const struct ws_trace *trace)
{
    return trace->common.untranslated;
}

void ws_trace_tell_untranslated(struct ws_trace *trace, uint64_t untranslated)
{
    warn_untranslated(trace, untranslated);
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

const char *ws_trace_site_place(const struct ws_trace *trace, int64_t site, uint64_t *offset)
{
    const struct ws_sites *sites = &trace->common.sites;
    bool known = site > 0 && (uint64_t)site < sites->count;

    *offset = known ? sites->entries[site].site.offset : 0;
    return known ? sites->entries[site].site.module : "";
}

int64_t ws_trace_site_add(struct ws_trace *trace, const char *module, uint64_t offset)
{
    return *module ? ws_sites_add(&trace->common.sites, ws_trace_string(trace, module), offset) : 0;
}

const char *ws_trace_string(struct ws_trace *trace, const char *text)
{
    return ws_strings_get(&trace->common.strings, text);
}

/* ---- the order of events ---- */

/* The least end that an event of this thread can still have; false where none can come. */
static bool next_end(const struct ws_thread *thread, int64_t *end_ns)
{
    if (thread->ring.count)
        *end_ns = ws_thread_first(thread)->value[WS_ATTR_END].i;
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
                ws_merge_add(&trace->by_end, end_ns, thread); /* by rank, thread */
        }
    }
    ws_merge_play(&trace->by_end);
}

/* No event still to come of this thread begins before. */
static int64_t thread_low(const struct ws_thread *thread)
{
    if (thread->ring.count)
        return ws_thread_first(thread)->value[WS_ATTR_T].i;
    return thread->more ? thread->cursor.t_ns : INT64_MAX;
}

static int64_t process_low(const struct ws_process *process)
{
    int64_t low_ns = INT64_MAX;

    for (size_t i = 0; i < process->thread_count; i++) {
        int64_t t_ns = thread_low(&process->threads[i]);
        low_ns = t_ns < low_ns ? t_ns : low_ns;
    }
    return low_ns;
}

static int64_t find_low(const struct ws_trace *trace)
{
    int64_t low_ns = INT64_MAX;

    for (size_t i = 0; i < trace->process_count; i++) {
        int64_t t_ns = process_low(&trace->processes[i]);
        low_ns = t_ns < low_ns ? t_ns : low_ns;
    }
    return low_ns;
}

int64_t ws_trace_rank_low_ns(const struct ws_trace *trace, uint32_t rank)
{
    const struct ws_process *process = find_process(trace, rank);

    return process ? process_low(process) : INT64_MAX;
}

/* Reads on until the thread has events, or has none; many records of one process at a time, while all that
 * is known of it is at hand. */
static void read_ahead(const struct ws_trace *trace, struct ws_thread *thread)
{
    size_t records = MOST_READ_AHEAD / trace->thread_count;

    records = records < LEAST_READ_AHEAD ? LEAST_READ_AHEAD : records > 256 ? 256 : records;
    ws_process_read(thread->process, thread, records, MOST_EVENTS_AHEAD);
}

/* Puts the first thread where its next event cannot come before.  False: it is there already. */
static inline bool move_on(struct ws_merge *merge, const struct ws_thread *thread)
{
    int64_t end_ns;

    if (!next_end(thread, &end_ns))
        ws_merge_remove(merge);
    else if (end_ns > ws_merge_first_ns(merge))
        ws_merge_delay(merge, end_ns);
    else
        return false;
    return true;
}

/* Has the event that probably comes next at hand by the time it is asked for. */
static inline void fetch_next(struct ws_merge *merge)
{
    const struct ws_thread *thread = merge->count ? ws_merge_first(merge) : NULL;
    const char *event = thread && thread->ring.count ? (const char *)ws_thread_first(thread) : NULL;

    for (size_t at = 0; event && at < thread->ring.bytes; at += CACHE_LINE)
        __builtin_prefetch(event + at);
}

/* The next event of the thread, whose turn it is; while its caller is busy with it, the next one is fetched.
 */
static inline const struct ws_event *take(struct ws_trace *trace, struct ws_thread *thread)
{
    struct ws_event *event = ws_thread_take(thread);

    event->order = trace->order++;
    if (!trace->common.tells_calls)
        event->mark = (uint32_t)event->order;
    if (trace->until_low-- == 0) {
        trace->low_ns = find_low(trace);
        trace->until_low = 32 + 3 * trace->thread_count;
    }
    move_on(&trace->by_end, thread);
    fetch_next(&trace->by_end);
    return event;
}

/* Records are read until the first thread has an event that no other can come before. */
int ws_trace_next(struct ws_trace *trace, const struct ws_event **event, struct ws_error *error)
{
    struct ws_merge *merge = &trace->by_end;

    (void)error; /* what can be wrong with a stream ends the stream, and is a warning */
    while (merge->count) {
        struct ws_thread *thread = ws_merge_first(merge);
        if (move_on(merge, thread))
            continue;
        if (thread->ring.count) {
            *event = take(trace, thread);
            return 1;
        }
        read_ahead(trace, thread);
    }
    trace->low_ns = INT64_MAX;
    if (!trace->part)
        warn_untranslated(trace, trace->common.untranslated);
    return 0;
}

void ws_trace_tell_calls(struct ws_trace *trace)
{
    trace->common.tells_calls = true;
}

void ws_trace_tell_counted(struct ws_trace *trace)
{
    trace->common.tells_counted = true;
}

const char *ws_trace_maker(const struct ws_trace *trace, const struct ws_event *event)
{
    return *ws_event_maker(event, trace->common.binding.event_bytes);
}

uint32_t ws_trace_peers(const struct ws_trace *trace, uint32_t rank, int64_t comm, const int32_t **ranks)
{
    const struct ws_process *process = find_process(trace, rank);

    *ranks = NULL;
    if (comm == WS_COMM_WORLD_ID)
        return trace->info.ranks;
    if (!process)
        return 0;
    if (comm == WS_COMM_SELF_ID) {
        *ranks = (const int32_t *)&process->rank;
        return 1;
    }
    for (size_t i = 0; i < process->comm_count; i++)
        if (process->comms[i].group && process->comms[i].identity == comm) {
            *ranks = process->comms[i].group->ranks;
            return process->comms[i].group->size;
        }
    return 0;
}

const char *ws_trace_name(const struct ws_trace *trace, uint32_t rank, const char *param, int64_t value)
{
    const struct ws_process *process = find_process(trace, rank);

    for (size_t i = 0; process && i < process->name_count; i++)
        if (process->names[i].value == (uint64_t)value && strcmp(process->names[i].param, param) == 0)
            return process->names[i].name;
    return NULL;
}

int64_t ws_trace_next_end_ns(const struct ws_trace *trace)
{
    return trace->by_end.count ? ws_merge_first_ns(&trace->by_end) : INT64_MAX;
}

int64_t ws_trace_low_ns(const struct ws_trace *trace)
{
    return trace->low_ns;
}

size_t ws_trace_phases_begun(const struct ws_trace_rank *rank, int64_t ns)
{
    size_t low = 0, high = rank->phase_count;

    while (low < high) { /* the first that begins after */
        size_t middle = low + (high - low) / 2;
        if (rank->phases[middle].begin_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *ws_trace_phase_at(const struct ws_trace_info *info, uint32_t rank, int64_t ns)
{
    size_t begun = rank < info->ranks ? ws_trace_phases_begun(&info->rank[rank], ns) : 0;

    return begun ? info->rank[rank].phases[begun - 1].name : "";
}

/* ---- opening ---- */

static struct ws_trace *open_part(const char *directory, const struct ws_schema *want, uint32_t first,
                                  uint32_t end, bool growing, struct ws_error *error)
{
    struct ws_trace *trace = ws_alloc(sizeof *trace);
    struct streams streams = {0};
    int result = ws_schema_read(directory, &trace->schema, error);

    trace->part = true;
    trace->facts.growing = growing;
    trace->facts.strings = &trace->common.strings;
    if (result == 0) {
        trace->facts.process = trace->schema.process ? trace->schema.process : "rank";
        trace->facts.end = strcmp(trace->schema.runtime, "mpi") == 0 ? "MPI_Finalize" : "the end";
        result = ws_binding_make(&trace->common.binding, &trace->schema, want, error);
    }
    if (result == 0)
        result = open_streams(trace, directory, first, end, &streams, error);
    if (result != 0) {
        ws_trace_close(trace);
        return NULL;
    }
    ws_places_read(&trace->common.sites.places, directory);
    make_processes(trace, &streams);
    find_clocks(trace, directory);
    for (size_t i = 0; i < trace->process_count; i++)
        ws_process_index(&trace->processes[i]);
    collect_facts(trace);
    start_merging(trace);
    trace->low_ns = find_low(trace);
    return trace;
}

struct ws_trace *ws_trace_open_part(const char *directory, const struct ws_schema *want, uint32_t first,
                                    uint32_t end, struct ws_error *error)
{
    return open_part(directory, want, first, end, false, error);
}

static struct ws_trace *open_whole(const char *directory, const struct ws_schema *want, bool growing,
                                   struct ws_error *error)
{
    struct ws_trace *trace = open_part(directory, want, 0, UINT32_MAX, growing, error);

    if (!trace)
        return NULL;
    trace->part = false;
    if (ws_trace_conclude(trace, directory, error) != 0) {
        ws_trace_close(trace);
        return NULL;
    }
    return trace;
}

struct ws_trace *ws_trace_open(const char *directory, const struct ws_schema *want, struct ws_error *error)
{
    return open_whole(directory, want, false, error);
}

struct ws_trace *ws_trace_open_growing(const char *directory, const struct ws_schema *want,
                                       struct ws_error *error)
{
    return open_whole(directory, want, true, error);
}

void ws_trace_close(struct ws_trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->process_count; i++)
        ws_process_release(&trace->processes[i]);
    free(trace->processes);
    ws_merge_free(&trace->by_end);
    ws_clocks_free(&trace->common.clocks);
    ws_sites_free(&trace->common.sites);
    ws_groups_free(&trace->common.groups);
    ws_strings_free(&trace->common.strings);
    ws_binding_free(&trace->common.binding);
    ws_schema_free(&trace->schema);
    ws_facts_free(&trace->facts);
    ws_warnings_free(&trace->warnings);
    free((void *)trace->info.rank);
    free(trace);
}

/* ---- places ---- */

int ws_trace_keep_places(const char *directory, const struct ws_schema *want, uint64_t most, struct ws_error *error)
{
    struct ws_text file = {0};
    struct ws_trace *trace;
    uint32_t ranks;
    int result;

    if (ws_trace_bytes(directory, &ranks) > most)
        return ws_fail(error, WS_BAD_INPUT, "%s: more bytes than are looked through for places", directory);
    trace = ws_trace_open(directory, want, error);
    if (!trace)
        return -1;
    ws_places_begin(&file);
    for (size_t i = 1; i < trace->common.sites.count; i++)
        ws_places_add(&file, ws_trace_site(trace, (int64_t)i));
    result = ws_places_write(&file, directory, error);
    ws_text_free(&file);
    ws_trace_close(trace);
    return result;
}
