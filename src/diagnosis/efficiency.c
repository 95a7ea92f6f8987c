#include "diagnosis/efficiency.h"

#include <stdlib.h>

struct ws_efficiency ws_efficiency_of(const double *useful, size_t count, double run)
{
    double sum = 0, most = 0;

    for (size_t i = 0; i < count; i++) {
        sum += useful[i];
        most = useful[i] > most ? useful[i] : most;
    }
    return ws_efficiency_from(sum, most, count, run);
}

struct ws_efficiency ws_efficiency_from(double sum, double most, size_t count, double run)
{
    if (most <= 0 || run <= 0)
        return (struct ws_efficiency){0};
    return (struct ws_efficiency){.known = true,
                                  .parallel = sum / (double)count / run,
                                  .load_balance = sum / (double)count / most,
                                  .communication = most / run};
}

void ws_efficiency_replayed(struct ws_efficiency *efficiency, double run, double ideal)
{
    double useful = efficiency->communication * run; /* of the rank that has most */

    if (!efficiency->known)
        return;
    ideal = ideal > run ? run : ideal < useful ? useful : ideal;
    efficiency->replayed = true;
    efficiency->serialisation = useful / ideal;
    efficiency->transfer = ideal / run;
}

int64_t ws_rank_time_ns(const struct ws_trace_rank *rank)
{
    int64_t time_ns;

    if (!rank->present || rank->end_ns <= rank->begin_ns)
        return 0;
    if (__builtin_sub_overflow(rank->end_ns, rank->begin_ns, &time_ns))
        return INT64_MAX; /* as a damaged trace may claim */
    return rank->stopped_ns > 0 && rank->stopped_ns < time_ns ? time_ns - rank->stopped_ns : time_ns;
}

int64_t ws_rank_calls_ns(const struct ws_trace_rank *rank)
{
    int64_t time_ns = ws_rank_time_ns(rank);
    int64_t calls_ns = rank->call_ns / (rank->threads ? rank->threads : 1);

    return calls_ns < 0 ? 0 : calls_ns < time_ns ? calls_ns : time_ns;
}

void ws_run_span(const struct ws_trace_info *info, int64_t *begin_ns, int64_t *end_ns)
{
    *begin_ns = INT64_MAX;
    *end_ns = INT64_MIN;
    for (uint32_t i = 0; i < info->ranks; i++) {
        const struct ws_trace_rank *rank = &info->rank[i];
        if (!rank->present || rank->end_ns <= rank->begin_ns)
            continue;
        *begin_ns = rank->begin_ns < *begin_ns ? rank->begin_ns : *begin_ns;
        *end_ns = rank->end_ns > *end_ns ? rank->end_ns : *end_ns;
    }
}

double ws_efficiency_run_ns(const struct ws_trace_info *info)
{
    int64_t begin_ns, end_ns;
    double stopped = 0;
    size_t count = 0;

    ws_run_span(info, &begin_ns, &end_ns);
    for (uint32_t i = 0; i < info->ranks; i++) {
        const struct ws_trace_rank *rank = &info->rank[i];
        double own = (double)rank->end_ns - (double)rank->begin_ns - (double)ws_rank_time_ns(rank);
        if (ws_rank_time_ns(rank) == 0)
            continue;
        stopped = count++ && stopped < own ? stopped : own;
    }
    return (double)end_ns - (double)begin_ns - stopped;
}

struct ws_efficiency ws_efficiency_of_run(const struct ws_trace_info *info)
{
    double *useful = ws_alloc_array(info->ranks, sizeof *useful);
    struct ws_efficiency efficiency;
    size_t count = 0;

    for (uint32_t i = 0; i < info->ranks; i++)
        if (ws_rank_time_ns(&info->rank[i]) > 0)
            useful[count++] = (double)(ws_rank_time_ns(&info->rank[i]) - ws_rank_calls_ns(&info->rank[i]));
    efficiency = ws_efficiency_of(useful, count, ws_efficiency_run_ns(info));
    free(useful);
    return efficiency;
}
