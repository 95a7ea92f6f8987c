/* An exchange for programs.  docs/exchange.md describes it; keys are never taken away.  All numbers are
 * whole. */
#include "report/exchange.h"
#include "report/tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT 1
#define MOST_PART_PAIRS 200000 /* in parts: more are too much for who only wants the rest */

static json_t *summed(struct ws_sum sum)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "messages", ws_tree_count(sum.messages));
    json_object_set_new(entry, "bytes", ws_tree_count(sum.bytes));
    return entry;
}

/* An object that begins with one member. */
static json_t *named(const char *key, json_t *value, struct ws_sum sum)
{
    json_t *entry = json_object();

    json_object_set_new(entry, key, value);
    json_object_update_new(entry, summed(sum));
    return entry;
}

static json_t *pair_entry(uint32_t from, uint32_t to, struct ws_sum sum)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "from", ws_tree_count(from));
    json_object_set_new(entry, "to", ws_tree_count(to));
    json_object_update_new(entry, summed(sum));
    return entry;
}

/* ---- lists by rows ---- */

static json_t *site_entry(const struct ws_exchange *exchange, const struct ws_row *row)
{
    const struct ws_site *site = &exchange->sites[row->number];
    json_t *entry = json_object();

    json_object_set_new(entry, "called", ws_tree_string(row->name));
    json_object_set_new(entry, "function", ws_tree_string(site->function));
    json_object_set_new(entry, "file", ws_tree_string(site->file));
    json_object_set_new(entry, "line", json_integer(site->line));
    json_object_set_new(entry, "module", ws_tree_string(site->module));
    json_object_set_new(entry, "offset", ws_tree_count(site->offset));
    json_object_update_new(entry, summed(row->sum));
    return entry;
}

static json_t *size_entry(const struct ws_row *row)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "least", ws_tree_count(ws_size_least(row->number)));
    json_object_set_new(entry, "most", ws_tree_count(ws_size_most(row->number)));
    json_object_update_new(entry, summed(row->sum));
    return entry;
}

static json_t *row_entry(const struct ws_exchange *exchange, enum ws_exchange_by by, const struct ws_row *row)
{
    switch (by) {
    case WS_BY_SITE:
        return site_entry(exchange, row);
    case WS_BY_SIZE:
        return size_entry(row);
    case WS_BY_NODE:
        return pair_entry(row->number, row->other, row->sum);
    default:
        return named(ws_exchange_by_names[by], ws_tree_string(row->name), row->sum);
    }
}

static json_t *list(const struct ws_exchange *exchange, enum ws_exchange_by by)
{
    json_t *list = json_array();
    size_t count;
    struct ws_row *rows = ws_exchange_rows(exchange, by, false, &count);

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, row_entry(exchange, by, &rows[i]));
    free(rows);
    return list;
}

/* ---- pairs ---- */

static json_t *pairs(const struct ws_exchange *exchange)
{
    json_t *list = json_array();

    for (size_t i = 0; i < exchange->pair_count; i++)
        json_array_append_new(
            list, pair_entry(exchange->pairs[i].from, exchange->pairs[i].to, exchange->pairs[i].sum));
    return list;
}

static json_t *short_pairs(const struct ws_part *part)
{
    json_t *list = json_array();

    for (size_t i = 0; i < part->pair_count; i++) {
        const struct ws_pair *pair = &part->pairs[i];
        json_t *entry = json_array();
        json_array_append_new(entry, ws_tree_count(pair->from));
        json_array_append_new(entry, ws_tree_count(pair->to));
        json_array_append_new(entry, ws_tree_count(pair->sum.messages));
        json_array_append_new(entry, ws_tree_count(pair->sum.bytes));
        json_array_append_new(list, entry);
    }
    return list;
}

static bool has_part_pairs(const struct ws_exchange *exchange)
{
    size_t count = 0;

    for (size_t i = 0; i < exchange->part_count; i++) {
        if (!exchange->parts[i].pairs)
            return false;
        count += exchange->parts[i].pair_count;
    }
    return count <= MOST_PART_PAIRS;
}

static json_t *parts(const struct ws_exchange *exchange)
{
    json_t *list = json_array();

    for (size_t i = 0; i < exchange->part_count; i++) {
        const struct ws_part *part = &exchange->parts[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "kind", ws_tree_string(ws_transfer_kinds[part->kind]));
        json_object_set_new(entry, "function", ws_tree_string(part->function));
        json_object_set_new(entry, "type", ws_tree_string(part->type));
        json_object_set_new(entry, "site", ws_tree_count(part->site));
        json_object_set_new(entry, "size_from", ws_tree_count(ws_size_least(part->size)));
        json_object_set_new(entry, "size_to", ws_tree_count(ws_size_most(part->size)));
        json_object_update_new(entry, summed(part->sum));
        json_object_set_new(entry, "pairs", short_pairs(part));
        json_array_append_new(list, entry);
    }
    return list;
}

/* ---- places and spans ---- */

static json_t *bytes_of(const struct ws_sum *sums, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, ws_tree_count(sums[i].bytes));
    return list;
}

static json_t *received(const struct ws_exchange *exchange, const struct ws_span *span)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < exchange->places; i++)
        json_array_append_new(list, ws_tree_count(span->received[i]));
    return list;
}

static json_t *kinds_of(const struct ws_sum *kinds)
{
    json_t *list = json_array();

    for (size_t i = 0; i < WS_TRANSFER_KINDS; i++)
        if (kinds[i].messages)
            json_array_append_new(list, named("kind", ws_tree_string(ws_transfer_kinds[i]), kinds[i]));
    return list;
}

static json_t *spans(const struct ws_exchange *exchange, const struct ws_span *spans, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *entry = json_object();
        if (spans[i].name) {
            json_object_set_new(entry, "name", ws_tree_string(spans[i].name));
        } else {
            json_object_set_new(entry, "begin_ns", json_integer(spans[i].begin_ns));
            json_object_set_new(entry, "end_ns", json_integer(spans[i].end_ns));
        }
        json_object_update_new(entry, summed(spans[i].sum));
        json_object_set_new(entry, "kinds", kinds_of(spans[i].kinds));
        if (spans[i].received)
            json_object_set_new(entry, "received", received(exchange, &spans[i]));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *imbalance(const struct ws_exchange *exchange)
{
    json_t *entry = json_object();
    struct ws_imbalance imbalance = ws_exchange_imbalance(exchange);

    json_object_set_new(entry, "most", ws_tree_count(imbalance.most));
    json_object_set_new(entry, "least", ws_tree_count(imbalance.least));
    json_object_set_new(entry, "mean_bytes", ws_tree_count(imbalance.mean_bytes));
    json_object_set_new(entry, "most_percent_of_mean", ws_tree_count(imbalance.most_percent));
    json_object_set_new(entry, "least_percent_of_mean", ws_tree_count(imbalance.least_percent));
    return entry;
}

static json_t *nodes(const struct ws_exchange *exchange)
{
    json_t *entry = json_object(), *names = json_array(), *of = json_array();

    for (uint32_t i = 0; i < exchange->node_count; i++)
        json_array_append_new(names, ws_tree_string(exchange->nodes[i]));
    for (uint32_t i = 0; i < exchange->places; i++)
        json_array_append_new(of, ws_tree_count(exchange->node_of[i]));
    json_object_set_new(entry, "names", names);
    json_object_set_new(entry, "of", of);
    json_object_set_new(entry, "pairs", list(exchange, WS_BY_NODE));
    return entry;
}

static json_t *recording(const struct ws_exchange *exchange)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "recorded", ws_tree_count(exchange->recording.recorded));
    json_object_set_new(entry, "calls", ws_tree_count(exchange->recording.calls));
    json_object_set_new(entry, "events", ws_tree_count(exchange->recording.events));
    json_object_set_new(entry, "cost_ns", json_integer(exchange->recording.cost_ns));
    json_object_set_new(entry, "total_ns", json_integer(exchange->recording.total_ns));
    json_object_set_new(entry, "stopped_ns", json_integer(exchange->recording.stopped_ns));
    json_object_set_new(entry, "lost", ws_tree_count(exchange->recording.lost));
    json_object_set_new(entry, "counted", ws_tree_count(exchange->recording.counted_calls));
    json_object_set_new(entry, "incomplete", ws_tree_count(exchange->recording.incomplete));
    json_object_set_new(entry, "unplaced", summed(exchange->unplaced));
    return entry;
}

/* ---- the whole ---- */

static json_t *place(const struct ws_exchange *exchange)
{
    json_t *entry = json_object();

    json_object_set_new(entry, "name", ws_tree_string(exchange->place));
    json_object_set_new(entry, "first", ws_tree_count(exchange->first));
    return entry;
}

static json_t *sites(const struct ws_exchange *exchange)
{
    return list(exchange, WS_BY_SITE);
}

static json_t *warnings(const struct ws_exchange *exchange)
{
    json_t *list = json_array();

    for (size_t i = 0; i < exchange->warning_count; i++)
        json_array_append_new(list, ws_tree_string(exchange->warnings[i]));
    return list;
}

/* All but the pairs, for which null stands: of many places they are most of it. */
static json_t *without_pairs(const struct ws_exchange *exchange)
{
    json_t *root = json_object();

    json_object_set_new(root, "format", json_integer(FORMAT));
    json_object_set_new(root, "runtime", ws_tree_string(exchange->runtime));
    json_object_set_new(root, "command", ws_tree_string(exchange->command));
    json_object_set_new(root, "library", ws_tree_string(exchange->library));
    json_object_set_new(root, "places", ws_tree_count(exchange->places));
    json_object_set_new(root, "place", place(exchange));
    json_object_update_new(root, summed(exchange->sum));
    json_object_set_new(root, "kinds", kinds_of(exchange->kinds));
    json_object_set_new(root, "pairs", json_null());
    json_object_set_new(root, "pairs_left_out", json_boolean(exchange->pairs_left_out));
    json_object_set_new(root, "received", bytes_of(exchange->received, exchange->places));
    json_object_set_new(root, "sent", bytes_of(exchange->sent, exchange->places));
    json_object_set_new(root, "imbalance", imbalance(exchange));
    json_object_set_new(root, "functions", list(exchange, WS_BY_FUNCTION));
    json_object_set_new(root, "types", list(exchange, WS_BY_TYPE));
    json_object_set_new(root, "sites", sites(exchange));
    json_object_set_new(root, "sizes", list(exchange, WS_BY_SIZE));
    json_object_set_new(root, "slots", spans(exchange, exchange->slots, exchange->slot_count));
    json_object_set_new(root, "phases", spans(exchange, exchange->phases, exchange->phase_count));
    json_object_set_new(root, "nodes", nodes(exchange));
    if (has_part_pairs(exchange))
        json_object_set_new(root, "parts", parts(exchange));
    json_object_set_new(root, "elsewhere", summed(exchange->elsewhere));
    json_object_set_new(root, "recording", recording(exchange));
    json_object_set_new(root, "warnings", warnings(exchange));
    return root;
}

json_t *ws_exchange_tree(const struct ws_exchange *exchange)
{
    json_t *root = without_pairs(exchange);

    json_object_set_new(root, "pairs", pairs(exchange));
    return root;
}

/* One by one: as a tree a million of them would take most of a gigabyte. */
static void write_pairs(const struct ws_exchange *exchange, FILE *out)
{
    fputc('[', out);
    for (size_t i = 0; i < exchange->pair_count; i++) {
        const struct ws_pair *pair = &exchange->pairs[i];
        fprintf(out,
                "%s\n  {\"from\": %" PRIu32 ", \"to\": %" PRIu32 ", \"messages\": %" PRIu64
                ", \"bytes\": %" PRIu64 "}",
                i ? "," : "", pair->from, pair->to, pair->sum.messages, pair->sum.bytes);
    }
    fputs("\n ]", out);
}

void ws_exchange_json(const struct ws_exchange *exchange, const struct ws_exchange_view *view, FILE *out)
{
    json_t *root = without_pairs(exchange), *value;
    const char *key, *before = "{";

    (void)view;
    json_object_foreach(root, key, value)
    {
        fprintf(out, "%s\n \"%s\": ", before, key);
        if (strcmp(key, "pairs") == 0)
            write_pairs(exchange, out);
        else
            json_dumpf(value, out, JSON_INDENT(1) | JSON_ENCODE_ANY);
        before = ",";
    }
    fputs("\n}\n", out);
    json_decref(root);
}
