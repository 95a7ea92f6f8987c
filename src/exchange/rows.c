#include "exchange/rows.h"

#include <stdlib.h>
#include <string.h>

const char *const ws_exchange_by_names[WS_BY_COUNT] = {"kind", "function", "type", "site",  "size",
                                                       "time", "phase",    "node", "place", "pair"};

struct rows {
    struct ws_row *list;
    size_t count, capacity;
};

static void put(struct rows *rows, struct ws_row row)
{
    WS_PUSH(rows->list, rows->count, rows->capacity) = row;
}

/* ---- each kind of table: its rows, of which equal ones are made one later ---- */

static void put_kinds(const struct ws_exchange *exchange, struct rows *rows)
{
    for (uint32_t i = 0; i < WS_TRANSFER_KINDS; i++)
        if (exchange->kinds[i].messages)
            put(rows, (struct ws_row){ws_transfer_kinds[i], i, 0, exchange->kinds[i]});
}

static void put_functions(const struct ws_exchange *exchange, struct rows *rows)
{
    for (size_t i = 0; i < exchange->part_count; i++)
        put(rows, (struct ws_row){exchange->parts[i].function, 0, 0, exchange->parts[i].sum});
}

static void put_types(const struct ws_exchange *exchange, struct rows *rows)
{
    for (size_t i = 0; i < exchange->part_count; i++)
        put(rows, (struct ws_row){exchange->parts[i].type, 0, 0, exchange->parts[i].sum});
}

/* The functions called in one place are told apart. */
static void put_sites(const struct ws_exchange *exchange, struct rows *rows)
{
    for (size_t i = 0; i < exchange->part_count; i++)
        put(rows,
            (struct ws_row){exchange->parts[i].function, exchange->parts[i].site, 0, exchange->parts[i].sum});
}

static void put_sizes(const struct ws_exchange *exchange, struct rows *rows)
{
    for (size_t i = 0; i < exchange->part_count; i++)
        put(rows, (struct ws_row){NULL, exchange->parts[i].size, 0, exchange->parts[i].sum});
}

static void put_spans(const struct ws_span *spans, size_t count, struct rows *rows)
{
    for (size_t i = 0; i < count; i++)
        put(rows, (struct ws_row){spans[i].name, (uint32_t)i, 0, spans[i].sum});
}

static void put_time(const struct ws_exchange *exchange, struct rows *rows)
{
    put_spans(exchange->slots, exchange->slot_count, rows);
}

static void put_phases(const struct ws_exchange *exchange, struct rows *rows)
{
    put_spans(exchange->phases, exchange->phase_count, rows);
}

static void put_nodes(const struct ws_exchange *exchange, struct rows *rows)
{
    for (size_t i = 0; i < exchange->pair_count; i++) {
        const struct ws_pair *pair = &exchange->pairs[i];
        put(rows,
            (struct ws_row){NULL, exchange->node_of[pair->from], exchange->node_of[pair->to], pair->sum});
    }
}

static void put_places(const struct ws_exchange *exchange, struct rows *rows)
{
    for (uint32_t i = 0; i < exchange->places; i++)
        put(rows, (struct ws_row){NULL, i, 0, exchange->received[i]});
}

static void put_pairs(const struct ws_exchange *exchange, struct rows *rows)
{
    for (size_t i = 0; i < exchange->pair_count; i++)
        put(rows,
            (struct ws_row){NULL, exchange->pairs[i].from, exchange->pairs[i].to, exchange->pairs[i].sum});
}

static const struct {
    void (*put)(const struct ws_exchange *exchange, struct rows *rows);
    bool in_order; /* else by what was moved */
} tables[WS_BY_COUNT] = {
    [WS_BY_KIND] = {put_kinds, false},  [WS_BY_FUNCTION] = {put_functions, false},
    [WS_BY_TYPE] = {put_types, false},  [WS_BY_SITE] = {put_sites, false},
    [WS_BY_SIZE] = {put_sizes, true},   [WS_BY_TIME] = {put_time, true},
    [WS_BY_PHASE] = {put_phases, true}, [WS_BY_NODE] = {put_nodes, false},
    [WS_BY_PLACE] = {put_places, true}, [WS_BY_PAIR] = {put_pairs, false},
};

/* ---- order ---- */

static int compare_names(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int by_identity(const void *a, const void *b)
{
    const struct ws_row *x = a, *y = b;
    int order = ws_three_way(x->number, y->number);

    order = order ? order : ws_three_way(x->other, y->other);
    return order ? order : compare_names(x->name, y->name);
}

static int by_bytes(const void *a, const void *b)
{
    const struct ws_row *x = a, *y = b;
    int order = ws_three_way(y->sum.bytes, x->sum.bytes);

    order = order ? order : ws_three_way(y->sum.messages, x->sum.messages);
    return order ? order : by_identity(a, b);
}

static int by_messages(const void *a, const void *b)
{
    const struct ws_row *x = a, *y = b;
    int order = ws_three_way(y->sum.messages, x->sum.messages);

    return order ? order : by_bytes(a, b);
}

static size_t merge(struct ws_row *rows, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept && by_identity(&rows[kept - 1], &rows[i]) == 0)
            ws_sum_add(&rows[kept - 1].sum, rows[i].sum);
        else
            rows[kept++] = rows[i];
    return kept;
}

struct ws_imbalance ws_exchange_imbalance(const struct ws_exchange *exchange)
{
    struct ws_imbalance imbalance = {0};
    unsigned __int128 total = 0;

    for (uint32_t i = 0; i < exchange->places; i++) {
        uint64_t bytes = exchange->received[i].bytes;
        imbalance.most = bytes > exchange->received[imbalance.most].bytes ? i : imbalance.most;
        imbalance.least = bytes < exchange->received[imbalance.least].bytes ? i : imbalance.least;
        total += bytes;
    }
    if (total == 0)
        return imbalance;
    imbalance.mean_bytes = (uint64_t)(total / exchange->places);
    imbalance.most_percent = (uint64_t)((unsigned __int128)exchange->received[imbalance.most].bytes *
                                        exchange->places * 100 / total);
    imbalance.least_percent = (uint64_t)((unsigned __int128)exchange->received[imbalance.least].bytes *
                                         exchange->places * 100 / total);
    return imbalance;
}

struct ws_row *ws_exchange_rows(const struct ws_exchange *exchange, enum ws_exchange_by by, bool messages,
                                size_t *count)
{
    struct rows rows = {0};

    tables[by].put(exchange, &rows);
    if (rows.count)
        qsort(rows.list, rows.count, sizeof *rows.list, by_identity);
    rows.count = merge(rows.list, rows.count);
    if (rows.count && !tables[by].in_order)
        qsort(rows.list, rows.count, sizeof *rows.list, messages ? by_messages : by_bytes);
    *count = rows.count;
    return rows.list;
}
