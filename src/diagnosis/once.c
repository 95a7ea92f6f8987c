/* Each moment of a rank counts once, whatever number of rules finds it: a Waitall over several late
 * messages loses its time once. */
#include "diagnosis/findings.h"

#include <stdlib.h>

struct view { /* what the comparisons need */
    const struct ws_findings *findings;
    const struct ws_instance *instances;
};

static int64_t finish(const struct ws_instance *instance)
{
    int64_t end;
    return __builtin_add_overflow(instance->from_ns, instance->duration_ns, &end) ? INT64_MAX : end;
}

static int by_arrival(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_rank_and_time(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    size_t i = *(const size_t *)left, j = *(const size_t *)right;
    const struct ws_instance *a = &view->instances[i], *b = &view->instances[j];

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->from_ns != b->from_ns)
        return a->from_ns < b->from_ns ? -1 : 1;
    return by_arrival(i, j);
}

static int longest_first(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    size_t i = *(const size_t *)left, j = *(const size_t *)right;
    const struct ws_instance *a = &view->instances[i], *b = &view->instances[j];
    uint32_t rule_a = view->findings->parts[a->part].ruling, rule_b = view->findings->parts[b->part].ruling;

    if (a->duration_ns != b->duration_ns)
        return a->duration_ns > b->duration_ns ? -1 : 1;
    if (rule_a != rule_b)
        return rule_a < rule_b ? -1 : 1;
    return by_arrival(i, j);
}

static int by_moment(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static size_t place_of(const int64_t *moments, size_t count, int64_t moment)
{
    const int64_t *found = bsearch(&moment, moments, count, sizeof moment, by_moment);
    return (size_t)(found - moments);
}

/* The first piece at or after `piece` that is not taken; paths are halved on the way. */
static size_t next_free(size_t *next, size_t piece)
{
    while (next[piece] != piece) {
        next[piece] = next[next[piece]];
        piece = next[piece];
    }
    return piece;
}

/* The distinct ends of the cluster's intervals, in order: between two neighbours lies one piece. */
static size_t cut_into_pieces(const struct ws_instance *instances, const size_t *cluster, size_t count,
                              int64_t *moments)
{
    size_t distinct = 0;

    for (size_t i = 0; i < count; i++) {
        moments[2 * i] = instances[cluster[i]].from_ns;
        moments[2 * i + 1] = finish(&instances[cluster[i]]);
    }
    qsort(moments, 2 * count, sizeof *moments, by_moment);
    for (size_t i = 0; i < 2 * count; i++)
        if (distinct == 0 || moments[distinct - 1] != moments[i])
            moments[distinct++] = moments[i];
    return distinct;
}

/* A cluster is a set of intervals of one rank that hang together. */
static void settle(const struct view *view, struct ws_instance *instances, size_t *cluster, size_t count)
{
    int64_t *moments = ws_alloc_array(2 * count, sizeof *moments);
    size_t moment_count = cut_into_pieces(instances, cluster, count, moments);
    size_t *next = ws_alloc_array(moment_count, sizeof *next);

    for (size_t i = 0; i < moment_count; i++)
        next[i] = i;
    qsort_r(cluster, count, sizeof *cluster, longest_first, (void *)view);
    for (size_t i = 0; i < count; i++) {
        struct ws_instance *instance = &instances[cluster[i]];
        size_t last = place_of(moments, moment_count, finish(instance));
        size_t piece = next_free(next, place_of(moments, moment_count, instance->from_ns));
        int64_t kept_ns = 0;
        for (; piece < last; piece = next_free(next, piece)) {
            kept_ns += moments[piece + 1] - moments[piece];
            next[piece] = piece + 1;
        }
        instance->duration_ns = kept_ns;
    }
    free(next);
    free(moments);
}

void ws_count_once(const struct ws_findings *findings, struct ws_instance *instances, size_t count)
{
    struct view view = {findings, instances};
    size_t *order = ws_alloc_array(count, sizeof *order);
    size_t begin = 0;

    for (size_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, by_rank_and_time, &view);
    while (begin < count) {
        const struct ws_instance *first = &instances[order[begin]];
        int64_t reach = finish(first);
        size_t end = begin + 1;
        while (end < count && instances[order[end]].rank == first->rank &&
               instances[order[end]].from_ns < reach) {
            int64_t more = finish(&instances[order[end]]);
            reach = more > reach ? more : reach;
            end++;
        }
        if (end - begin > 1)
            settle(&view, instances, order + begin, end - begin);
        begin = end;
    }
    free(order);
}
