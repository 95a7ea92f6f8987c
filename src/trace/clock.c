#include "trace/clock.h"

#include "util/alloc.h"

#include <stdlib.h>

#define MOST_DRIFT 0.5 /* so that time never runs backwards, whatever a damaged trace says */
#define MOST_NS (INT64_MAX / 4)

struct ws_clock *ws_clocks_get(struct ws_clocks *clocks, uint64_t domain, uint32_t rank)
{
    struct ws_clock *clock;

    for (size_t i = 0; i < clocks->count; i++)
        if (clocks->list[i]->domain == domain)
            return clocks->list[i];
    clock = ws_alloc(sizeof *clock);
    *clock = (struct ws_clock){.domain = domain, .number = (uint32_t)clocks->count + 1, .rank = rank};
    WS_PUSH(clocks->list, clocks->count, clocks->capacity) = clock;
    return clock;
}

void ws_clock_compared(struct ws_clock *clock, const struct ws_record_offset *offset)
{
    if (offset->own_ns > MOST_NS || offset->bound_ns > MOST_NS || offset->offset_ns > MOST_NS ||
        offset->offset_ns < -MOST_NS)
        return;
    if (clock->alignment == WS_ALIGNED_BY_WALL) {
        clock->first = *offset;
        clock->alignment = WS_ALIGNED_ONCE;
    } else if (offset->own_ns > clock->first.own_ns) {
        clock->last = *offset;
        clock->alignment = WS_ALIGNED_TWICE;
    }
}

/* ---- the corrections ---- */

static int64_t wall_less_clock(const struct ws_clock *clock, int64_t ns)
{
    return clock->wall_ns > MOST_NS ? 0 : (int64_t)clock->wall_ns - ns;
}

static void align_by_comparison(struct ws_clock *clock)
{
    double drift;

    clock->from_ns = (int64_t)clock->first.own_ns;
    clock->offset_ns = clock->first.offset_ns;
    if (clock->alignment != WS_ALIGNED_TWICE)
        return;
    drift = (double)(clock->last.offset_ns - clock->first.offset_ns) /
            (double)(clock->last.own_ns - clock->first.own_ns);
    clock->drift = drift > MOST_DRIFT ? MOST_DRIFT : drift < -MOST_DRIFT ? -MOST_DRIFT : drift;
}

/* The clock that the others are brought to: rank 0's, or that of the least rank that is there where no
 * comparison with rank 0's is left. */
static struct ws_clock *find_reference(const struct ws_clocks *clocks)
{
    struct ws_clock *least = NULL;

    for (size_t i = 0; i < clocks->count; i++) {
        struct ws_clock *clock = clocks->list[i];
        if (clock->rank == 0)
            return clock;
        if (!least || clock->alignment > least->alignment ||
            (clock->alignment == least->alignment && clock->rank < least->rank))
            least = clock;
    }
    return least;
}

void ws_clocks_align(struct ws_clocks *clocks)
{
    struct ws_clock *reference = find_reference(clocks);
    int64_t wall;

    if (!reference)
        return;
    if (reference->rank == 0 || reference->alignment == WS_ALIGNED_BY_WALL)
        reference->alignment = WS_ALIGNED_SAME;
    for (size_t i = 0; i < clocks->count; i++)
        if (clocks->list[i]->alignment == WS_ALIGNED_ONCE || clocks->list[i]->alignment == WS_ALIGNED_TWICE)
            align_by_comparison(clocks->list[i]);
    wall = wall_less_clock(reference, ws_clock_correct(reference, (int64_t)reference->begin_ns));
    for (size_t i = 0; i < clocks->count; i++)
        if (clocks->list[i]->alignment == WS_ALIGNED_BY_WALL)
            clocks->list[i]->offset_ns =
                wall_less_clock(clocks->list[i], (int64_t)clocks->list[i]->begin_ns) - wall;
}

int64_t ws_clock_correct(const struct ws_clock *clock, int64_t ns)
{
    int64_t corrected;

    if (!clock || clock->alignment == WS_ALIGNED_SAME || ns > MOST_NS)
        return ns;
    corrected = ns + clock->offset_ns + (int64_t)(clock->drift * (double)(ns - clock->from_ns));
    return corrected < 0 ? 0 : corrected;
}

int64_t ws_clock_error_ns(const struct ws_clock *clock)
{
    uint64_t error_ns = 0;

    if (clock->alignment == WS_ALIGNED_ONCE || clock->alignment == WS_ALIGNED_TWICE)
        error_ns = clock->first.bound_ns;
    if (clock->alignment == WS_ALIGNED_TWICE && clock->last.bound_ns > error_ns)
        error_ns = clock->last.bound_ns;
    return (int64_t)error_ns;
}

void ws_clocks_free(struct ws_clocks *clocks)
{
    for (size_t i = 0; i < clocks->count; i++)
        free(clocks->list[i]);
    free(clocks->list);
    *clocks = (struct ws_clocks){0};
}
