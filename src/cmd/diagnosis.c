/* The diagnosis of a trace, perhaps printed: what several subcommands have in common. */
#include "cmd/cmd.h"

#include "engine/engine.h"
#include "import/import.h"
#include "launch/process.h"
#include "replay/gain.h"
#include "report/report.h"
#include "team/team.h"
#include "trace/trace.h"
#include "util/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *ws_cmd_engine_help(void)
{
    static char help[256];
    struct ws_text names = {0};

    ws_engine_names(&names);
    snprintf(help, sizeof help, "the analysis engine; here, the default first: %s", names.bytes);
    ws_text_free(&names);
    return help;
}

/* ---- members ---- */

struct job {
    const char *directory;
    const struct ws_kb *kb;
    const struct ws_diagnosis_options *options;
    struct ws_diagnosis *diagnosis; /* of member 0 */
    struct ws_error *error;
};

static int take_part(struct ws_team *team, void *context)
{
    const struct job *job = context;
    struct ws_diagnosis_options options = *job->options;
    struct ws_diagnosis none = {0};
    struct ws_error error = {0};
    int result;

    options.team = team;
    if (team->rank == 0)
        return ws_diagnose(job->directory, job->kb, &options, job->diagnosis, job->error);
    options.progress = NULL;
    result = ws_diagnose(job->directory, job->kb, &options, &none, &error);
    ws_diagnosis_free(&none);
    return result;
}

/* A thread costs some milliseconds and the exchange with it, which only a long trace is worth. */
#define BYTES_PER_JOB ((uint64_t)32 << 20)

static uint32_t default_jobs(const char *directory)
{
    uint32_t cores = (uint32_t)ws_process_cores(), ranks;
    uint64_t bytes = ws_trace_bytes(directory, &ranks), jobs = 1 + bytes / BYTES_PER_JOB;

    jobs = jobs < cores ? jobs : cores;
    return jobs < ranks ? (uint32_t)jobs : ranks ? ranks : 1;
}

/* ---- the diagnosis ---- */

static uint32_t most_replayed(const struct ws_report_choices *choices)
{
    return choices->gain ? 0 : WS_GRAPH_CALLS;
}

/* waits: NULL where the diagnosis told none. */
static int find_gains(const char *directory, const struct ws_kb *kb, const struct ws_report_choices *choices,
                      struct ws_gain_waits *waits, struct ws_diagnosis *diagnosis, struct ws_error *error)
{
    struct ws_progress progress;
    int result;

    if (choices->no_gain)
        return 0;
    progress = ws_progress_begin("replaying the run");
    result = ws_gains_find(directory, kb, choices->engine, most_replayed(choices), waits, diagnosis, error);
    ws_progress_end(&progress);
    return result;
}

int ws_cmd_diagnose_trace(const char *directory, const struct ws_kb *kb, const struct ws_report_choices *choices,
                          struct ws_diagnosis *diagnosis)
{
    struct ws_progress progress = ws_progress_begin("reading the trace");
    struct ws_diagnosis_options options = {.engine = choices->engine,
                                           .threshold_percent = choices->threshold_percent,
                                           .by_phase = choices->by_phase,
                                           .progress = progress.show,
                                           .context = &progress};
    struct ws_error error = {0};
    struct job job = {directory, kb, &options, diagnosis, &error};
    struct ws_gain_waits waits = {.most = most_replayed(choices)};
    uint32_t jobs = choices->by_phase ? 1 : choices->jobs ? choices->jobs : default_jobs(directory);
    bool tells_waits = jobs == 1 && !choices->team && !choices->by_phase && !choices->no_gain;
    int result;

    if (tells_waits) {
        options.waited = ws_gain_waits_add;
        options.waited_context = &waits;
    }
    if (choices->team)
        result = take_part(choices->team, &job);
    else
        result = ws_team_threads(jobs, take_part, &job);
    ws_progress_end(&progress);
    if (result == 0 && (!choices->team || choices->team->rank == 0))
        result = find_gains(directory, kb, choices, tells_waits ? &waits : NULL, diagnosis, &error);
    ws_gain_waits_free(&waits);
    return result == 0 ? WS_DONE : ws_complain(&error);
}

int ws_cmd_report(const char *directory, const struct ws_kb *kb, const struct ws_report_choices *choices)
{
    struct ws_diagnosis diagnosis = {0};
    struct ws_error error;
    int code;

    /* What a finding's phase is only the process knows that reads its rank. */
    if (choices->by_phase && choices->team && choices->team->size > 1) {
        if (choices->team->rank == 0)
            ws_message("--by-phase is told by one process: run 'whyslow diagnose' without a launcher");
        return WS_USAGE;
    }
    code = ws_cmd_diagnose_trace(directory, kb, choices, &diagnosis);
    if (code == WS_DONE && (!choices->team || choices->team->rank == 0) &&
        ws_report_write(&diagnosis, choices->json ? "json" : "text", stdout, &error) != 0)
        code = ws_complain(&error);
    ws_diagnosis_free(&diagnosis);
    return code;
}

/* ---- what was diagnosed before ---- */

static void add_types(const struct ws_kb *kb, struct ws_arena *arena, struct ws_list *types)
{
    for (size_t i = 0; i < kb->scope_count; i++)
        if (kb->scopes[i]->problem_count)
            WS_PUSH(types->items, types->count, types->capacity) = ws_arena_strdup(arena, kb->scopes[i]->id);
}

struct load {
    const struct ws_report_choices *choices;
    struct ws_diagnosis *diagnosis;
    struct ws_list *types; /* NULL: not wanted */
};

static int load_trace(const struct ws_named_trace *trace, const struct ws_kb *kb, void *context)
{
    const struct load *load = context;
    int code = ws_cmd_diagnose_trace(trace->directory, kb, load->choices, load->diagnosis);

    if (code == 0 && load->types)
        add_types(kb, &load->diagnosis->arena, load->types);
    return code;
}

int ws_cmd_load_diagnosis(const char *path, const struct ws_list *extra, const struct ws_report_choices *choices,
                          struct ws_diagnosis *diagnosis, struct ws_list *types)
{
    char *anchor = ws_import_find(path);
    bool is_trace = anchor || ws_is_folder(path);
    struct ws_error error;

    free(anchor);
    if (is_trace)
        return ws_cmd_with_trace(path, extra, load_trace, &(struct load){choices, diagnosis, types});
    if (access(path, F_OK) != 0) {
        ws_message("%s: there is neither a trace nor a file of 'whyslow diagnose --json' of this name", path);
        return WS_BAD_INPUT;
    }
    return ws_report_read(path, diagnosis, &error) == 0 ? WS_DONE : ws_complain(&error);
}
