/* Whether the clocks of an archive's processes agree: nobody leaves a barrier before the last one has come to
 * it. */
#include "import/otf2/otf2.h"

#include "util/alloc.h"

#include <stdlib.h>

/* What is kept of each barrier: of a very long trace the first so many of a communicator tell enough. */
#define MOST_MEETINGS (1u << 20)

struct meeting {
    int64_t last_t_ns, first_end_ns;
    uint32_t last, first; /* ranks */
};
struct ws_otf2_series { /* the meetings of one kind on one communicator, in order */
    struct meeting *list;
    size_t count, capacity;
    uint32_t seen; /* by the present process */
    int64_t rank;  /* that process */
};

static struct ws_otf2_series *series_of(struct ws_otf2_meetings *meetings, uint64_t key)
{
    size_t found = (size_t)ws_map_get(&meetings->by_key, key);

    if (found)
        return &meetings->list[found - 1];
    WS_PUSH(meetings->list, meetings->count, meetings->capacity) = (struct ws_otf2_series){.rank = -1};
    ws_map_put(&meetings->by_key, key, meetings->count);
    return &meetings->list[meetings->count - 1];
}

static void look(struct ws_otf2_meetings *meetings, const struct meeting *meeting)
{
    int64_t off_ns = meeting->last_t_ns - meeting->first_end_ns;

    if (off_ns <= meetings->off_ns)
        return;
    meetings->off_ns = off_ns;
    meetings->left = meeting->first;
    meetings->came = meeting->last;
}

void ws_otf2_meet(struct ws_otf2_meetings *meetings, uint64_t key, int64_t rank, int64_t t_ns, int64_t end_ns)
{
    struct ws_otf2_series *series = series_of(meetings, key);
    struct meeting *meeting;

    if (series->rank != rank)
        series->seen = 0;
    series->rank = rank;
    if (series->seen == MOST_MEETINGS)
        return;
    if (series->seen == series->count)
        WS_PUSH(series->list, series->count, series->capacity) =
            (struct meeting){t_ns, end_ns, (uint32_t)rank, (uint32_t)rank};
    meeting = &series->list[series->seen++];
    if (t_ns > meeting->last_t_ns) {
        meeting->last_t_ns = t_ns;
        meeting->last = (uint32_t)rank;
    }
    if (end_ns < meeting->first_end_ns) {
        meeting->first_end_ns = end_ns;
        meeting->first = (uint32_t)rank;
    }
    look(meetings, meeting);
}

void ws_otf2_meetings_free(struct ws_otf2_meetings *meetings)
{
    for (size_t i = 0; i < meetings->count; i++)
        free(meetings->list[i].list);
    free(meetings->list);
    ws_map_free(&meetings->by_key);
}
