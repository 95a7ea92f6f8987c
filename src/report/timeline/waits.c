#include "report/timeline/waits.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define NO_RANK UINT32_MAX
#define MOST_EDGES_KEPT ((size_t)1 << 21) /* of all groups */

void ws_waits_init(struct ws_waits *waits, struct ws_levels *levels, const uint32_t *row_of, uint32_t ranks,
                   int64_t begin_ns, int64_t end_ns, size_t most_events)
{
    *waits = (struct ws_waits){.levels = levels,
                               .row_of = row_of,
                               .ranks = ranks,
                               .rows = levels->rows,
                               .begin_ns = begin_ns,
                               .end_ns = end_ns,
                               .most_events = most_events};
    waits->histogram_edges = ws_time_edges(begin_ns, end_ns, WS_HISTOGRAM_BINS);
    waits->rank_ns = ws_alloc_array((size_t)levels->rows + 1, sizeof *waits->rank_ns);
}

static struct ws_wait_group *group_of(struct ws_waits *waits, uint32_t number)
{
    if (number >= waits->group_count) {
        size_t count = 2 * (size_t)number + 8;
        waits->groups = ws_realloc_array(waits->groups, count, sizeof *waits->groups);
        memset(waits->groups + waits->group_count, 0, (count - waits->group_count) * sizeof *waits->groups);
        waits->group_count = count;
    }
    return &waits->groups[number];
}

const struct ws_wait_group *ws_waits_group(const struct ws_waits *waits, uint32_t group)
{
    return group < waits->group_count && waits->groups[group].instance_count ? &waits->groups[group] : NULL;
}

/* At most INT64_MAX: a damaged trace may claim any times. */
static int64_t length_ns(int64_t from_ns, int64_t to_ns)
{
    int64_t length;
    return __builtin_sub_overflow(to_ns, from_ns, &length) ? INT64_MAX : length;
}

/* ---- when ---- */

/* What lies outside of the run, as rules of one's own may find it, goes to its first or last bin. */
static void add_to_histogram(const struct ws_waits *waits, struct ws_wait_group *group, int64_t from_ns,
                             int64_t to_ns)
{
    const int64_t *edges = waits->histogram_edges;
    uint32_t bin = ws_time_bin(edges, WS_HISTOGRAM_BINS, from_ns);

    for (; bin < WS_HISTOGRAM_BINS && from_ns < to_ns; bin++) {
        int64_t end_ns = bin + 1 == WS_HISTOGRAM_BINS || edges[bin + 1] > to_ns ? to_ns : edges[bin + 1];
        if (end_ns > from_ns) {
            group->histogram_ns[bin] = ws_add_ns(group->histogram_ns[bin], length_ns(from_ns, end_ns));
            from_ns = end_ns;
        }
    }
}

/* ---- the longest ---- */

static int longest_first(const void *left, const void *right)
{
    const struct ws_wait_instance *a = left, *b = right;

    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return ws_three_way(a->rank, b->rank);
}

static void cut_instances(struct ws_wait_group *group)
{
    qsort(group->instances, group->instance_count, sizeof *group->instances, longest_first);
    if (group->instance_count > WS_MOST_INSTANCES)
        group->instance_count = WS_MOST_INSTANCES;
}

static void add_instance(struct ws_wait_group *group, const struct ws_waited *waited, int64_t duration_ns)
{
    if (group->instance_count == 4 * WS_MOST_INSTANCES)
        cut_instances(group);
    WS_PUSH(group->instances, group->instance_count, group->instance_capacity) =
        (struct ws_wait_instance){waited->rank, waited->cause_rank, waited->from_ns, duration_ns};
}

/* ---- who for whom ---- */

static int greatest_first(const void *left, const void *right)
{
    const struct ws_wait_edge *a = left, *b = right;

    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    return a->rank != b->rank ? ws_three_way(a->rank, b->rank) : ws_three_way(a->cause_rank, b->cause_rank);
}

static uint64_t edge_key(const struct ws_wait_edge *edge)
{
    return (uint64_t)edge->rank << 32 | edge->cause_rank;
}

static void cut_edges(struct ws_wait_group *group, size_t most)
{
    if (group->edge_count)
        qsort(group->edges, group->edge_count, sizeof *group->edges, greatest_first);
    if (group->edge_count > most) {
        group->edges_left_out += group->edge_count - most;
        group->edge_count = most;
    }
    ws_map_free(&group->edge_of);
    for (size_t i = 0; i < group->edge_count; i++)
        ws_map_put(&group->edge_of, edge_key(&group->edges[i]), i + 1);
}

/* Too many pairs of ranks: of each group the greatest are kept. */
static void make_room(struct ws_waits *waits)
{
    size_t used = 0, most;

    for (size_t g = 0; g < waits->group_count; g++)
        used += waits->groups[g].edge_count > 0;
    most = MOST_EDGES_KEPT / 2 / used;
    waits->edge_count = 0;
    for (size_t g = 0; g < waits->group_count; g++) {
        cut_edges(&waits->groups[g], most);
        waits->edge_count += waits->groups[g].edge_count;
    }
}

static void add_edge(struct ws_waits *waits, struct ws_wait_group *group, const struct ws_waited *waited,
                     int64_t duration_ns)
{
    struct ws_wait_edge new = {.rank = waited->rank, .cause_rank = waited->cause_rank}, *edge;
    struct ws_map_entry *entry = ws_map_reach(&group->edge_of, edge_key(&new));

    if (!entry->value) {
        WS_PUSH(group->edges, group->edge_count, group->edge_capacity) = new;
        entry->value = group->edge_count;
        waits->edge_count++;
    }
    edge = &group->edges[entry->value - 1];
    edge->duration_ns = ws_add_ns(edge->duration_ns, duration_ns);
    edge->count++;
    if (waits->edge_count > MOST_EDGES_KEPT)
        make_room(waits);
}

/* ---- which operations ---- */

static int longest_event_first(const void *left, const void *right)
{
    const struct ws_wait_event *a = left, *b = right;

    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    return ws_three_way(a->event, b->event);
}

static void add_event(struct ws_waits *waits, const struct ws_waited *waited, int64_t duration_ns)
{
    if (waits->most_events == 0)
        return;
    if (waits->event_count == 2 * waits->most_events) {
        qsort(waits->events, waits->event_count, sizeof *waits->events, longest_event_first);
        waits->event_count = waits->most_events;
    }
    WS_PUSH(waits->events, waits->event_count, waits->event_capacity) =
        (struct ws_wait_event){waited->event, waited->group, duration_ns};
}

static int by_event(const void *left, const void *right)
{
    const struct ws_wait_event *a = left, *b = right;
    return a->event != b->event ? ws_three_way(a->event, b->event) : longest_event_first(left, right);
}

/* Several problems may have a part in one operation's waiting. */
static void join_events(struct ws_waits *waits)
{
    size_t count = 0;

    if (waits->event_count)
        qsort(waits->events, waits->event_count, sizeof *waits->events, by_event);
    for (size_t i = 0; i < waits->event_count; i++) {
        const struct ws_wait_event *event = &waits->events[i];
        if (count && waits->events[count - 1].event == event->event)
            waits->events[count - 1].duration_ns =
                ws_add_ns(waits->events[count - 1].duration_ns, event->duration_ns);
        else
            waits->events[count++] = *event;
    }
    waits->event_count = count;
}

/* ---- all of it ---- */

void ws_waits_add(const struct ws_waited *waited, void *context)
{
    struct ws_waits *waits = context;
    struct ws_wait_group *group = group_of(waits, waited->group);
    uint32_t row = waited->rank < waits->ranks ? waits->row_of[waited->rank] : NO_RANK;
    int64_t duration_ns = length_ns(waited->from_ns, waited->to_ns);

    add_to_histogram(waits, group, waited->from_ns, waited->to_ns);
    add_instance(group, waited, duration_ns);
    if (waited->cause_rank != NO_RANK)
        add_edge(waits, group, waited, duration_ns);
    add_event(waits, waited, duration_ns);
    if (row == NO_RANK)
        return;
    waits->rank_ns[row] = ws_add_ns(waits->rank_ns[row], duration_ns);
    ws_levels_add_wait(waits->levels, row, waited->group, waited->from_ns, waited->to_ns);
}

void ws_waits_finish(struct ws_waits *waits)
{
    for (size_t g = 0; g < waits->group_count; g++) {
        if (waits->groups[g].instance_count)
            cut_instances(&waits->groups[g]);
        cut_edges(&waits->groups[g], WS_MOST_EDGES);
    }
    join_events(waits);
}

void ws_waits_free(struct ws_waits *waits)
{
    for (size_t g = 0; g < waits->group_count; g++) {
        free(waits->groups[g].instances);
        free(waits->groups[g].edges);
        ws_map_free(&waits->groups[g].edge_of);
    }
    free(waits->groups);
    free(waits->events);
    free(waits->histogram_edges);
    free(waits->rank_ns);
    *waits = (struct ws_waits){0};
}
