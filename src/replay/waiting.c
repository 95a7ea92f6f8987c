#include "replay/waiting.h"

#include "trace/map.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Of the operations in which all wait for all, each thread remembers so many: enough for the world, a row and
 * a column. */
#define MEETINGS 4

struct met { /* of two threads: from when both had come to when the later one knew of it */
    int64_t early_ns, late_ns;
};
struct seen { /* by a thread: its latest meetings, and when their last attendants came */
    uint32_t meeting[MEETINGS];
    int64_t ns[MEETINGS];
    size_t count;
};
struct search {
    struct ws_waiting *waiting;
    struct ws_map pairs; /* two lanes -> number in mets, + 1 */
    struct met *mets;
    size_t met_count, met_capacity;
    struct seen *seen;         /* [lane] */
    uint32_t *meeting_of_step; /* in which a step ends its part; WS_NOTHING */
};

static uint64_t pair_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int64_t common_meeting_ns(const struct seen *a, const struct seen *b)
{
    int64_t latest_ns = INT64_MIN;

    for (size_t i = 0; i < a->count && i < MEETINGS; i++)
        for (size_t k = 0; k < b->count && k < MEETINGS; k++)
            if (a->meeting[i] == b->meeting[k] && a->ns[i] > latest_ns)
                latest_ns = a->ns[i];
    return latest_ns;
}

static int64_t since_ns(const struct search *search, uint32_t step, uint32_t other)
{
    const struct ws_graph *graph = search->waiting->graph;
    int64_t enter_ns = graph->steps[step].enter_ns, since;
    uint32_t a = graph->steps[step].lane, b = graph->steps[other].lane;
    uint64_t known = ws_map_get(&search->pairs, pair_of(a, b));

    since = graph->lanes[a].begin_ns > graph->lanes[b].begin_ns ? graph->lanes[a].begin_ns
                                                                : graph->lanes[b].begin_ns;
    if (known) {
        const struct met *met = &search->mets[known - 1];
        int64_t met_ns = met->late_ns <= enter_ns ? met->late_ns : met->early_ns;
        since = met_ns > since ? met_ns : since;
    }
    if (common_meeting_ns(&search->seen[a], &search->seen[b]) > since)
        since = common_meeting_ns(&search->seen[a], &search->seen[b]);
    return since < enter_ns ? since : enter_ns;
}

static void look_at_needs(struct search *search, uint32_t number)
{
    struct ws_waiting *waiting = search->waiting;
    const struct ws_graph *graph = waiting->graph;
    const struct ws_step *step = &graph->steps[number];
    int64_t until_ns = step->enter_ns;

    waiting->binding[number] = WS_NOTHING;
    for (uint32_t i = step->first_need; i < step[1].first_need; i++) {
        waiting->other[i] = ws_need_step(graph, &graph->needs[i]);
        waiting->moment_ns[i] = ws_need_moment_ns(graph, &graph->needs[i]);
        waiting->since_ns[i] = since_ns(search, number, waiting->other[i]);
        if (waiting->moment_ns[i] > until_ns) {
            until_ns = waiting->moment_ns[i];
            waiting->binding[number] = i;
        }
    }
    waiting->wait_ns[number] = (until_ns < step->exit_ns ? until_ns : step->exit_ns) - step->enter_ns;
    if (waiting->wait_ns[number] == 0)
        waiting->binding[number] = WS_NOTHING;
}

static void note_contacts(struct search *search, uint32_t number)
{
    const struct ws_waiting *waiting = search->waiting;
    const struct ws_step *step = &waiting->graph->steps[number];

    for (uint32_t i = step->first_need; i < step[1].first_need; i++) {
        struct ws_map_entry *entry =
            ws_map_reach(&search->pairs, pair_of(step->lane, waiting->graph->steps[waiting->other[i]].lane));
        struct met met = {waiting->moment_ns[i], waiting->moment_ns[i]};
        met.late_ns = step->enter_ns > met.late_ns ? step->enter_ns : met.late_ns;
        if (!entry->value) {
            WS_PUSH(search->mets, search->met_count, search->met_capacity) = met;
            entry->value = search->met_count;
        }
        search->mets[entry->value - 1] = met;
    }
}

static void note_meeting(struct search *search, uint32_t number)
{
    const struct ws_graph *graph = search->waiting->graph;
    uint32_t meeting = search->meeting_of_step[number];
    struct seen *seen = &search->seen[graph->steps[number].lane];

    if (meeting == WS_NOTHING)
        return;
    seen->meeting[seen->count % MEETINGS] = meeting;
    seen->ns[seen->count % MEETINGS] =
        graph->steps[graph->attendants[graph->meetings[meeting].last].step].enter_ns;
    seen->count++;
}

static void find_meetings(struct search *search)
{
    const struct ws_graph *graph = search->waiting->graph;

    for (uint32_t s = 0; s < graph->step_count; s++)
        search->meeting_of_step[s] = WS_NOTHING;
    for (uint32_t i = 0; i < graph->attendant_count; i++) {
        const struct ws_attendant *attendant = &graph->attendants[i];
        if (attendant->done != WS_NOTHING && graph->meetings[attendant->meeting].flow == WS_FLOW_ALL)
            search->meeting_of_step[attendant->done] = attendant->meeting;
    }
}

void ws_waiting_find(struct ws_waiting *waiting, const struct ws_graph *graph)
{
    struct search search = {.waiting = waiting};

    waiting->graph = graph;
    waiting->wait_ns = ws_alloc_array((size_t)graph->step_count + 1, sizeof *waiting->wait_ns);
    waiting->binding = ws_alloc_array((size_t)graph->step_count + 1, sizeof *waiting->binding);
    waiting->other = ws_alloc_array((size_t)graph->need_count + 1, sizeof *waiting->other);
    waiting->moment_ns = ws_alloc_array((size_t)graph->need_count + 1, sizeof *waiting->moment_ns);
    waiting->since_ns = ws_alloc_array((size_t)graph->need_count + 1, sizeof *waiting->since_ns);
    search.seen = ws_alloc_array((size_t)graph->lane_count + 1, sizeof *search.seen);
    search.meeting_of_step = ws_alloc_array((size_t)graph->step_count + 1, sizeof *search.meeting_of_step);
    find_meetings(&search);
    for (uint32_t s = 0; s < graph->step_count; s++) {
        look_at_needs(&search, s);
        note_contacts(&search, s);
        note_meeting(&search, s);
    }
    ws_map_free(&search.pairs);
    free(search.mets);
    free(search.seen);
    free(search.meeting_of_step);
}

void ws_waiting_free(struct ws_waiting *waiting)
{
    free(waiting->wait_ns);
    free(waiting->binding);
    free(waiting->other);
    free(waiting->moment_ns);
    free(waiting->since_ns);
    memset(waiting, 0, sizeof *waiting);
}
