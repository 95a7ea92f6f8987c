#include "report/page.h"

#include "diagnosis/efficiency.h"
#include "replay/gain.h"
#include "report/page_tree.h"
#include "report/template.h"
#include "report/timeline/pairs.h"
#include "tracegen/tracegen.h"
#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS_EVENTS 65536 /* between two calls of `progress` */
/* Of the work: what is done when a part of it begins. */
#define SECOND_READING 0.5
#define EXCHANGE 0.8

/* ---- reading ---- */

static int open_trace(struct ws_page *page, struct ws_error *error)
{
    if (ws_schema_from_kb(page->kb, &page->schema, error) != 0)
        return -1;
    page->trace = ws_trace_open(page->directory, &page->schema, error);
    if (!page->trace)
        return -1;
    page->info = ws_trace_info(page->trace);
    ws_run_span(page->info, &page->begin_ns, &page->end_ns);
    if (page->end_ns <= page->begin_ns) { /* no rank has any time */
        page->begin_ns = 0;
        page->end_ns = 1;
    }
    page->row_of = ws_alloc_array((size_t)page->info->ranks + 1, sizeof *page->row_of);
    for (uint32_t r = 0; r < page->info->ranks; r++)
        page->row_of[r] = page->info->rank[r].present ? page->rows++ : UINT32_MAX;
    return 0;
}

static void show_diagnosis(double share, void *context)
{
    const struct ws_page *page = context;
    page->options->progress(SECOND_READING * share, page->options->context);
}

/* Each wait is for the page's sums, and for the replay. */
struct told {
    struct ws_waits *sums;
    struct ws_gain_waits replayed;
};

static void take_wait(const struct ws_waited *waited, void *context)
{
    struct told *told = context;

    ws_waits_add(waited, told->sums);
    ws_gain_waits_add(waited, &told->replayed);
}

static int diagnose(struct ws_page *page, struct ws_error *error)
{
    struct told told = {&page->waits, {.most = WS_GRAPH_CALLS}};
    const struct ws_diagnosis_options options = {.engine = page->options->engine,
                                                 .threshold_percent = page->options->threshold_percent,
                                                 .progress = page->options->progress ? show_diagnosis : NULL,
                                                 .context = page,
                                                 .waited = take_wait,
                                                 .waited_context = &told};
    int result;

    ws_levels_init(&page->levels, page->begin_ns, page->end_ns, page->rows);
    ws_waits_init(&page->waits, &page->levels, page->row_of, page->info->ranks, page->begin_ns, page->end_ns,
                  page->options->events);
    result = ws_diagnose(page->directory, page->kb, &options, &page->diagnosis, error);
    if (result == 0)
        result = ws_gains_find(page->directory, page->kb, page->options->engine, WS_GRAPH_CALLS, &told.replayed,
                               &page->diagnosis, error);
    ws_gain_waits_free(&told.replayed);
    if (result != 0)
        return -1;
    ws_waits_finish(&page->waits);
    page->groups = page->waits.group_count;
    page->problems = ws_alloc_array(page->groups + 1, 1);
    memset(page->problems, WS_CELL_SMALL, page->groups);
    for (size_t i = 0; i < page->diagnosis.problem_count && i < WS_CELL_SMALL; i++)
        if (page->diagnosis.problems[i].group < page->groups)
            page->problems[page->diagnosis.problems[i].group] = (uint8_t)i;
    return 0;
}

static void show_reading(const struct ws_page *page, int64_t ns)
{
    double share = ((double)ns - (double)page->begin_ns) / ((double)page->end_ns - (double)page->begin_ns);

    share = share < 0 ? 0 : share > 1 ? 1 : share;
    page->options->progress(SECOND_READING + (EXCHANGE - SECOND_READING) * share, page->options->context);
}

/* The second reading: calls for the levels, events for the columns. */
static int read_events(struct ws_page *page, struct ws_error *error)
{
    const struct ws_event *event;
    uint64_t count = 0;
    int got;

    ws_shown_init(&page->events, page->kb, &page->waits, page->options->events);
    ws_trace_tell_calls(page->trace);
    while ((got = ws_trace_next(page->trace, &event, error)) > 0) {
        int64_t rank = event->value[WS_ATTR_PROCESS].i;
        if (event->type != WS_TRACE_CALL && !(event->type & WS_TRACE_STARTED))
            ws_shown_add(&page->events, event);
        else if (event->type == WS_TRACE_CALL && rank < page->info->ranks && page->row_of[rank] != UINT32_MAX)
            ws_levels_add_call(&page->levels, page->row_of[rank], event->value[WS_ATTR_T].i,
                               event->value[WS_ATTR_END].i);
        if (page->options->progress && ++count % PROGRESS_EVENTS == 0)
            show_reading(page, event->value[WS_ATTR_END].i);
    }
    ws_shown_finish(&page->events);
    return got;
}

static void show_exchange(double share, void *context)
{
    const struct ws_page *page = context;
    page->options->progress(EXCHANGE + (1 - EXCHANGE) * share, page->options->context);
}

static int read_exchange(struct ws_page *page, struct ws_error *error)
{
    const struct ws_exchange_options options = {.progress = page->options->progress ? show_exchange : NULL,
                                                .context = page};

    return ws_exchange_read(page->directory, page->kb, &options, &page->exchange, error);
}

/* ---- the file ---- */

static void fill(const struct ws_page *page, struct ws_text *out)
{
    json_t *report = ws_page_tree(page);
    struct ws_zip *zip = ws_alloc(sizeof *zip);

    ws_template_begin(out, report);
    json_decref(report);
    ws_zip_begin(zip, out);
    ws_levels_write(&page->levels, page->problems, page->groups, zip);
    ws_shown_write(&page->events, page->rows, page->begin_ns, page->problems, page->groups, zip);
    if (ws_pairs_are_many(&page->exchange))
        ws_pairs_write(&page->exchange, zip);
    ws_zip_end(zip);
    free(zip);
    ws_template_end(out);
}

/* Nothing should take the place of a device, a pipe or a link, as /dev/stdout is one. */
static int write_through(const char *path, const struct ws_text *text, struct ws_error *error)
{
    FILE *file = fopen(path, "w");
    bool written = file && fwrite(text->bytes, 1, text->length, file) == text->length && fflush(file) == 0;
    int cause = errno;

    if (file && fclose(file) != 0 && written) {
        cause = errno;
        written = false;
    }
    return written ? 0 : ws_fail(error, WS_ENVIRONMENT, "%s: cannot write: %s", path, strerror(cause));
}

static int put(const char *path, const struct ws_text *text, struct ws_error *error)
{
    struct stat info;

    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return write_through(path, text, error);
    return ws_file_write(path, text->bytes, text->length, error);
}

/* Can the file be written, as far as that can be seen before the work? */
static int check_target(const char *file, struct ws_error *error)
{
    const char *slash = strrchr(file, '/');
    struct ws_text folder = {0};
    int result = 0;

    ws_text_add(&folder, slash ? file : ".", slash ? (size_t)(slash - file) + (slash == file) : 1);
    if (ws_is_folder(file))
        result = ws_fail(error, WS_ENVIRONMENT, "%s: is a folder; name the file to write, as %s/report.html",
                         file, file);
    else if (!ws_is_folder(folder.bytes))
        result =
            ws_fail(error, WS_ENVIRONMENT, "%s: there is no folder %s; make it first", file, folder.bytes);
    else if (access(folder.bytes, W_OK) != 0 && access(file, W_OK) != 0)
        result = ws_fail(error, WS_ENVIRONMENT, "%s: cannot write to folder %s: %s", file, folder.bytes,
                         strerror(errno));
    ws_text_free(&folder);
    return result;
}

static void release(struct ws_page *page)
{
    ws_exchange_free(&page->exchange);
    ws_shown_free(&page->events);
    ws_waits_free(&page->waits);
    ws_levels_free(&page->levels);
    ws_diagnosis_free(&page->diagnosis);
    ws_trace_close(page->trace);
    ws_schema_free(&page->schema);
    free(page->row_of);
    free(page->problems);
}

int ws_page_write(const char *directory, const struct ws_kb *kb, const struct ws_page_options *options,
                  const char *file, struct ws_error *error)
{
    struct ws_page page = {.directory = directory, .kb = kb, .options = options};
    struct ws_text out = {0};
    int result = ws_diagnosis_check(directory, error);

    if (result == 0)
        result = check_target(file, error);
    if (result == 0)
        result = open_trace(&page, error);
    if (result == 0)
        result = diagnose(&page, error);
    if (result == 0)
        result = read_events(&page, error);
    if (result == 0)
        result = read_exchange(&page, error);
    if (result == 0) {
        fill(&page, &out);
        result = put(file, &out, error);
    }
    release(&page);
    ws_text_free(&out);
    return result;
}
