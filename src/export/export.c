/* A trace on its way into another format: read twice, first for the times of waiting, then for all else. */
#include "export/export.h"

#include "diagnosis/efficiency.h"
#include "export/formats.h"
#include "export/sorter.h"
#include "tracegen/tracegen.h"
#include "util/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct ws_export_ops *const formats[] = {
    &ws_export_perfetto, &ws_export_chrome, &ws_export_paraver,
#ifdef WHYSLOW_OTF2
    &ws_export_otf2,
#endif
    &ws_export_csv,
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const struct ws_export_format *ws_export_nth(size_t i)
{
    return i < FORMAT_COUNT ? &formats[i]->format : NULL;
}

const struct ws_export_format *ws_export_find(const char *name, struct ws_error *error)
{
    const char *names[FORMAT_COUNT], *near;

    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        names[i] = formats[i]->format.name;
        if (strcmp(names[i], name) == 0)
            return &formats[i]->format;
    }
    near = ws_suggest(name, names, FORMAT_COUNT);
    ws_fail(error, WS_USAGE, near ? "no format '%s'; did you mean '%s'?" : "no format '%s'", name, near);
    return NULL;
}

/* ---- what the formats share ---- */

uint64_t ws_message_id(const struct ws_meaning *meaning, const struct ws_event *event)
{
    int64_t own = event->value[WS_ATTR_PROCESS].i, peer = ws_known(meaning, event, WS_KNOWN_PEER, -1);
    bool sends = meaning->means == WS_MEANS_SEND;
    const int64_t key[] = {sends ? own : peer, sends ? peer : own, ws_known(meaning, event, WS_KNOWN_COMM, 0),
                           ws_known(meaning, event, WS_KNOWN_TAG, 0),
                           ws_known(meaning, event, WS_KNOWN_N, 0)};

    return ws_hash(WS_HASH_START, key, sizeof key);
}

const char *ws_site_words(struct ws_export *out, int64_t site, struct ws_text *text)
{
    const struct ws_site *at = ws_trace_site(out->trace, site);

    ws_text_clear(text);
    if (*at->function)
        ws_text_printf(text, "%s()", at->function);
    if (*at->file && at->line)
        ws_text_printf(text, "%s%s:%d", *at->function ? " at " : "", ws_base_name(at->file), at->line);
    else if (*at->file)
        ws_text_printf(text, "%s%s", *at->function ? " in " : "", ws_base_name(at->file));
    return ws_text_string(text);
}

/* ---- the times of waiting, kept until the calls are written ---- */

struct work {
    const struct ws_export_ops *ops;
    const struct ws_export_options *options;
    struct ws_export out;
    struct ws_sorter waits;
    struct ws_error *error;
    bool failed; /* of the sorter, told while the diagnosis runs */
};

static int by_rank_and_time(const void *left, const void *right)
{
    const struct ws_waited *a = left, *b = right;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static void keep_wait(const struct ws_waited *waited, void *context)
{
    struct work *work = context;

    if (!work->failed && ws_sorter_add(&work->waits, waited, work->error) != 0)
        work->failed = true;
}

/* The share of the work that is the diagnosis: of a format that shows no waiting it is none. */
#define DIAGNOSIS_SHARE 0.5

static void diagnosis_progress(double share, void *context)
{
    const struct work *work = context;
    work->options->progress(share * DIAGNOSIS_SHARE, work->options->context);
}

static int find_waits(const char *directory, const struct ws_kb *kb, struct work *work)
{
    struct ws_diagnosis_options options = {.threshold_percent = -1,
                                           .progress = work->options->progress ? diagnosis_progress : NULL,
                                           .context = work,
                                           .waited = keep_wait,
                                           .waited_context = work};
    struct ws_diagnosis diagnosis = {0};
    int result = ws_diagnose(directory, kb, &options, &diagnosis, work->error);

    ws_diagnosis_free(&diagnosis);
    return work->failed ? -1 : result;
}

/* ---- the calls ---- */

/* The call that is being gathered, and its events in places that are used again. */
struct gathering {
    bool any;
    struct ws_shown_call call;
    struct ws_event **events;
    size_t event_count, place_count, place_capacity;
    size_t event_bytes; /* of the largest */
};

static int write_call(struct work *work, struct gathering *gathering)
{
    int result = 0;

    if (gathering->any) {
        gathering->call.events = (const struct ws_event *const *)gathering->events;
        gathering->call.event_count = gathering->event_count;
        result = work->ops->call(&work->out, &gathering->call);
    }
    gathering->any = false;
    gathering->event_count = 0;
    return result;
}

static void begin_call(struct gathering *gathering, const struct ws_event *event)
{
    gathering->any = true;
    gathering->call = (struct ws_shown_call){
        .rank = (uint32_t)event->value[WS_ATTR_PROCESS].i,
        .thread = (uint32_t)((uint64_t)event->value[WS_ATTR_CALL].i >> 32),
        .t_ns = event->value[WS_ATTR_T].i,
        .end_ns = event->value[WS_ATTR_END].i,
        .site = event->value[WS_ATTR_SITE].i,
        .function = event->value[WS_ATTR_FUNCTION].s,
    };
}

static size_t bytes_of(const struct ws_schema_type *type)
{
    return sizeof(struct ws_event) +
           (WS_ATTR_COUNT + type->param_count + type->number_count) * sizeof(union ws_value);
}

static void add_event(struct work *work, struct gathering *gathering, const struct ws_event *event)
{
    if (gathering->event_count == gathering->place_count)
        WS_PUSH(gathering->events, gathering->place_count, gathering->place_capacity) =
            ws_alloc(gathering->event_bytes);
    memcpy(gathering->events[gathering->event_count++], event,
           bytes_of(&work->out.schema->types[ws_type_of(event)]));
}

#define PROGRESS_EVENTS 65536

static void tell_progress(const struct work *work, int64_t end_ns)
{
    double before = work->ops->waited ? DIAGNOSIS_SHARE : 0;

    work->options->progress(before + (1 - before) * ws_share_before(work->out.info, end_ns),
                            work->options->context);
}

static int write_calls(struct work *work)
{
    struct gathering gathering = {0};
    const struct ws_event *event;
    uint64_t count = 0;
    int got, result = 0;

    for (size_t t = 0; t < work->out.schema->type_count; t++)
        if (bytes_of(&work->out.schema->types[t]) > gathering.event_bytes)
            gathering.event_bytes = bytes_of(&work->out.schema->types[t]);
    ws_trace_tell_calls(work->out.trace);
    while (result == 0 && (got = ws_trace_next(work->out.trace, &event, work->error)) > 0) {
        if (work->options->progress && ++count % PROGRESS_EVENTS == 0)
            tell_progress(work, event->value[WS_ATTR_END].i);
        if (event->type == WS_TRACE_CALL) {
            result = write_call(work, &gathering);
            begin_call(&gathering, event);
        } else {
            add_event(work, &gathering, event);
        }
    }
    if (result == 0)
        result = got < 0 ? -1 : write_call(work, &gathering);
    for (size_t i = 0; i < gathering.place_count; i++)
        free(gathering.events[i]);
    free(gathering.events);
    return result;
}

static int write_waits(struct work *work)
{
    const void *waited;
    int got;

    while ((got = ws_sorter_next(&work->waits, &waited, work->error)) > 0)
        if (work->ops->waited(&work->out, waited) != 0)
            return -1;
    return got;
}

static int write_all(struct work *work)
{
    int result = work->ops->begin(&work->out);

    if (result == 0)
        result = write_calls(work);
    if (result == 0 && work->ops->waited)
        result = write_waits(work);
    return work->ops->end(&work->out, result != 0) != 0 ? -1 : result;
}

/* ---- the trace ---- */

static int export_trace(const char *directory, const struct ws_schema *schema, struct work *work)
{
    struct ws_export *out = &work->out;
    struct ws_meaning *meanings;
    struct ws_error unknown;
    struct ws_run run;
    bool is_run = ws_run_read(directory, &run, &unknown) == 0;
    int result = -1;

    out->command = is_run ? run.command : "";
    out->started = is_run ? run.started : "";
    out->mpi = is_run ? run.mpi : "";
    out->schema = schema;
    out->meanings = meanings = ws_meanings_make(schema);
    out->trace = ws_trace_open(directory, schema, work->error);
    if (out->trace) {
        out->info = ws_trace_info(out->trace);
        ws_run_span(out->info, &out->begin_ns, &out->end_ns);
        if (out->end_ns <= out->begin_ns)
            out->begin_ns = out->end_ns = 0;
        result = write_all(work);
    }
    ws_trace_close(out->trace);
    free(meanings);
    if (is_run)
        ws_run_free(&run);
    return result;
}

/* ---- names of outputs ---- */

static int check_output(const struct ws_export_options *options, struct ws_error *error)
{
    const struct ws_export_format *format = options->format;
    struct stat info;

    if (strcmp(options->output, "-") == 0)
        return format->streams
                   ? 0
                   : ws_fail(error, WS_USAGE, "%s is more than one file: name it with -o", format->name);
    if (lstat(options->output, &info) != 0)
        return 0;
    if (format->folder || S_ISDIR(info.st_mode))
        return ws_fail(error, WS_USAGE, "%s is there: name another with -o, or remove it", options->output);
    if (!S_ISREG(info.st_mode) || !options->replace)
        return ws_fail(error, WS_USAGE, "%s is there: name another with -o%s", options->output,
                       S_ISREG(info.st_mode) ? ", or replace it with --force" : "");
    return 0;
}

static int cannot_write(const char *path, struct ws_error *error)
{
    return ws_fail(error, WS_ENVIRONMENT, "%s: cannot write: %s", path, strerror(errno));
}

/* Opens what is written to until it is complete. */
static int open_output(struct work *work, const char *temporary)
{
    struct ws_export *out = &work->out;

    out->path = temporary;
    if (work->ops->format.folder)
        return mkdir(temporary, 0777) == 0 ? 0 : cannot_write(temporary, work->error);
    out->file = strcmp(work->options->output, "-") == 0 ? stdout : fopen(temporary, "wbe");
    return out->file ? 0 : cannot_write(temporary, work->error);
}

static int close_output(struct work *work, int result)
{
    FILE *file = work->out.file;
    bool broken = file && (fflush(file) != 0 || ferror(file));

    if (file && file != stdout)
        broken |= fclose(file) != 0;
    if (result == 0 && broken)
        return cannot_write(work->options->output, work->error);
    return result;
}

/* Gives it its name.  A folder that came meanwhile is not replaced, unless it is empty. */
static int name_output(struct work *work, const char *temporary)
{
    const char *output = work->options->output;

    if (!work->ops->format.folder && !work->options->replace)
        return link(temporary, output) == 0 ? unlink(temporary) : cannot_write(output, work->error);
    return rename(temporary, output) == 0 ? 0 : cannot_write(output, work->error);
}

static int write_output(const char *directory, const struct ws_schema *schema, struct work *work)
{
    struct ws_text temporary = {0};
    bool named = strcmp(work->options->output, "-") != 0;
    int result;

    ws_text_printf(&temporary, "%s.%ld.tmp", work->options->output, (long)getpid());
    result = open_output(work, temporary.bytes);
    if (result == 0)
        result = close_output(work, export_trace(directory, schema, work));
    if (named && result == 0)
        result = name_output(work, temporary.bytes);
    if (named && result != 0)
        ws_remove_all(temporary.bytes);
    ws_text_free(&temporary);
    return result;
}

static const struct ws_export_ops *ops_of(const struct ws_export_format *format)
{
    size_t i = 0;

    while (&formats[i]->format != format)
        i++;
    return formats[i];
}

int ws_export(const char *directory, const struct ws_kb *kb, const struct ws_export_options *options,
              struct ws_text *warning, struct ws_error *error)
{
    struct ws_text near = {0}; /* which path the waits are sorted */
    struct work work = {.ops = ops_of(options->format),
                        .options = options,
                        .out = {.warning = warning, .error = error},
                        .waits = {.record_bytes = sizeof(struct ws_waited), .compare = by_rank_and_time},
                        .error = error};
    struct ws_schema schema = {0};
    int result = check_output(options, error);

    if (strcmp(options->output, "-") == 0)
        ws_text_printf(&near, "%s/whyslow", ws_temporary_folder());
    else
        ws_text_puts(&near, options->output);
    work.waits.near = ws_text_string(&near);

    if (result == 0)
        result = ws_diagnosis_check(directory, error);
    if (result == 0)
        result = ws_schema_from_kb(kb, &schema, error);
    if (result == 0 && work.ops->waited)
        result = find_waits(directory, kb, &work);
    if (result == 0)
        result = write_output(directory, &schema, &work);
    ws_schema_free(&schema);
    ws_sorter_free(&work.waits);
    ws_text_free(&near);
    return result;
}
