/* An exchange as a table for spreadsheets: RFC 4180, a line of names first. */
#include "report/exchange.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, 0}, out);
    fputc('"', out);
}

static void sum(FILE *out, struct ws_sum sum)
{
    fprintf(out, ",%" PRIu64 ",%" PRIu64 "\r\n", sum.messages, sum.bytes);
}

/* Where: function, file, line. */
static void site(FILE *out, const struct ws_site *site)
{
    field(out, site->function);
    fputc(',', out);
    field(out, site->file[0] ? site->file : site->module);
    fprintf(out, ",%d", site->line);
}

/* ---- all there is to know: a line for each pair in each part ---- */

static void write_part(FILE *out, const struct ws_exchange *exchange, const struct ws_part *part)
{
    for (size_t i = 0; i < part->pair_count; i++) {
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%s,", part->pairs[i].from, part->pairs[i].to,
                ws_transfer_kinds[part->kind]);
        field(out, part->function);
        fputc(',', out);
        field(out, part->type);
        fputc(',', out);
        site(out, &exchange->sites[part->site]);
        fprintf(out, ",%" PRIu64 ",%" PRIu64, ws_size_least(part->size), ws_size_most(part->size));
        sum(out, part->pairs[i].sum);
    }
}

static void write_parts(FILE *out, const struct ws_exchange *exchange)
{
    fputs("from,to,kind,called,type,function,file,line,size_from,size_to,messages,bytes\r\n", out);
    for (size_t i = 0; i < exchange->part_count; i++)
        if (exchange->parts[i].pairs)
            write_part(out, exchange, &exchange->parts[i]);
}

/* ---- one table ---- */

static const char *const heads[WS_BY_COUNT] = {
    [WS_BY_KIND] = "kind",
    [WS_BY_FUNCTION] = "function",
    [WS_BY_TYPE] = "type",
    [WS_BY_SITE] = "called,function,file,line",
    [WS_BY_SIZE] = "size_from,size_to",
    [WS_BY_TIME] = "begin_ns,end_ns",
    [WS_BY_PHASE] = "phase",
    [WS_BY_NODE] = "from_node,to_node",
    [WS_BY_PLACE] = "place,node",
    [WS_BY_PAIR] = "from,to",
};

static void write_key(FILE *out, const struct ws_exchange *exchange, enum ws_exchange_by by,
                      const struct ws_row *row)
{
    switch (by) {
    case WS_BY_SITE:
        field(out, row->name);
        fputc(',', out);
        site(out, &exchange->sites[row->number]);
        break;
    case WS_BY_SIZE:
        fprintf(out, "%" PRIu64 ",%" PRIu64, ws_size_least(row->number), ws_size_most(row->number));
        break;
    case WS_BY_TIME:
        fprintf(out, "%" PRId64 ",%" PRId64, exchange->slots[row->number].begin_ns,
                exchange->slots[row->number].end_ns);
        break;
    case WS_BY_NODE:
        field(out, exchange->nodes[row->number]);
        fputc(',', out);
        field(out, exchange->nodes[row->other]);
        break;
    case WS_BY_PLACE:
        fprintf(out, "%" PRIu32 ",", row->number);
        field(out, exchange->nodes[exchange->node_of[row->number]]);
        break;
    case WS_BY_PAIR:
        fprintf(out, "%" PRIu32 ",%" PRIu32, row->number, row->other);
        break;
    default:
        field(out, row->name);
    }
}

static void write_rows(FILE *out, const struct ws_exchange *exchange, enum ws_exchange_by by, bool messages)
{
    size_t count;
    struct ws_row *rows = ws_exchange_rows(exchange, by, messages, &count);

    fprintf(out, "%s,messages,bytes\r\n", heads[by]);
    for (size_t i = 0; i < count; i++) {
        write_key(out, exchange, by, &rows[i]);
        sum(out, rows[i].sum);
    }
    free(rows);
}

void ws_exchange_csv(const struct ws_exchange *exchange, const struct ws_exchange_view *view, FILE *out)
{
    for (size_t by = 0; by < WS_BY_COUNT; by++)
        if (view->by[by]) {
            write_rows(out, exchange, (enum ws_exchange_by)by, view->messages);
            return;
        }
    write_parts(out, exchange);
}
