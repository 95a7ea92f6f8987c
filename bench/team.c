/* What sharing a diagnosis costs, piece by piece, without a trace:
 *     bench_team KB
 * Each figure is the best of some tries.  docs/performance.md puts them together. */
#include "diagnosis/findings.h"
#include "diagnosis/wire.h"
#include "engine/partition.h"
#include "team/team.h"
#include "trace/facts.h"
#include "util/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TRIES 5
#define EVENTS 200000

/* Of the processor, but where members wait for each other. */
static double now_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double now_ns(void)
{
    return now_of(CLOCK_PROCESS_CPUTIME_ID);
}

static void keep_least(double *least, double spent_ns, size_t count)
{
    double each = spent_ns / (double)count;
    if (*least <= 0 || each < *least)
        *least = each;
}

/* ---- events ---- */

/* As a halo exchange makes them: times that move on, four neighbours, equal sizes. */
static struct ws_event *make_event(const struct ws_kb *kb, const struct ws_event_type *type, int64_t i)
{
    struct ws_event *event = ws_alloc(sizeof *event + type->slot_count * sizeof *event->value);
    union ws_value *value = event->value;

    event->type = type->index;
    for (size_t s = 0; s < type->slot_count; s++)
        if (type->slots[s].type == WS_TYPE_STRING)
            value[s].s = "";
    value[WS_ATTR_T].i = INT64_C(1000000000000) + i * 3000;
    value[WS_ATTR_D].i = 1500 + i % 700;
    value[WS_ATTR_END].i = value[WS_ATTR_T].i + value[WS_ATTR_D].i;
    value[WS_ATTR_PROCESS].i = i % 64;
    value[WS_ATTR_FUNCTION].s = "MPI_Waitall";
    value[WS_ATTR_POSTED].i = value[WS_ATTR_T].i - 20000;
    value[WS_ATTR_POSTED_FUNCTION].s = "MPI_Irecv";
    value[WS_ATTR_COMPUTE].i = 15000;
    value[WS_ATTR_BEFORE].s = "nxn";
    value[WS_ATTR_BEFORE_D].i = 4000;
    value[WS_ATTR_BEFORE_FUNCTION].s = "MPI_Allreduce";
    value[WS_ATTR_CALL].i = i / 4;
    for (size_t s = WS_ATTR_COUNT; s < type->slot_count; s++)
        value[s].i = strcmp(type->slots[s].name, "n") == 0       ? i / 4
                     : strcmp(type->slots[s].name, "peer") == 0  ? i % 4
                     : strcmp(type->slots[s].name, "bytes") == 0 ? 8000
                                                                 : 1;
    (void)kb;
    return event;
}

static void measure_events(const struct ws_kb *kb)
{
    const struct ws_event_type *type = ws_kb_type(kb, "recv");
    struct ws_event **events = ws_alloc_array(EVENTS, sizeof *events);
    double put_ns = 0, take_ns = 0, place_ns = 0;
    uint32_t first[65], unit = 0, sum = 0;
    const struct ws_owners owners = {64, first};
    struct ws_partition partition;
    struct ws_wire_types types;
    size_t bytes = 0;

    for (uint32_t m = 0; m <= 64; m++)
        first[m] = m;
    for (size_t i = 0; i < EVENTS; i++)
        events[i] = make_event(kb, type, (int64_t)i);
    ws_wire_types_init(&types, kb);
    ws_partition_init(&partition, kb, false);
    for (int try = 0; try < TRIES; try++) {
        struct ws_wire_out out = {.string_count = 0};
        struct ws_wire_in in = {.string_count = 0};
        struct ws_wire_event taken = {.event = events[EVENTS - 1]};
        struct ws_text text = {0};
        struct ws_unpack reader;
        double since = now_ns();
        /* No site is known, so no trace is asked. */
        ws_map_put(&out.sites, 0, 1);
        WS_PUSH(in.sites, in.site_count, in.site_capacity) = 0;
        for (const char *const *s =
                 (const char *const[]){"", "MPI_Waitall", "MPI_Irecv", "nxn", "MPI_Allreduce", NULL};
             *s; s++) {
            ws_map_put(&out.strings, (uintptr_t)*s, ++out.string_count);
            WS_PUSH(in.strings, in.string_count, in.string_capacity) = *s;
        }
        for (size_t i = 0; i + 1 < EVENTS; i++)
            ws_wire_put(&out, &types, NULL, events[i], &unit, 1, &text);
        keep_least(&put_ns, now_ns() - since, EVENTS);
        bytes = text.length / EVENTS;
        reader = ws_unpack_begin(&text);
        since = now_ns();
        while (ws_wire_take(&in, &types, NULL, &reader, &taken) > 0)
            sum += taken.event->type;
        keep_least(&take_ns, now_ns() - since, EVENTS);
        since = now_ns();
        for (size_t i = 0; i < EVENTS; i++)
            sum += ws_partition_place(&partition, &partition.routes[type->index][0], events[i], &owners);
        keep_least(&place_ns, now_ns() - since, EVENTS);
        ws_text_free(&text);
        ws_wire_out_free(&out);
        ws_wire_in_free(&in);
    }
    printf("an event sent: %.0f ns to pack, %.0f ns to unpack, %zu bytes; %.1f ns to find its member%s\n",
           put_ns, take_ns, bytes, place_ns, sum ? "" : " ");
    for (size_t i = 0; i < EVENTS; i++)
        free(events[i]);
    free(events);
    ws_wire_types_free(&types);
    ws_partition_free(&partition);
}

/* ---- what is known of each rank ---- */

static void measure_facts(uint32_t ranks)
{
    double pack_ns = 0, unpack_ns = 0, tell_ns = 0;
    struct ws_strings strings = {0};
    struct ws_facts facts = {.strings = &strings};
    size_t bytes = 0;

    for (uint32_t r = 0; r < ranks; r++)
        WS_PUSH(facts.ranks, facts.rank_count, facts.rank_capacity) = (struct ws_rank_facts){
            .rank = {.rank = r, .present = true, .finished = true, .host = ws_strings_get(&strings, "node")},
            .begun = true,
            .size = ranks,
            .library = ws_strings_get(&strings, "Open MPI 4.1.4"),
            .executable = ws_strings_get(&strings, "/home/user/app")};
    for (int try = 0; try < TRIES; try++) {
        struct ws_facts copy = {.strings = &strings};
        struct ws_warnings warnings = {0};
        struct ws_trace_info info = {0};
        struct ws_text text = {0};
        struct ws_error error;
        double since = now_ns();
        ws_facts_pack(&facts, &text);
        keep_least(&pack_ns, now_ns() - since, ranks);
        since = now_ns();
        if (ws_facts_unpack(&copy, &text, &error) != 0)
            puts(error.text);
        keep_least(&unpack_ns, now_ns() - since, ranks);
        since = now_ns();
        ws_facts_describe(&copy, &info);
        ws_facts_warn(&copy, &info, "", NULL, 0, -1, &warnings);
        keep_least(&tell_ns, now_ns() - since, ranks);
        bytes = text.length / ranks;
        free((void *)info.rank);
        ws_warnings_free(&warnings);
        ws_facts_free(&copy);
        ws_text_free(&text);
    }
    printf("a rank among %u: %.0f ns to pack, %.0f ns to unpack, %zu bytes; %.0f ns to describe\n", ranks,
           pack_ns, unpack_ns, bytes, tell_ns);
    ws_facts_free(&facts);
    ws_strings_free(&strings);
}

/* ---- agreeing ---- */

static int agree_often(struct ws_team *team, void *context)
{
    double *each_ns = context, since;
    int64_t values[2] = {0, 0};

    for (int try = 0; try < TRIES; try++) {
        ws_team_least(team, values, 2);
        since = now_of(CLOCK_MONOTONIC);
        for (int i = 0; i < 2000; i++)
            ws_team_least(team, values, 2);
        if (team->rank == 0)
            keep_least(each_ns, now_of(CLOCK_MONOTONIC) - since, 2000);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct ws_launched launched = ws_team_launched();
    struct ws_error error;
    struct ws_kb kb;
    double each_ns = 0;

    if (argc > 2 &&
        launched.size > 1) { /* bench_team KB LIBRARY, by a launcher: only what MPI's part costs */
        struct ws_team *team = ws_team_open_mpi(argv[2], &launched, &error);
        if (!team)
            return fputs(error.text, stderr), 1;
        agree_often(team, &each_ns);
        if (team->rank == 0)
            printf("to agree among %u processes: %.1f us\n", team->size, each_ns / 1e3);
        ws_team_close_mpi(team);
        return 0;
    }
    if (argc < 2 || ws_kb_load(&kb, argv[1], NULL, 0, NULL, &error) != 0)
        return fputs(argc < 2 ? "bench_team KB\n" : error.text, stderr), 1;
    measure_events(&kb);
    for (uint32_t ranks = 1000; ranks <= 100000; ranks *= 10)
        measure_facts(ranks);
    ws_team_threads(2, agree_often, &each_ns);
    printf("to agree among 2 threads: %.1f us\n", each_ns / 1e3);
    ws_kb_free(&kb);
    return 0;
}
