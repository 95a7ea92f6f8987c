/* A table of all events: a row for each, a column for each attribute and for each parameter that any type has
 * (RFC 4180, UTF-8, times in nanoseconds from the begin of the run). */
#include "export/formats.h"

#include "util/alloc.h"
#include "util/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct csv {
    struct ws_text line;
    const char **columns; /* parameters, as they first appear */
    size_t column_count, column_capacity;
    int **slots;  /* [type][column]: in ws_event.value, -1: the type has no such parameter */
    char **sites; /* the columns of a site, by its index; NULL: not yet asked */
    size_t site_count;
};

/* ---- columns ---- */

static const char *param_name(const struct ws_schema_type *type, size_t i)
{
    return i < type->param_count ? type->params[i] : type->numbers[i - type->param_count].name;
}

static size_t column_of(struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->column_count; i++)
        if (strcmp(csv->columns[i], name) == 0)
            return i;
    WS_PUSH(csv->columns, csv->column_count, csv->column_capacity) = name;
    return csv->column_count - 1;
}

static void find_columns(const struct ws_export *out, struct csv *csv)
{
    size_t types = out->schema->type_count;

    for (size_t t = 0; t < types; t++)
        for (size_t i = 0; i < out->schema->types[t].param_count + out->schema->types[t].number_count; i++)
            column_of(csv, param_name(&out->schema->types[t], i));
    csv->slots = ws_alloc_array(types, sizeof *csv->slots);
    for (size_t t = 0; t < types; t++) {
        const struct ws_schema_type *type = &out->schema->types[t];
        csv->slots[t] = ws_alloc_array(csv->column_count, sizeof **csv->slots);
        for (size_t c = 0; c < csv->column_count; c++)
            csv->slots[t][c] = -1;
        for (size_t i = 0; i < type->param_count + type->number_count; i++)
            csv->slots[t][column_of(csv, param_name(type, i))] = (int)i;
    }
}

/* ---- fields ---- */

static void put_text(struct ws_text *line, const char *text)
{
    char *valid;

    if (ws_is_plain(text, ",\"")) {
        ws_text_puts(line, text);
        return;
    }
    valid = ws_utf8_copy(text, false);
    if (valid[strcspn(valid, ",\"\r\n")] == '\0') {
        ws_text_puts(line, valid);
    } else {
        ws_text_puts(line, "\"");
        for (const char *at = valid; *at; at++)
            ws_text_add(line, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
        ws_text_puts(line, "\"");
    }
    free(valid);
}

/* Function, file, line, module, offset. */
static const char *site_columns(struct ws_export *out, int64_t site)
{
    struct csv *csv = out->state;
    struct ws_text said = {0};

    if (site <= 0)
        return ",,,,";
    if ((size_t)site >= csv->site_count) {
        size_t larger = 2 * (size_t)site + 64;
        csv->sites = ws_realloc_array(csv->sites, larger, sizeof *csv->sites);
        memset(csv->sites + csv->site_count, 0, (larger - csv->site_count) * sizeof *csv->sites);
        csv->site_count = larger;
    }
    if (!csv->sites[site]) {
        const struct ws_site *at = ws_trace_site(out->trace, site);
        put_text(&said, at->function);
        ws_text_puts(&said, ",");
        put_text(&said, at->file);
        if (at->line)
            ws_text_printf(&said, ",%d,", at->line);
        else
            ws_text_puts(&said, ",,");
        put_text(&said, at->module);
        ws_text_printf(&said, ",%" PRIu64, at->offset);
        csv->sites[site] = said.bytes;
    }
    return csv->sites[site];
}

static void put_value(struct ws_export *out, enum ws_type type, union ws_value value)
{
    struct ws_text *line = &((struct csv *)out->state)->line;
    struct ws_text words = {0};

    if (type == WS_TYPE_STRING)
        put_text(line, value.s);
    else if (type == WS_TYPE_REAL)
        ws_text_printf(line, "%.17g", value.r);
    else if (type == WS_TYPE_SITE)
        put_text(line, ws_site_words(out, value.i, &words));
    else
        ws_text_integer(line, value.i);
    ws_text_free(&words);
}

/* ---- the file ---- */

static int flush(struct ws_export *out)
{
    struct ws_text *line = &((struct csv *)out->state)->line;
    size_t wrote;

    ws_text_puts(line, "\r\n");
    wrote = fwrite(line->bytes, 1, line->length, out->file);
    if (wrote != line->length)
        return ws_fail(out->error, WS_ENVIRONMENT, "%s: cannot write", out->path);
    ws_text_clear(line);
    return 0;
}

static int begin(struct ws_export *out)
{
    struct csv *csv = out->state = ws_alloc(sizeof *csv);

    find_columns(out, csv);
    ws_text_puts(&csv->line, "type,process,thread,call,t_ns,d_ns,end_ns,function,site_function,site_file,"
                             "site_line,site_module,site_offset,posted_ns,"
                             "posted_function,posted_site_function,posted_site_file,posted_site_line,posted_"
                             "site_module,posted_site_offset,"
                             "compute_ns,before,before_d_ns,before_function");
    for (size_t c = 0; c < csv->column_count; c++)
        ws_text_printf(&csv->line, ",%s", csv->columns[c]);
    return flush(out);
}

static void put_integer(struct ws_text *line, int64_t number)
{
    ws_text_add(line, ",", 1);
    ws_text_integer(line, number);
}

static void put_next_text(struct ws_text *line, const char *text)
{
    ws_text_add(line, ",", 1);
    put_text(line, text);
}

static void put_attributes(struct ws_export *out, const union ws_value *value)
{
    struct ws_text *line = &((struct csv *)out->state)->line;

    put_integer(line, value[WS_ATTR_PROCESS].i);
    put_integer(line, (int64_t)((uint64_t)value[WS_ATTR_CALL].i >> 32));
    put_integer(line, (uint32_t)value[WS_ATTR_CALL].i);
    put_integer(line, ws_since(out, value[WS_ATTR_T].i));
    put_integer(line, value[WS_ATTR_D].i);
    put_integer(line, ws_since(out, value[WS_ATTR_END].i));
    put_next_text(line, value[WS_ATTR_FUNCTION].s);
    ws_text_add(line, ",", 1);
    ws_text_puts(line, site_columns(out, value[WS_ATTR_SITE].i));
    put_integer(line, ws_since(out, value[WS_ATTR_POSTED].i));
    put_next_text(line, value[WS_ATTR_POSTED_FUNCTION].s);
    ws_text_add(line, ",", 1);
    ws_text_puts(line, site_columns(out, value[WS_ATTR_POSTED_SITE].i));
    put_integer(line, value[WS_ATTR_COMPUTE].i);
    put_next_text(line, value[WS_ATTR_BEFORE].s);
    put_integer(line, value[WS_ATTR_BEFORE_D].i);
    put_next_text(line, value[WS_ATTR_BEFORE_FUNCTION].s);
}

static int write_event(struct ws_export *out, const struct ws_event *event)
{
    struct csv *csv = out->state;
    const struct ws_schema_type *type = &out->schema->types[event->type];

    put_text(&csv->line, type->name);
    put_attributes(out, event->value);
    for (size_t c = 0; c < csv->column_count; c++) {
        int slot = csv->slots[event->type][c];
        ws_text_puts(&csv->line, ",");
        if (slot >= 0)
            put_value(out, (size_t)slot < type->param_count ? type->param_types[slot] : WS_TYPE_INTEGER,
                      event->value[WS_ATTR_COUNT + slot]);
    }
    return flush(out);
}

static int write_call(struct ws_export *out, const struct ws_shown_call *call)
{
    for (size_t i = 0; i < call->event_count; i++)
        if (!ws_is_start(call->events[i]) && write_event(out, call->events[i]) != 0)
            return -1;
    return 0;
}

static int end(struct ws_export *out, bool failed)
{
    struct csv *csv = out->state;

    (void)failed;
    for (size_t i = 0; i < csv->site_count; i++)
        free(csv->sites[i]);
    free(csv->sites);
    for (size_t t = 0; t < out->schema->type_count; t++)
        free(csv->slots[t]);
    free(csv->slots);
    free(csv->columns);
    ws_text_free(&csv->line);
    free(csv);
    return 0;
}

const struct ws_export_ops ws_export_csv = {
    .format = {.name = "csv",
               .line = "a table of all events with all they hold, for spreadsheets, pandas, R",
               .suffix = ".csv",
               .streams = true},
    .begin = begin,
    .call = write_call,
    .end = end,
};
