#include "diagnosis/phase_times.h"

#include "diagnosis/efficiency.h"

#include <stdlib.h>
#include <string.h>

/* A moment of the rank's recorded time. */
static int64_t within(const struct ws_trace_rank *rank, int64_t ns)
{
    return ns < rank->begin_ns ? rank->begin_ns : ns > rank->end_ns ? rank->end_ns : ns;
}

static int64_t part_begin_ns(const struct ws_trace_rank *rank, size_t part)
{
    return part == 0 ? rank->begin_ns : within(rank, rank->phases[part - 1].begin_ns);
}

static int64_t part_end_ns(const struct ws_trace_rank *rank, size_t part)
{
    return part < rank->phase_count ? within(rank, rank->phases[part].begin_ns) : rank->end_ns;
}

/* As a damaged trace may claim, more than a number holds. */
static int64_t between(int64_t begin_ns, int64_t end_ns)
{
    int64_t ns;

    return end_ns <= begin_ns ? 0 : __builtin_sub_overflow(end_ns, begin_ns, &ns) ? INT64_MAX : ns;
}

void ws_phase_times_init(struct ws_phase_times *times, const struct ws_trace_info *info)
{
    size_t parts = 0;

    times->info = info;
    times->first = ws_alloc_array((size_t)info->ranks + 1, sizeof *times->first);
    for (uint32_t r = 0; r < info->ranks; r++) {
        times->first[r] = parts;
        parts += info->rank[r].phase_count + 1;
    }
    times->first[info->ranks] = parts;
    times->time_ns = ws_alloc_array(parts + 1, sizeof *times->time_ns);
    times->calls_ns = ws_alloc_array(parts + 1, sizeof *times->calls_ns);
    for (uint32_t r = 0; r < info->ranks; r++)
        for (size_t p = 0; p <= info->rank[r].phase_count; p++) {
            const struct ws_trace_rank *rank = &info->rank[r];
            if (rank->present)
                times->time_ns[times->first[r] + p] = between(part_begin_ns(rank, p), part_end_ns(rank, p));
        }
}

void ws_phase_times_free(struct ws_phase_times *times)
{
    free(times->first);
    free(times->time_ns);
    free(times->calls_ns);
    *times = (struct ws_phase_times){0};
}

void ws_phase_times_call(struct ws_phase_times *times, uint32_t rank, int64_t begin_ns, int64_t end_ns)
{
    const struct ws_trace_rank *of;

    if (rank >= times->info->ranks)
        return;
    of = &times->info->rank[rank];
    begin_ns = within(of, begin_ns);
    end_ns = within(of, end_ns);
    for (size_t p = ws_trace_phases_begun(of, begin_ns); p <= of->phase_count && begin_ns < end_ns; p++) {
        int64_t until_ns = part_end_ns(of, p) < end_ns ? part_end_ns(of, p) : end_ns;
        int64_t *calls_ns = &times->calls_ns[times->first[rank] + p];
        if (until_ns > begin_ns) {
            *calls_ns = ws_add_ns(*calls_ns, between(begin_ns, until_ns));
            begin_ns = until_ns;
        }
    }
}

int ws_phase_times_read(struct ws_phase_times *times, struct ws_trace *trace, struct ws_error *error)
{
    const struct ws_event *event;
    int got;

    ws_trace_tell_calls(trace);
    while ((got = ws_trace_next(trace, &event, error)) > 0)
        if (event->type == WS_TRACE_CALL)
            ws_phase_times_call(times, (uint32_t)event->value[WS_ATTR_PROCESS].i, event->value[WS_ATTR_T].i,
                                event->value[WS_ATTR_END].i);
    return got;
}

/* ---- the efficiencies ---- */

struct sums { /* of a phase */
    const char *name;
    size_t index;
    double useful, most_useful, most, most_ideal;
    size_t ranks;
    double time_ns, calls_ns, ideal_ns; /* of the rank at hand */
    bool touched;
};

static int by_name(const void *left, const void *right)
{
    const struct sums *a = left, *b = right;

    return strcmp(a->name, b->name);
}

/* The rank's parts of one phase together. */
static void conclude_rank(struct sums *sums, uint32_t threads)
{
    double useful = sums->time_ns - sums->calls_ns / (threads ? threads : 1);

    if (sums->touched && sums->time_ns > 0) {
        useful = useful > 0 ? useful : 0;
        sums->useful += useful;
        sums->most_useful = useful > sums->most_useful ? useful : sums->most_useful;
        sums->most = sums->time_ns > sums->most ? sums->time_ns : sums->most;
        sums->most_ideal = sums->ideal_ns > sums->most_ideal ? sums->ideal_ns : sums->most_ideal;
        sums->ranks++;
    }
    sums->time_ns = sums->calls_ns = sums->ideal_ns = 0;
    sums->touched = false;
}

static struct sums *sums_of(struct sums *sums, size_t count, const char *name)
{
    const struct sums key = {.name = name};

    return bsearch(&key, sums, count, sizeof *sums, by_name);
}

static void add_rank(const struct ws_phase_times *times, const int64_t *ideal_ns, uint32_t r,
                     struct sums *sums, size_t count)
{
    const struct ws_trace_rank *rank = &times->info->rank[r];

    for (int concluding = 0; concluding < 2; concluding++)
        for (size_t p = 0; p <= rank->phase_count; p++) {
            struct sums *of = sums_of(sums, count, p ? rank->phases[p - 1].name : "");
            size_t part = times->first[r] + p;
            if (!of)
                continue;
            if (concluding) {
                conclude_rank(of, rank->threads);
                continue;
            }
            of->touched = true;
            of->time_ns += (double)times->time_ns[part];
            of->calls_ns += (double)times->calls_ns[part];
            of->ideal_ns += ideal_ns ? (double)ideal_ns[part] : 0;
        }
}

bool ws_phase_times_known(const struct ws_trace_info *info)
{
    for (uint32_t r = 0; r < info->ranks; r++)
        if (info->rank[r].stopped_ns > 0)
            return false;
    return info->counted_count == 0;
}

void ws_phase_times_fill(const struct ws_phase_times *times, const int64_t *ideal_ns,
                         struct ws_phase_problems *phases, size_t phase_count)
{
    struct sums *sums;

    if (!ws_phase_times_known(times->info) || phase_count == 0)
        return;
    sums = ws_alloc_array(phase_count, sizeof *sums);
    for (size_t i = 0; i < phase_count; i++)
        sums[i] = (struct sums){.name = phases[i].name, .index = i};
    qsort(sums, phase_count, sizeof *sums, by_name);
    for (uint32_t r = 0; r < times->info->ranks; r++)
        if (times->info->rank[r].present)
            add_rank(times, ideal_ns, r, sums, phase_count);
    for (size_t i = 0; i < phase_count; i++) {
        struct ws_efficiency *efficiency = &phases[sums[i].index].efficiency;
        *efficiency = ws_efficiency_from(sums[i].useful, sums[i].most_useful, sums[i].ranks, sums[i].most);
        if (ideal_ns)
            ws_efficiency_replayed(efficiency, sums[i].most, sums[i].most_ideal);
    }
    free(sums);
}
