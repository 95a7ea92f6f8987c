/* A trace's exchange from beginning to end. */
#include "exchange/exchange.h"

#include "exchange/collect.h"
#include "trace/run.h"
#include "tracegen/tracegen.h"

#include <fnmatch.h>
#include <stdlib.h>

static void warn(struct ws_exchange *exchange, const char *text, size_t *capacity)
{
    WS_PUSH(exchange->warnings, exchange->warning_count, *capacity) = ws_arena_strdup(&exchange->arena, text);
}

static void take_warnings(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;
    size_t count, capacity = 0;
    const char *const *list = ws_trace_warnings(c->trace, &count);

    for (size_t i = 0; i < count; i++)
        warn(exchange, list[i], &capacity);
    if (exchange->sum.bytes == INT64_MAX || exchange->sum.messages == INT64_MAX)
        warn(exchange, "sums beyond 2^63 - 1 stand as that", &capacity);
    if (exchange->pairs_left_out)
        warn(exchange,
             "collective operations of many processes are in all sums, but not in the pairs of processes: "
             "there "
             "would be too many",
             &capacity);
}

/* What the recording was, of all places. */
static void take_recording(struct ws_collection *c)
{
    struct ws_exchange *exchange = c->exchange;
    const struct ws_trace_info *info = c->info;

    for (uint32_t r = 0; r < info->ranks; r++) {
        const struct ws_trace_rank *rank = &info->rank[r];
        if (!rank->present)
            continue;
        exchange->recording.recorded++;
        exchange->recording.calls += rank->calls;
        exchange->recording.lost += rank->lost;
        exchange->recording.cost_ns = ws_add_ns(exchange->recording.cost_ns, rank->cost_ns);
        exchange->recording.stopped_ns = ws_add_ns(exchange->recording.stopped_ns, rank->stopped_ns);
        if (rank->end_ns > rank->begin_ns)
            exchange->recording.total_ns =
                ws_add_ns(exchange->recording.total_ns, rank->end_ns - rank->begin_ns);
    }
    exchange->recording.incomplete = info->incomplete;
    for (size_t i = 0; i < info->counted_count; i++)
        exchange->recording.counted_calls += info->counted[i].calls;
}

/* From the first begin to the last end, cut into slots. */
static void find_span(struct ws_collection *c)
{
    int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN, all_ns;
    unsigned slots = c->options->slots ? c->options->slots : WS_EXCHANGE_SLOTS;

    for (uint32_t r = 0; r < c->info->ranks; r++) {
        const struct ws_trace_rank *rank = &c->info->rank[r];
        if (!rank->present)
            continue;
        begin_ns = rank->begin_ns < begin_ns ? rank->begin_ns : begin_ns;
        end_ns = rank->end_ns > end_ns ? rank->end_ns : end_ns;
    }
    if (__builtin_sub_overflow(end_ns, begin_ns, &all_ns) || all_ns < 0)
        all_ns = 0;
    c->begin_ns = begin_ns == INT64_MAX ? 0 : begin_ns;
    c->slot_ns = all_ns / slots + 1;
    c->exchange->slot_count = slots;
}

static void take_run(struct ws_exchange *exchange, const char *directory)
{
    struct ws_error unknown;
    struct ws_run run;

    exchange->command = "";
    if (ws_run_read(directory, &run, &unknown) != 0)
        return;
    exchange->command = ws_arena_strdup(&exchange->arena, run.command ? run.command : "");
    ws_run_free(&run);
}

static void describe(struct ws_collection *c, const struct ws_kb *kb)
{
    struct ws_exchange *exchange = c->exchange;
    struct ws_arena *arena = &exchange->arena;

    exchange->runtime = ws_arena_strdup(arena, kb->runtime);
    exchange->library = ws_arena_strdup(arena, c->info->library ? c->info->library : "");
    exchange->place = ws_arena_strdup(arena, kb->about.process ? kb->about.process : "rank");
    exchange->places = c->info->ranks;
}

/* Another name for the processes, where the calls that move something come from such functions. */
static void name_places(struct ws_exchange *exchange, const struct ws_kb *kb)
{
    for (size_t i = 0; i < kb->place_count; i++)
        for (size_t k = 0; k < exchange->site_count; k++)
            if (fnmatch(kb->places[i].function, exchange->sites[k].function, 0) == 0) {
                exchange->place = ws_arena_strdup(&exchange->arena, kb->places[i].name);
                exchange->first = kb->places[i].first;
                return;
            }
}

static int read_trace(struct ws_collection *c, const char *directory, const struct ws_kb *kb,
                      struct ws_error *error)
{
    c->info = ws_trace_info(c->trace);
    ws_moves_init(&c->moves, kb);
    describe(c, kb);
    take_run(c->exchange, directory);
    find_span(c);
    if (ws_collect(c, error) != 0)
        return -1;
    ws_tabulate(c);
    name_places(c->exchange, kb);
    take_recording(c);
    take_warnings(c);
    return 0;
}

int ws_exchange_read(const char *directory, const struct ws_kb *kb, const struct ws_exchange_options *options,
                     struct ws_exchange *exchange, struct ws_error *error)
{
    struct ws_collection c = {.exchange = exchange, .options = options};
    struct ws_schema schema = {0};
    int result = -1;

    *exchange = (struct ws_exchange){0};
    if (ws_schema_from_kb(kb, &schema, error) != 0)
        return -1;
    c.trace = ws_trace_open(directory, &schema, error);
    if (c.trace) {
        result = read_trace(&c, directory, kb, error);
        ws_collection_free(&c);
        ws_trace_close(c.trace);
    }
    ws_schema_free(&schema);
    if (result != 0)
        ws_exchange_free(exchange);
    return result;
}

void ws_exchange_free(struct ws_exchange *exchange)
{
    ws_arena_free(&exchange->arena);
    free(exchange->parts);
    free(exchange->warnings);
    *exchange = (struct ws_exchange){0};
}
