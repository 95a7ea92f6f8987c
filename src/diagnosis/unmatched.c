#include "diagnosis/unmatched.h"

#include "util/alloc.h"
#include "util/pack.h"

#include <stdlib.h>

static void pass_on(void *context, const struct ws_finding *finding)
{
    struct ws_unmatched *unmatched = context;

    unmatched->next.found(unmatched->next.context, finding);
}

static void note(void *context, const struct ws_event *event)
{
    struct ws_unmatched *unmatched = context;

    if (unmatched->shared_types[event->type])
        WS_PUSH(unmatched->keys, unmatched->count, unmatched->capacity) =
            (uint64_t)event->value[WS_ATTR_PROCESS].i << 32 | event->mark;
}

/* Scopes that --kb brings count no unmatched events. */
static bool counts(const struct ws_partition *partition, const struct ws_unit *unit)
{
    for (size_t s = 0; s < partition->kb->scope_count; s++)
        if (unit->scopes[s] && !partition->kb->scopes[s]->extra)
            return true;
    return false;
}

void ws_unmatched_init(struct ws_unmatched *unmatched, const struct ws_partition *partition,
                       const struct ws_sink *next)
{
    size_t types = partition->kb->simple_count;

    *unmatched = (struct ws_unmatched){.next = *next};
    unmatched->shared_types = ws_alloc_array(types, sizeof *unmatched->shared_types);
    unmatched->sink = (struct ws_sink){.found = pass_on, .context = unmatched};
    for (size_t t = 0; t < types; t++) {
        size_t units = 0;
        for (size_t r = 0; r < partition->route_counts[t]; r++)
            units += counts(partition, &partition->units[partition->routes[t][r].unit]);
        unmatched->shared_types[t] = units > 1;
        if (units > 1)
            unmatched->sink.unmatched = note;
    }
}

static int by_number(const void *left, const void *right)
{
    return ws_three_way(*(const uint64_t *)left, *(const uint64_t *)right);
}

/* All keys of a rank's events come to one member: how many are double there. */
static uint64_t doubles(struct ws_unmatched *unmatched, struct ws_team *team, const struct ws_owners *owners)
{
    struct ws_text *parts = ws_alloc_array(team->size, sizeof *parts);
    struct ws_text *received = ws_alloc_array(team->size, sizeof *received);
    struct ws_text all = {0};
    uint64_t *keys, found = 0;
    size_t count;

    for (size_t i = 0; i < unmatched->count; i++)
        ws_pack_u64(&parts[ws_owner(owners, (int64_t)(unmatched->keys[i] >> 32))], unmatched->keys[i]);
    ws_team_exchange(team, parts, received);
    for (uint32_t m = 0; m < team->size; m++)
        ws_text_add(&all, ws_text_string(&received[m]), received[m].length);
    keys = (uint64_t *)(void *)all.bytes;
    count = all.length / sizeof *keys;
    if (count)
        qsort(keys, count, sizeof *keys, by_number);
    for (size_t i = 1; i < count; i++)
        found += keys[i] == keys[i - 1];
    for (uint32_t m = 0; m < team->size; m++) {
        ws_text_free(&parts[m]);
        ws_text_free(&received[m]);
    }
    ws_text_free(&all);
    free(parts);
    free(received);
    return found;
}

uint64_t ws_unmatched_count(struct ws_unmatched *unmatched, uint64_t all, struct ws_team *team,
                            const struct ws_owners *owners)
{
    int64_t sum = (int64_t)all;

    if (unmatched->sink.unmatched)
        sum -= (int64_t)doubles(unmatched, team, owners);
    ws_team_sum(team, &sum, 1);
    return (uint64_t)sum;
}

void ws_unmatched_free(struct ws_unmatched *unmatched)
{
    free(unmatched->shared_types);
    free(unmatched->keys);
}
