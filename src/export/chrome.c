/* The Trace Event Format of Chrome's viewer, which Perfetto reads too: a process for each rank, a track for
 * each of its threads and one for its waiting; arrows from sends to receives.  Times are microseconds with
 * three decimals. */
#include "export/formats.h"

#include "export/json.h"
#include "util/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_TRACK 1048576 /* above all threads */

#define WELL_BORNE 1000000 /* entries */

struct chrome {
    struct ws_text line, words;
    char **sites; /* what is said of a site, by its index; NULL: not yet asked */
    size_t site_count;
    uint32_t *threads; /* [ranks]: greatest named so far + 1 */
    bool *waits;       /* [ranks]: has a track for its waiting */
    bool any;          /* something is in the list */
    uint64_t items;
};

static int flush(struct ws_export *out)
{
    struct chrome *chrome = out->state;
    size_t wrote = fwrite(chrome->line.bytes, 1, chrome->line.length, out->file);
    bool all = wrote == chrome->line.length;

    ws_text_clear(&chrome->line);
    return all ? 0 : ws_fail(out->error, WS_ENVIRONMENT, "%s: cannot write", out->path);
}

static void open_item(struct chrome *chrome)
{
    ws_text_puts(&chrome->line, chrome->any ? ",\n" : "\n");
    chrome->any = true;
    chrome->items++;
}

static void put_us(struct ws_text *line, const char *key, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

    ws_text_printf(line, ",\"%s\":%s%" PRIu64 ".%03u", key, ns < 0 ? "-" : "", size / 1000,
                   (unsigned)(size % 1000));
}

/* A word about a process or a track. */
static void put_name(struct chrome *chrome, const char *what, uint32_t rank, uint32_t track, const char *name)
{
    open_item(chrome);
    ws_text_printf(&chrome->line,
                   "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what, rank,
                   track);
    ws_json_string(&chrome->line, name);
    ws_text_puts(&chrome->line, "}}");
}

static void put_order(struct chrome *chrome, const char *what, uint32_t rank, uint32_t track, uint32_t place)
{
    open_item(chrome);
    ws_text_printf(&chrome->line,
                   "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"sort_index\":%u}}", what,
                   rank, track, place);
}

/* ---- the processes ---- */

static int begin(struct ws_export *out)
{
    struct chrome *chrome = out->state = ws_alloc(sizeof *chrome);

    chrome->threads = ws_alloc_array(out->info->ranks, sizeof *chrome->threads);
    chrome->waits = ws_alloc_array(out->info->ranks, sizeof *chrome->waits);
    ws_text_puts(&chrome->line,
                 "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"creator\":\"Whyslow " WHYSLOW_VERSION
                 "\",\"command\":");
    ws_json_string(&chrome->line, out->command);
    ws_text_puts(&chrome->line, ",\"started\":");
    ws_json_string(&chrome->line, out->started);
    ws_text_puts(&chrome->line, ",\"mpi\":");
    ws_json_string(&chrome->line, out->mpi);
    ws_text_puts(&chrome->line, "},\n\"traceEvents\":[");
    for (uint32_t r = 0; r < out->info->ranks; r++) {
        if (!out->info->rank[r].present)
            continue;
        ws_text_clear(&chrome->words);
        ws_text_printf(&chrome->words, "rank %u on %s", r, out->info->rank[r].host);
        put_name(chrome, "process_name", r, 0, chrome->words.bytes);
        put_order(chrome, "process_sort_index", r, 0, r);
    }
    return flush(out);
}

static void name_threads(struct chrome *chrome, uint32_t rank, uint32_t thread)
{
    for (uint32_t t = chrome->threads[rank]; t <= thread; t++) {
        ws_text_clear(&chrome->words);
        ws_text_printf(&chrome->words, "thread %u", t);
        put_name(chrome, "thread_name", rank, t, chrome->words.bytes);
        put_order(chrome, "thread_sort_index", rank, t, t);
    }
    if (thread >= chrome->threads[rank])
        chrome->threads[rank] = thread + 1;
}

/* ---- a call ---- */

static const char *about_site(struct ws_export *out, int64_t site)
{
    struct chrome *chrome = out->state;
    struct ws_text said = {0};

    if (site <= 0)
        return "";
    if ((size_t)site >= chrome->site_count) {
        size_t larger = 2 * (size_t)site + 64;
        chrome->sites = ws_realloc_array(chrome->sites, larger, sizeof *chrome->sites);
        memset(chrome->sites + chrome->site_count, 0, (larger - chrome->site_count) * sizeof *chrome->sites);
        chrome->site_count = larger;
    }
    if (!chrome->sites[site]) {
        const struct ws_site *at = ws_trace_site(out->trace, site);
        ws_text_puts(&said, "\"in\":");
        ws_json_string(&said, at->function);
        ws_text_puts(&said, ",\"file\":");
        ws_json_string(&said, at->file);
        ws_text_printf(&said, ",\"line\":%d,\"module\":", at->line);
        ws_json_string(&said, at->module);
        ws_text_printf(&said, ",\"offset\":%" PRIu64, at->offset);
        chrome->sites[site] = said.bytes;
    }
    return chrome->sites[site];
}

static void put_value(struct ws_export *out, enum ws_type type, union ws_value value)
{
    struct chrome *chrome = out->state;

    if (type == WS_TYPE_STRING)
        ws_json_string(&chrome->line, value.s);
    else if (type == WS_TYPE_REAL)
        ws_json_real(&chrome->line, value.r);
    else if (type == WS_TYPE_SITE)
        ws_json_string(&chrome->line, ws_site_words(out, value.i, &chrome->words));
    else if (type == WS_TYPE_BOOLEAN)
        ws_text_puts(&chrome->line, value.i ? "true" : "false");
    else
        ws_text_integer(&chrome->line, value.i);
}

/* A name of the rules, which is an identifier. */
static void put_key(struct ws_text *line, const char *name)
{
    ws_text_add(line, ",\"", 2);
    ws_text_puts(line, name);
    ws_text_add(line, "\":", 2);
}

static void put_event(struct ws_export *out, const struct ws_event *event)
{
    const struct ws_schema_type *type = &out->schema->types[ws_type_of(event)];
    const union ws_value *value = event->value + WS_ATTR_COUNT;
    struct ws_text *line = &((struct chrome *)out->state)->line;

    ws_text_puts(line, "{\"type\":");
    ws_json_string(line, type->name);
    if (ws_is_start(event))
        ws_text_puts(line, ",\"starts\":true");
    for (size_t i = 0; i < type->param_count; i++) {
        put_key(line, type->params[i]);
        put_value(out, type->param_types[i], *value++);
    }
    for (size_t i = 0; i < type->number_count; i++) {
        put_key(line, type->numbers[i].name);
        ws_text_integer(line, (value++)->i);
    }
    ws_text_puts(line, "}");
}

/* An arrow's end must lie within the call that it belongs to. */
static void put_arrow(struct ws_export *out, const struct ws_shown_call *call, const struct ws_event *event)
{
    const struct ws_meaning *meaning = &out->meanings[ws_type_of(event)];
    struct chrome *chrome = out->state;
    bool sends = meaning->means == WS_MEANS_SEND;
    int64_t at_ns = sends || call->end_ns == call->t_ns ? call->t_ns : call->end_ns - 1;

    if (meaning->means != WS_MEANS_SEND && meaning->means != WS_MEANS_RECV)
        return;
    /* A send leaves where it starts, a receive is reached where it ends. */
    if (sends ? !ws_is_start(event) && event->mark != 0 : ws_is_start(event))
        return;
    if (ws_known(meaning, event, WS_KNOWN_PEER, -1) < 0)
        return;
    open_item(chrome);
    ws_text_printf(&chrome->line,
                   "{\"ph\":\"%s\",\"cat\":\"message\",\"name\":\"message\",\"id\":\"0x%016" PRIx64
                   "\",\"pid\":%u,\"tid\":%u",
                   sends ? "s" : "f", ws_message_id(meaning, event), call->rank, call->thread);
    put_us(&chrome->line, "ts", ws_since(out, at_ns));
    ws_text_puts(&chrome->line, sends ? "}" : ",\"bp\":\"e\"}");
}

static int write_call(struct ws_export *out, const struct ws_shown_call *call)
{
    struct chrome *chrome = out->state;
    const char *site = about_site(out, call->site);

    name_threads(chrome, call->rank, call->thread);
    open_item(chrome);
    ws_text_puts(&chrome->line, "{\"ph\":\"X\",\"cat\":\"call\",\"name\":");
    ws_json_string(&chrome->line, call->function);
    ws_text_printf(&chrome->line, ",\"pid\":%u,\"tid\":%u", call->rank, call->thread);
    put_us(&chrome->line, "ts", ws_since(out, call->t_ns));
    put_us(&chrome->line, "dur", call->end_ns - call->t_ns);
    ws_text_printf(&chrome->line, ",\"args\":{%s%s\"events\":[", site, *site ? "," : "");
    for (size_t i = 0; i < call->event_count; i++) {
        ws_text_puts(&chrome->line, i ? "," : "");
        put_event(out, call->events[i]);
    }
    ws_text_puts(&chrome->line, "]}}");
    for (size_t i = 0; i < call->event_count; i++)
        put_arrow(out, call, call->events[i]);
    return flush(out);
}

/* ---- waiting ---- */

static int write_waited(struct ws_export *out, const struct ws_waited *waited)
{
    struct chrome *chrome = out->state;

    if (!chrome->waits[waited->rank]) {
        put_name(chrome, "thread_name", waited->rank, WAITING_TRACK, "waiting");
        put_order(chrome, "thread_sort_index", waited->rank, WAITING_TRACK, WAITING_TRACK);
        chrome->waits[waited->rank] = true;
    }
    open_item(chrome);
    ws_text_puts(&chrome->line, "{\"ph\":\"X\",\"cat\":\"waiting\",\"name\":");
    ws_json_string(&chrome->line, waited->name);
    ws_text_printf(&chrome->line, ",\"pid\":%u,\"tid\":%d", waited->rank, WAITING_TRACK);
    put_us(&chrome->line, "ts", ws_since(out, waited->from_ns));
    put_us(&chrome->line, "dur", waited->to_ns - waited->from_ns);
    ws_text_puts(&chrome->line, ",\"args\":{\"problem\":");
    ws_json_string(&chrome->line, waited->id);
    if (waited->cause_rank != UINT32_MAX)
        ws_text_printf(&chrome->line, ",\"waits_for\":%u", waited->cause_rank);
    ws_text_puts(&chrome->line, "}}");
    return flush(out);
}

static int end(struct ws_export *out, bool failed)
{
    struct chrome *chrome = out->state;
    int result = 0;

    ws_text_puts(&chrome->line, "\n]}\n");
    if (!failed)
        result = flush(out);
    if (chrome->items > WELL_BORNE)
        ws_text_printf(
            out->warning,
            "%" PRIu64
            " entries are more than viewers of this format bear (about a million); perfetto has no "
            "such limit",
            chrome->items);
    for (size_t i = 0; i < chrome->site_count; i++)
        free(chrome->sites[i]);
    free(chrome->sites);
    free(chrome->threads);
    free(chrome->waits);
    ws_text_free(&chrome->line);
    ws_text_free(&chrome->words);
    free(chrome);
    return result;
}

const struct ws_export_ops ws_export_chrome = {
    .format = {.name = "chrome",
               .line = "JSON for chrome://tracing, Perfetto, Speedscope; for up to a million events",
               .suffix = ".json",
               .streams = true},
    .begin = begin,
    .call = write_call,
    .waited = write_waited,
    .end = end,
};
