/* Drives a trace through an engine and makes the ranked list of its findings. */
#include "diagnosis/diagnosis.h"

#include "diagnosis/efficiency.h"
#include "diagnosis/phase_times.h"
#include "diagnosis/phases.h"
#include "diagnosis/together.h"
#include "trace/run.h"
#include "tracegen/tracegen.h"
#include "util/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_EVENTS 65536 /* between two calls of `progress` */

/* ---- the trace through the engine ---- */

int ws_diagnosis_check(const char *directory, struct ws_error *error)
{
    struct ws_text path = {0};
    bool is_trace, has_streams;

    if (ws_is_file(directory))
        return ws_fail(error, WS_BAD_INPUT, "%s: is a file; name the folder that 'whyslow record' wrote, or an OTF2 trace",
                       directory);
    if (!ws_is_folder(directory))
        return ws_fail(error, WS_BAD_INPUT,
                       "%s: no such folder; 'whyslow record -o %s -- COMMAND' records a program into it",
                       directory, directory);
    ws_text_printf(&path, "%s/trace.json", directory);
    is_trace = ws_is_file(path.bytes);
    ws_text_clear(&path);
    ws_text_printf(&path, "%s/ctf", directory);
    has_streams = ws_is_folder(path.bytes);
    ws_text_free(&path);
    if (!is_trace && has_streams)
        return ws_fail(
            error, WS_BAD_INPUT,
            "%s: holds streams, but no trace.json: a node that does not share the folder left them; "
            "copy what is in its ctf/ to ctf/ of the folder of this name where 'whyslow record' ran",
            directory);
    if (!is_trace)
        return ws_fail(error, WS_BAD_INPUT,
                       "%s: holds no Whyslow trace (there is no trace.json in it); name the folder that "
                       "'whyslow record' wrote",
                       directory);
    return 0;
}

/* How much of the run lies before a moment, from 0 to 1. */
double ws_share_before(const struct ws_trace_info *info, int64_t ns)
{
    int64_t begin_ns, end_ns;
    double share;

    ws_run_span(info, &begin_ns, &end_ns);
    if (end_ns <= begin_ns)
        return 0;
    share = ((double)ns - (double)begin_ns) / ((double)end_ns - (double)begin_ns);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* What is still to come of a trace that is being read. */
struct reading {
    const struct ws_trace *trace;
    struct ws_engine *engine;
};

static int64_t rank_low_ns(void *context, uint32_t rank)
{
    const struct reading *reading = context;
    return ws_trace_rank_low_ns(reading->trace, rank);
}

static void tell_held(void *context, ws_see_held *see, void *to)
{
    const struct reading *reading = context;
    reading->engine->ops->held(reading->engine, see, to);
}

static void settle(struct ws_findings *findings, struct ws_trace *trace, struct ws_engine *engine)
{
    struct reading reading = {trace, engine};
    const struct ws_horizon horizon = {rank_low_ns, tell_held, &reading};

    ws_findings_settle(findings, &horizon);
}

static int feed_all(struct ws_trace *trace, struct ws_engine *engine,
                    const struct ws_diagnosis_options *options, struct ws_findings *findings,
                    struct ws_error *error)
{
    const struct ws_event *event;
    uint64_t count = 0;
    int got;

    while ((got = ws_trace_next(trace, &event, error)) > 0) {
        int64_t end_ns = event->value[WS_ATTR_END].i;
        if (engine->ops->feed(engine, event, ws_trace_low_ns(trace), error) != 0)
            return -1;
        if (ws_findings_due(findings) && engine->ops->held)
            settle(findings, trace, engine);
        if (options->progress && ++count % PROGRESS_EVENTS == 0)
            options->progress(ws_share_before(ws_trace_info(trace), end_ns), options->context);
    }
    return got;
}

static int run_engine(const struct ws_engine_ops *ops, const struct ws_kb *kb, struct ws_trace *trace,
                      const struct ws_diagnosis_options *options, struct ws_findings *findings,
                      struct ws_engine_stats *stats, struct ws_error *error)
{
    const struct ws_sink sink = {.found = ws_findings_add, .context = findings};
    struct ws_engine *engine = ops->create(kb, NULL, &sink, error);
    int result;

    if (!engine)
        return -1;
    result = feed_all(trace, engine, options, findings, error);
    if (result == 0)
        result = ops->finish(engine, stats, error);
    ops->destroy(engine);
    return result;
}

/* ---- what is known about the run ---- */

struct list {
    const char **items;
    size_t count, capacity;
};

static void describe_recording(const struct ws_trace_info *info, struct ws_diagnosis *diagnosis)
{
    int64_t begin_ns, end_ns;
    double cost_ns = 0;

    ws_run_span(info, &begin_ns, &end_ns);
    diagnosis->ranks = info->ranks;
    for (uint32_t i = 0; i < info->ranks; i++) {
        const struct ws_trace_rank *rank = &info->rank[i];
        if (!rank->present)
            continue;
        diagnosis->ranks_recorded++;
        diagnosis->total_ns = ws_add_ns(diagnosis->total_ns, ws_rank_time_ns(rank));
        diagnosis->stopped_ns = ws_add_ns(diagnosis->stopped_ns, rank->stopped_ns);
        diagnosis->call_ns = ws_add_ns(diagnosis->call_ns, rank->call_ns);
        diagnosis->events += rank->records;
        diagnosis->bytes += rank->bytes;
        diagnosis->lost += rank->lost;
        cost_ns += (double)rank->cost_ns;
    }
    diagnosis->wall_s = end_ns > begin_ns ? ((double)end_ns - (double)begin_ns) / 1e9 : 0;
    diagnosis->cost_s = cost_ns / 1e9;
    diagnosis->efficiency = ws_efficiency_of_run(info);
}

/* Ranks that share cores: what they wait for is not told by the trace. */
static void warn_of_crowding(const struct ws_trace_info *info, const struct ws_run *run,
                             const struct ws_runtime *runtime, struct ws_arena *arena, struct list *warnings)
{
    int ranks = 0;

    for (uint32_t i = 0; i < info->ranks; i++)
        ranks += info->rank[i].present && run->host[0] && strcmp(info->rank[i].host, run->host) == 0;
    if (run->cores > 0 && ranks > run->cores)
        WS_PUSH(warnings->items, warnings->count, warnings->capacity) = ws_arena_printf(
            arena,
            "%d %ss shared %d core%s: waiting for a core looks like waiting in %s; run at most %d %s%s "
            "here, or read the times with care",
            ranks, runtime->process, run->cores, run->cores == 1 ? "" : "s", runtime->title, run->cores,
            runtime->process, run->cores == 1 ? "" : "s");
}

static void describe_command(const char *directory, const struct ws_trace_info *info,
                             const struct ws_runtime *runtime, struct ws_diagnosis *diagnosis, struct list *warnings)
{
    struct ws_arena *arena = &diagnosis->arena;
    struct ws_error error = {0};
    struct ws_run run = {0};

    diagnosis->command = ws_arena_strdup(arena, info->executable ? info->executable : "");
    diagnosis->mpi = ws_arena_strdup(arena, info->library ? info->library : "");
    diagnosis->exit_code = -1;
    if (ws_run_read(directory, &run, &error) != 0) {
        WS_PUSH(warnings->items, warnings->count, warnings->capacity) =
            ws_arena_printf(arena, "%s (the command and its exit code are not known)", error.text);
        return;
    }
    if (run.command && run.command[0])
        diagnosis->command = ws_arena_strdup(arena, run.command);
    if (run.mpi && run.mpi[0])
        diagnosis->mpi = ws_arena_strdup(arena, run.mpi);
    diagnosis->exit_code = run.exit_code;
    for (size_t i = 0; i < run.note_count; i++)
        WS_PUSH(warnings->items, warnings->count, warnings->capacity) = ws_arena_strdup(arena, run.notes[i]);
    warn_of_crowding(info, &run, runtime, arena, warnings);
    ws_run_free(&run);
}

static void gather_warnings(struct ws_trace *trace, struct ws_arena *arena, struct list *warnings)
{
    const struct ws_trace_info *info = ws_trace_info(trace);
    size_t count = 0;
    const char *const *of_trace = ws_trace_warnings(trace, &count);

    for (size_t i = 0; i < count; i++)
        WS_PUSH(warnings->items, warnings->count, warnings->capacity) = ws_arena_strdup(arena, of_trace[i]);
    if (info->incomplete)
        WS_PUSH(warnings->items, warnings->count, warnings->capacity) = ws_arena_printf(
            arena, "%" PRIu64 " operation%s had been started and not completed when the recording ended",
            info->incomplete, info->incomplete == 1 ? "" : "s");
}

static int64_t as_ns(uint64_t ns)
{
    return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static void describe_counted(struct ws_trace *trace, struct ws_diagnosis *diagnosis)
{
    const struct ws_trace_info *info = ws_trace_info(trace);
    struct ws_arena *arena = &diagnosis->arena;

    diagnosis->counted_site_count = info->counted_count;
    diagnosis->counted_sites =
        ws_arena_alloc(arena, (info->counted_count + 1) * sizeof *diagnosis->counted_sites);
    for (size_t i = 0; i < info->counted_count; i++) {
        const struct ws_counted *counted = &info->counted[i];
        const struct ws_site *site =
            ws_trace_site(trace, ws_trace_site_add(trace, counted->module, counted->offset));
        diagnosis->counted += counted->calls;
        diagnosis->counted_sites[i] = (struct ws_counted_site){
            .place = ws_place_at(site, "", counted->function, arena),
            .calls = counted->calls,
            .bytes = counted->bytes,
            .total_ns = as_ns(counted->total_ns),
            .longest_ns = as_ns(counted->longest_ns),
        };
    }
}

static void describe(const char *directory, const struct ws_runtime *runtime, struct ws_trace *trace,
                     const struct ws_engine_stats *stats, struct ws_diagnosis *diagnosis)
{
    struct list warnings = {0};
    size_t bytes;

    diagnosis->runtime = ws_arena_strdup(&diagnosis->arena, runtime->title);
    diagnosis->process = ws_arena_strdup(&diagnosis->arena, runtime->process);
    describe_recording(ws_trace_info(trace), diagnosis);
    describe_counted(trace, diagnosis);
    diagnosis->clocks = ws_trace_info(trace)->clocks;
    diagnosis->clock_error_s = (double)ws_trace_info(trace)->clock_error_ns / 1e9;
    diagnosis->unmatched = stats->unmatched;
    diagnosis->clock_violations = stats->clock_violations;
    gather_warnings(trace, &diagnosis->arena, &warnings);
    describe_command(directory, ws_trace_info(trace), runtime, diagnosis, &warnings);
    bytes = (warnings.count + 1) * sizeof *warnings.items;
    diagnosis->warnings = ws_arena_alloc(&diagnosis->arena, bytes);
    if (warnings.count)
        memcpy(diagnosis->warnings, warnings.items, warnings.count * sizeof *warnings.items);
    diagnosis->warning_count = warnings.count;
    free(warnings.items);
}

/* ---- all of it ---- */

/* The report of findings that tell phases apart: of each phase, and of the whole. */
static void group_by_phase(struct ws_findings *findings, const struct ws_kb *kb, const struct ws_trace_info *info,
                           struct ws_diagnosis *diagnosis)
{
    struct ws_findings whole;
    struct ws_text parcel = {0};
    struct ws_error error;

    ws_phases_fill(findings, info, diagnosis);
    ws_findings_init(&whole, kb, findings->names.sites);
    ws_findings_pack(findings, &parcel);
    if (ws_findings_merge(&whole, &parcel, &error) == 0)
        ws_findings_group(&whole, diagnosis);
    ws_text_free(&parcel);
    ws_findings_free(&whole);
}

static int diagnose_trace(const char *directory, const struct ws_engine_ops *ops, const struct ws_kb *kb,
                          struct ws_trace *trace, const struct ws_diagnosis_options *options,
                          struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    struct ws_engine_stats stats = {0};
    struct ws_findings findings;
    int result;

    ws_findings_init(&findings, kb, ws_sites_of(trace));
    if (options->by_phase) {
        findings.phase = ws_phase_at;
        findings.phase_context = (void *)ws_trace_info(trace);
    }
    findings.waited = options->waited;
    findings.waited_context = options->waited_context;
    result = run_engine(ops, kb, trace, options, &findings, &stats, error);
    if (result == 0) {
        describe(directory, &kb->about, trace, &stats, diagnosis);
        ws_findings_settle(&findings, NULL);
        if (options->by_phase)
            group_by_phase(&findings, kb, ws_trace_info(trace), diagnosis);
        else
            ws_findings_group(&findings, diagnosis);
    }
    ws_findings_free(&findings);
    return result;
}

/* The work shared; member 0 describes what it comes to. */
static int diagnose_together(const char *directory, const struct ws_engine_ops *ops, const struct ws_kb *kb,
                             const struct ws_schema *schema, const struct ws_diagnosis_options *options,
                             struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    struct ws_together together;
    int result = ws_together_run(&together, directory, kb, schema, ops, options, error);

    if (result == 0 && options->team->rank == 0) {
        describe(directory, &kb->about, together.trace, &together.stats, diagnosis);
        ws_findings_group(&together.findings, diagnosis);
    }
    ws_together_free(&together);
    return result;
}

static struct ws_trace *open_alone(const char *directory, const struct ws_schema *schema, bool growing,
                                   struct ws_error *error)
{
    return growing ? ws_trace_open_growing(directory, schema, error) : ws_trace_open(directory, schema, error);
}

/* The efficiencies of phases take a reading of their own: they need all calls, also those that made no event. */
static int measure_phases(const char *directory, const struct ws_schema *schema, bool growing,
                          struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    struct ws_trace *trace = open_alone(directory, schema, growing, error);
    struct ws_phase_times times;
    int result;

    if (!trace)
        return -1;
    ws_phase_times_init(&times, ws_trace_info(trace));
    result = ws_phase_times_read(&times, trace, error);
    if (result == 0)
        ws_phase_times_fill(&times, NULL, diagnosis->phases, diagnosis->phase_count);
    ws_phase_times_free(&times);
    ws_trace_close(trace);
    return result;
}

static int diagnose_alone(const char *directory, const struct ws_engine_ops *ops, const struct ws_kb *kb,
                          const struct ws_schema *schema, const struct ws_diagnosis_options *options,
                          struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    struct ws_trace *trace = open_alone(directory, schema, options->growing, error);
    int result = trace ? diagnose_trace(directory, ops, kb, trace, options, diagnosis, error) : -1;

    ws_trace_close(trace);
    if (result == 0 && options->by_phase)
        result = measure_phases(directory, schema, options->growing, diagnosis, error);
    return result;
}

int ws_diagnose(const char *directory, const struct ws_kb *kb, const struct ws_diagnosis_options *options,
                struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    const struct ws_engine_ops *ops = ws_engine_find(options->engine, error);
    struct ws_schema schema = {0};
    struct ws_team alone;
    int result = ops ? 0 : -1;

    memset(diagnosis, 0, sizeof *diagnosis);
    diagnosis->threshold_percent =
        options->threshold_percent < 0 ? WS_THRESHOLD_PERCENT : options->threshold_percent;
    ws_team_alone(&alone);
    if (result == 0)
        result = ws_diagnosis_check(directory, error);
    if (result == 0)
        result = ws_schema_from_kb(kb, &schema, error);
    if (ws_team_agree(options->team ? options->team : &alone, result, error) != 0)
        result = -1;
    else if (options->team && options->team->size > 1)
        result = diagnose_together(directory, ops, kb, &schema, options, diagnosis, error);
    else
        result = diagnose_alone(directory, ops, kb, &schema, options, diagnosis, error);
    ws_schema_free(&schema);
    if (result != 0)
        ws_diagnosis_free(diagnosis);
    return result;
}

void ws_diagnosis_free(struct ws_diagnosis *diagnosis)
{
    ws_arena_free(&diagnosis->arena);
    memset(diagnosis, 0, sizeof *diagnosis);
}
