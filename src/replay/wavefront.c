#include "replay/wavefront.h"

#include "trace/map.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* So many calls back a sender's own wait is looked for. */
#define CALLS_BACK 64
/* Each stage must add so much of what the first one took, in the mean. */
#define LEAST_GROWTH 0.25

struct link { /* of a step that waits for a message */
    uint32_t
        before;     /* the step whose wait made the sender late; WS_NOTHING: the sweep begins at the sender */
    uint32_t depth; /* links so far, this one too */
    int64_t first_ns, grown_ns; /* the sweep's first wait, and what the stages have added to it */
};
struct search {
    const struct ws_waiting *waiting;
    struct ws_wavefronts *out;
    struct link *links;          /* [step] depth 0: it waits for no message */
    bool *goes_on;               /* [step] a later link leads to it */
    struct ws_map known;         /* receiving and sending site -> number of the wavefront, + 1 */
    int64_t *first_ns, *last_ns; /* [wavefront] when its first and its latest sweep began */
    int64_t *stages_ns;          /* [wavefront] sum, and in `stages` how many */
    uint64_t *stages;
    size_t capacity;
};

static bool waits_for_message(const struct search *search, uint32_t step)
{
    uint32_t need = search->waiting->binding[step];

    return need != WS_NOTHING && search->waiting->graph->needs[need].kind == WS_NEED_MESSAGE;
}

/* The sender's latest own wait for a message, since it and the receiver had met. */
static uint32_t wait_before(const struct search *search, uint32_t step, uint32_t need)
{
    const struct ws_waiting *waiting = search->waiting;
    const struct ws_graph *graph = waiting->graph;
    uint32_t at = graph->steps[waiting->other[need]].before;

    for (size_t i = 0; i < CALLS_BACK && at != WS_NOTHING; i++, at = graph->steps[at].before) {
        if (graph->steps[at].exit_ns <= waiting->since_ns[need] || at >= step)
            return WS_NOTHING;
        if (waiting->wait_ns[at] == 0)
            continue;
        if (!waits_for_message(search, at) || graph->steps[at].function != graph->steps[step].function ||
            graph->steps[waiting->other[waiting->binding[at]]].lane == graph->steps[step].lane)
            return WS_NOTHING;
        return at;
    }
    return WS_NOTHING;
}

/* What the wait has grown by, as far as the sender computed, and received, since its own. */
static int64_t growth_ns(const struct search *search, uint32_t step, uint32_t before)
{
    const struct ws_waiting *waiting = search->waiting;
    int64_t grown = waiting->wait_ns[step] - waiting->wait_ns[before];
    int64_t stage = waiting->moment_ns[waiting->binding[step]] -
                    (waiting->graph->steps[before].enter_ns + waiting->wait_ns[before]);

    grown = grown < stage ? grown : stage;
    return grown > 0 ? grown : 0;
}

static void link_step(struct search *search, uint32_t step)
{
    struct link *link = &search->links[step];
    uint32_t before;

    if (!waits_for_message(search, step))
        return;
    before = wait_before(search, step, search->waiting->binding[step]);
    *link = (struct link){before, 1, search->waiting->wait_ns[step], 0};
    if (before == WS_NOTHING)
        return;
    link->depth = search->links[before].depth + 1;
    link->first_ns = search->links[before].first_ns;
    link->grown_ns = search->links[before].grown_ns + growth_ns(search, step, before);
    search->goes_on[before] = true;
}

static bool is_wavefront(const struct link *link)
{
    return link->depth >= 2 &&
           (double)link->grown_ns >= LEAST_GROWTH * (double)link->first_ns * (link->depth - 1);
}

/* ---- sweeps of one wavefront together ---- */

static uint32_t sender_of(const struct search *search, uint32_t step)
{
    return search->waiting->other[search->waiting->binding[step]];
}

static uint32_t wavefront_of(struct search *search, uint32_t end)
{
    const struct ws_graph *graph = search->waiting->graph;
    struct ws_wavefronts *out = search->out;
    uint64_t key = (uint64_t)graph->steps[end].site * UINT64_C(0x9E3779B97F4A7C15) ^
                   (uint64_t)graph->steps[sender_of(search, end)].site;
    struct ws_map_entry *entry = ws_map_reach(&search->known, key);

    if (entry->value)
        return (uint32_t)entry->value - 1;
    if (out->count == search->capacity) {
        size_t larger = search->capacity ? 2 * search->capacity : 8;
        search->first_ns = ws_realloc_array(search->first_ns, larger, sizeof *search->first_ns);
        search->last_ns = ws_realloc_array(search->last_ns, larger, sizeof *search->last_ns);
        search->stages_ns = ws_realloc_array(search->stages_ns, larger, sizeof *search->stages_ns);
        search->stages = ws_realloc_array(search->stages, larger, sizeof *search->stages);
        search->capacity = larger;
    }
    search->stages_ns[out->count] = 0;
    search->stages[out->count] = 0;
    WS_PUSH(out->list, out->count, out->capacity) =
        (struct ws_wavefront){.receive = end, .send = sender_of(search, end)};
    entry->value = out->count;
    return (uint32_t)out->count - 1;
}

/* A sweep that ends at a step; of sweeps that divide, what they have in common belongs to one. */
static void add_sweep(struct search *search, uint32_t end)
{
    const struct ws_graph *graph = search->waiting->graph;
    const struct link *link = &search->links[end];
    uint32_t number = wavefront_of(search, end), first = end;
    struct ws_wavefront *wavefront = &search->out->list[number];

    for (uint32_t s = end; s != WS_NOTHING; s = search->links[s].before) {
        first = s;
        if (search->out->of_step[s] != WS_NOTHING)
            continue;
        search->out->of_step[s] = number;
        wavefront->waits++;
        wavefront->wait_ns = ws_add_ns(wavefront->wait_ns, search->waiting->wait_ns[s]);
    }
    search->stages_ns[number] = ws_add_ns(search->stages_ns[number], link->first_ns + link->grown_ns);
    search->stages[number] += link->depth;
    if (wavefront->sweeps++ == 0)
        search->first_ns[number] = graph->steps[first].enter_ns;
    search->last_ns[number] = graph->steps[first].enter_ns;
    if (link->depth + 1 > wavefront->ranks) {
        wavefront->ranks = link->depth + 1;
        wavefront->first_lane = graph->steps[sender_of(search, first)].lane;
        wavefront->last_lane = graph->steps[end].lane;
    }
}

void ws_wavefronts_find(struct ws_wavefronts *wavefronts, const struct ws_waiting *waiting)
{
    uint32_t steps = waiting->graph->step_count;
    struct search search = {.waiting = waiting, .out = wavefronts};

    memset(wavefronts, 0, sizeof *wavefronts);
    wavefronts->of_step = ws_alloc_array((size_t)steps + 1, sizeof *wavefronts->of_step);
    search.links = ws_alloc_array((size_t)steps + 1, sizeof *search.links);
    search.goes_on = ws_alloc_array((size_t)steps + 1, sizeof *search.goes_on);
    for (uint32_t s = 0; s < steps; s++) {
        wavefronts->of_step[s] = WS_NOTHING;
        link_step(&search, s);
    }
    for (uint32_t s = 0; s < steps; s++)
        if (!search.goes_on[s] && is_wavefront(&search.links[s]))
            add_sweep(&search, s);
    for (size_t i = 0; i < wavefronts->count; i++) {
        struct ws_wavefront *wavefront = &wavefronts->list[i];
        wavefront->stage_ns = search.stages_ns[i] / (int64_t)search.stages[i];
        if (wavefront->sweeps > 1)
            wavefront->period_ns =
                (search.last_ns[i] - search.first_ns[i]) / (int64_t)(wavefront->sweeps - 1);
    }
    ws_map_free(&search.known);
    free(search.links);
    free(search.goes_on);
    free(search.first_ns);
    free(search.last_ns);
    free(search.stages_ns);
    free(search.stages);
}

void ws_wavefronts_free(struct ws_wavefronts *wavefronts)
{
    free(wavefronts->list);
    free(wavefronts->of_step);
    memset(wavefronts, 0, sizeof *wavefronts);
}
