#include "diagnosis/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ws_status_names[WS_STATUS_COUNT] = {
    [WS_GONE] = "gone", [WS_NEW] = "new", [WS_BETTER] = "better", [WS_WORSE] = "worse", [WS_SAME] = "same"};

/* ---- runs ---- */

/* The runs of BEFORE, then those of AFTER. */
struct runs {
    const struct ws_diagnosis **items;
    size_t count, before_count;
    bool per_rank;
};

static uint32_t ranks_of(const struct ws_diagnosis *run)
{
    return run->ranks_recorded ? run->ranks_recorded : 1;
}

static struct runs runs_of(const struct ws_side *before, const struct ws_side *after)
{
    struct runs runs = {.count = before->count + after->count, .before_count = before->count};

    runs.items = ws_alloc_array(runs.count, sizeof *runs.items);
    for (size_t i = 0; i < runs.count; i++) {
        runs.items[i] = i < before->count ? &before->runs[i] : &after->runs[i - before->count];
        runs.per_rank |= ranks_of(runs.items[i]) != ranks_of(runs.items[0]);
    }
    return runs;
}

/* A sum over the ranks of a run as it is compared. */
static double waiting_s(const struct runs *runs, size_t run, int64_t ns)
{
    return (double)ns / 1e9 / (runs->per_rank ? ranks_of(runs->items[run]) : 1);
}

/* ---- changes and chance ---- */

double ws_student(size_t degrees)
{
    static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
    size_t count = sizeof t / sizeof *t;

    return degrees == 0 ? INFINITY : degrees <= count ? t[degrees - 1] : t[count - 1];
}

static double mean(const double *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

static double squares(const double *values, size_t count)
{
    double sum = 0, middle = mean(values, count);

    for (size_t i = 0; i < count; i++)
        sum += (values[i] - middle) * (values[i] - middle);
    return sum;
}

/* What chance makes of the difference of the sides' means in 19 of 20 cases, by Student's t on the spread
 * within the sides (Welch's form is of no use with two runs a side). */
static double measured_noise(const double *values, const struct runs *runs)
{
    size_t n = runs->before_count, m = runs->count - n, degrees = n + m - 2;
    double variance = (squares(values, n) + squares(values + n, m)) / (double)degrees;

    return ws_student(degrees) * sqrt(variance * (1 / (double)n + 1 / (double)m));
}

/* values: of each run.  A change below `floor` is not clear, nor one that may lie in what is not told. */
static struct ws_change change_of(const struct ws_comparison *comparison, const struct runs *runs,
                                  const double *values, double floor, double untold)
{
    struct ws_change change = {.before_s = mean(values, runs->before_count),
                               .after_s =
                                   mean(values + runs->before_count, runs->count - runs->before_count)};

    change.gain_s = change.before_s - change.after_s;
    change.noise_s = comparison->measured
                         ? measured_noise(values, runs)
                         : fmax(change.before_s, change.after_s) * comparison->noise_percent / 100;
    change.noise_s = fmax(change.noise_s, floor);
    change.clear = fabs(change.gain_s) - untold > change.noise_s;
    return change;
}

/* Where all of a run takes longer, since the machine is busy with other things, waiting does too.  So a
 * change of waiting must be one as well beside the time in which the ranks did not wait. */
static void doubt_if_all_changed(const struct ws_comparison *comparison, struct ws_change *change)
{
    double before = comparison->before_sum.total_s - comparison->before_sum.waiting_s;
    double after = comparison->after_sum.total_s - comparison->after_sum.waiting_s;
    double gain;

    if (comparison->measured || before <= 0 || after <= 0)
        return;
    before = change->before_s / before;
    after = change->after_s / after;
    gain = change->gain_s > 0 ? before - after : after - before;
    change->clear &= gain > fmax(before, after) * comparison->noise_percent / 100;
}

/* ---- problems over all runs ---- */

struct cluster {                    /* one problem */
    const struct ws_problem **seen; /* [run]; NULL where the report does not tell it */
    size_t *indices;                /* [run]: in the report */
    const struct ws_problem *latest;
    enum ws_again_by by; /* the first time it was found on the other side */
};
struct clusters {
    struct cluster *items;
    size_t count, capacity;
    struct ws_arena *arena;
};

static void see(struct cluster *cluster, const struct runs *runs, size_t run, size_t index)
{
    cluster->seen[run] = cluster->latest = &runs->items[run]->problems[index];
    cluster->indices[run] = index;
}

static void add_cluster(struct clusters *clusters, const struct runs *runs, size_t run, size_t index)
{
    struct cluster *cluster = &WS_PUSH(clusters->items, clusters->count, clusters->capacity);

    cluster->seen = ws_arena_alloc(clusters->arena, runs->count * sizeof *cluster->seen);
    cluster->indices = ws_arena_alloc(clusters->arena, runs->count * sizeof *cluster->indices);
    cluster->by = WS_AGAIN_COUNT;
    see(cluster, runs, run, index);
}

/* The problems of one more run join those that are there, as these looked last. */
static void add_run(struct clusters *clusters, const struct runs *runs, size_t run)
{
    size_t count = runs->items[run]->problem_count, known = clusters->count;
    const struct ws_problem **before = ws_alloc_array(known, sizeof *before);
    const struct ws_problem **after = ws_alloc_array(count, sizeof *after);
    struct ws_again *again = ws_alloc_array(known, sizeof *again);
    bool *joined = ws_alloc_array(count, sizeof *joined);

    for (size_t i = 0; i < known; i++)
        before[i] = clusters->items[i].latest;
    for (size_t i = 0; i < count; i++)
        after[i] = &runs->items[run]->problems[i];
    ws_find_again(before, known, after, count, again);
    for (size_t i = 0; i < known; i++) {
        if (again[i].after == WS_NOT_AGAIN)
            continue;
        if (run >= runs->before_count && clusters->items[i].by == WS_AGAIN_COUNT)
            clusters->items[i].by = again[i].by;
        see(&clusters->items[i], runs, run, again[i].after);
        joined[again[i].after] = true;
    }
    for (size_t i = 0; i < count; i++)
        if (!joined[i])
            add_cluster(clusters, runs, run, i);
    free(before);
    free(after);
    free(again);
    free(joined);
}

/* ---- a problem on both sides ---- */

/* What a report that tells nothing below a threshold may hold of a problem that it does not tell. */
static double at_most_s(const struct runs *runs, size_t run)
{
    const struct ws_diagnosis *diagnosis = runs->items[run];
    double below = diagnosis->threshold_percent / 100 * (double)diagnosis->total_ns;
    double all = diagnosis->small_count ? (double)diagnosis->small_ns : 0;

    return waiting_s(runs, run, ws_round(fmin(below, all)));
}

static struct ws_problem_side side_of(const struct cluster *cluster, const struct runs *runs, size_t first,
                                      size_t end)
{
    struct ws_problem_side side = {.index = cluster->seen[first] ? cluster->indices[first] : WS_NOT_AGAIN};

    for (size_t run = first; run < end; run++) {
        const struct ws_problem *problem = cluster->seen[run];
        side.problem = side.problem ? side.problem : problem;
        side.percent += problem ? problem->severity_percent / (double)(end - first) : 0;
        side.at_most_s += problem ? 0 : at_most_s(runs, run) / (double)(end - first);
    }
    return side;
}

static enum ws_status status_of(const struct ws_compared_problem *problem, double threshold_percent)
{
    if (!problem->change.clear)
        return WS_SAME;
    if (problem->after.percent < threshold_percent)
        return WS_GONE;
    if (problem->before.percent < threshold_percent)
        return WS_NEW;
    return problem->change.gain_s > 0 ? WS_BETTER : WS_WORSE;
}

/* The least change of waiting that is worth telling. */
static double floor_s(const struct ws_comparison *comparison)
{
    return fmax(comparison->before_sum.total_s, comparison->after_sum.total_s) *
           comparison->threshold_percent / 100;
}

static struct ws_compared_problem compared(const struct ws_comparison *comparison,
                                           const struct cluster *cluster, const struct runs *runs)
{
    struct ws_compared_problem problem = {
        .id = cluster->latest->id, .name = cluster->latest->name, .by = cluster->by};
    double *values = ws_alloc_array(runs->count, sizeof *values);

    for (size_t run = 0; run < runs->count; run++)
        values[run] = cluster->seen[run] ? waiting_s(runs, run, cluster->seen[run]->duration_ns) : 0;
    problem.before = side_of(cluster, runs, 0, runs->before_count);
    problem.after = side_of(cluster, runs, runs->before_count, runs->count);
    problem.change = change_of(comparison, runs, values, floor_s(comparison),
                               fmax(problem.before.at_most_s, problem.after.at_most_s));
    doubt_if_all_changed(comparison, &problem.change);
    problem.status = status_of(&problem, comparison->threshold_percent);
    free(values);
    return problem;
}

static int greatest_change_first(const void *left, const void *right)
{
    const struct ws_compared_problem *a = left, *b = right;
    double a_s = fabs(a->change.gain_s), b_s = fabs(b->change.gain_s);

    if (a->change.clear != b->change.clear)
        return a->change.clear ? -1 : 1;
    return (a_s < b_s) - (a_s > b_s);
}

static void compare_problems(struct ws_comparison *comparison, const struct runs *runs)
{
    struct clusters clusters = {.arena = &comparison->arena};

    for (size_t run = 0; run < runs->count; run++)
        add_run(&clusters, runs, run);
    comparison->problems =
        ws_arena_alloc(&comparison->arena, (clusters.count + 1) * sizeof *comparison->problems);
    for (size_t i = 0; i < clusters.count; i++) {
        struct ws_compared_problem problem = compared(comparison, &clusters.items[i], runs);
        if (fmax(problem.before.percent, problem.after.percent) < comparison->threshold_percent) {
            comparison->small_count++;
            continue;
        }
        comparison->counts[problem.status]++;
        comparison->problems[comparison->problem_count++] = problem;
    }
    if (comparison->problem_count)
        qsort(comparison->problems, comparison->problem_count, sizeof *comparison->problems,
              greatest_change_first);
    free(clusters.items);
}

/* ---- the runs as wholes ---- */

static int64_t waiting_ns(const struct ws_diagnosis *run)
{
    int64_t ns = run->small_ns;

    for (size_t i = 0; i < run->problem_count; i++)
        ns = ws_add_ns(ns, run->problems[i].duration_ns);
    return ns;
}

static struct ws_side_sum sum_of(const struct runs *runs, size_t first, size_t end)
{
    struct ws_side_sum sum = {0};
    double n = (double)(end - first);

    for (size_t run = first; run < end; run++) {
        sum.wall_s += runs->items[run]->wall_s / n;
        sum.total_s += waiting_s(runs, run, runs->items[run]->total_ns) / n;
        sum.waiting_s += waiting_s(runs, run, waiting_ns(runs->items[run])) / n;
    }
    return sum;
}

static void compare_wholes(struct ws_comparison *comparison, const struct runs *runs)
{
    double *walls = ws_alloc_array(runs->count, sizeof *walls),
           *waits = ws_alloc_array(runs->count, sizeof *waits);

    for (size_t run = 0; run < runs->count; run++) {
        walls[run] = runs->items[run]->wall_s;
        waits[run] = waiting_s(runs, run, waiting_ns(runs->items[run]));
    }
    comparison->before_sum = sum_of(runs, 0, runs->before_count);
    comparison->after_sum = sum_of(runs, runs->before_count, runs->count);
    comparison->wall = change_of(comparison, runs, walls, 0, 0);
    comparison->waiting = change_of(comparison, runs, waits, floor_s(comparison), 0);
    doubt_if_all_changed(comparison, &comparison->waiting);
    free(walls);
    free(waits);
}

/* ---- what makes it doubtful ---- */

struct warnings {
    const char **items;
    size_t count, capacity;
    struct ws_arena *arena;
};

static void warn(struct warnings *warnings, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct warnings *warnings, const char *format, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        text = NULL;
    va_end(args);
    WS_PUSH(warnings->items, warnings->count, warnings->capacity) =
        ws_arena_strdup(warnings->arena, text ? text : "");
    free(text);
}

static void warn_of_difference(struct warnings *warnings, const char *what, const char *before,
                               const char *after)
{
    if (strcmp(before, after) != 0)
        warn(warnings, "the %s differ: before \"%.400s\", after \"%.400s\"", what,
             before[0] ? before : "unknown", after[0] ? after : "unknown");
}

static const char *process_of(const struct ws_diagnosis *run)
{
    return run->process ? run->process : "rank";
}

static bool is_mpi(const struct ws_diagnosis *run)
{
    return !run->runtime || strcmp(run->runtime, "MPI") == 0;
}

static void warn_of_ranks(struct warnings *warnings, const struct runs *runs)
{
    const char *process = process_of(runs->items[0]);
    uint32_t before = ranks_of(runs->items[0]), after = ranks_of(runs->items[runs->before_count]);

    if (before != after)
        warn(warnings,
             "the numbers of %ss differ: %u before, %u after; waiting is told for one %s, as the mean of all",
             process, before, after, process);
    else if (runs->per_rank)
        warn(warnings,
             "the runs of one side have different numbers of %ss; waiting is told for one %s, as the mean of "
             "all",
             process, process);
}

/* What a run is not: complete. */
static void warn_of_run(struct warnings *warnings, const struct ws_diagnosis *run, const char *path)
{
    if (run->exit_code > 0)
        warn(warnings, "%s: the command ended with %d: perhaps it did not do all its work", path,
             run->exit_code);
    if (run->lost)
        warn(warnings, "%s: %llu events were lost while recording", path, (unsigned long long)run->lost);
    if (run->counted)
        warn(warnings, "%s: %llu calls were only counted (--sample): their waiting is missing", path,
             (unsigned long long)run->counted);
    if (run->stopped_ns)
        warn(warnings, "%s: a part of the run was not recorded", path);
    if (run->ranks_recorded < run->ranks)
        warn(warnings, "%s: %u of %u %ss were recorded", path, run->ranks_recorded, run->ranks,
             process_of(run));
}

/* Of a report that has more only so many are looked at. */
#define MOST_WARNINGS 100

static size_t warning_count(const struct ws_diagnosis *run)
{
    return run->warning_count < MOST_WARNINGS ? run->warning_count : MOST_WARNINGS;
}

static bool is_told(const struct ws_diagnosis *run, const char *warning)
{
    for (size_t i = 0; i < warning_count(run); i++)
        if (strcmp(run->warnings[i], warning) == 0)
            return true;
    return false;
}

/* What reports say of themselves, once where they say the same. */
static void warn_as_told(struct warnings *warnings, const struct runs *runs, size_t run, const char *path)
{
    const struct ws_diagnosis *diagnosis = runs->items[run];

    for (size_t i = 0; i < warning_count(diagnosis); i++) {
        size_t earlier = 0;
        while (earlier < run && !is_told(runs->items[earlier], diagnosis->warnings[i]))
            earlier++;
        if (earlier == run)
            warn(warnings, "%s: %s", path, diagnosis->warnings[i]);
    }
}

static void gather_warnings(struct ws_comparison *comparison, const struct runs *runs)
{
    struct warnings warnings = {.arena = &comparison->arena};
    const struct ws_diagnosis *before = runs->items[0], *after = runs->items[runs->before_count];

    warn_of_difference(&warnings, "commands", before->command, after->command);
    warn_of_difference(&warnings, is_mpi(before) && is_mpi(after) ? "MPIs" : "runtimes", before->mpi,
                       after->mpi);
    warn_of_ranks(&warnings, runs);
    for (size_t i = 0; i < runs->count; i++) {
        const char *path = i < runs->before_count ? comparison->before.paths[i]
                                                  : comparison->after.paths[i - runs->before_count];
        warn_of_run(&warnings, runs->items[i], path);
        warn_as_told(&warnings, runs, i, path);
    }
    comparison->warnings = ws_arena_alloc(&comparison->arena, (warnings.count + 1) * sizeof *warnings.items);
    if (warnings.count)
        memcpy(comparison->warnings, warnings.items, warnings.count * sizeof *warnings.items);
    comparison->warning_count = warnings.count;
    free(warnings.items);
}

/* ---- all of it ---- */

void ws_compare_sides(const struct ws_side *before, const struct ws_side *after,
                      const struct ws_compare_options *options, struct ws_comparison *comparison)
{
    struct runs runs = runs_of(before, after);

    *comparison = (struct ws_comparison){
        .before = *before,
        .after = *after,
        .per_rank = runs.per_rank,
        .measured = runs.count > 2,
        .noise_percent = options->noise_percent < 0 ? WS_NOISE_PERCENT : options->noise_percent,
        .threshold_percent =
            options->threshold_percent < 0 ? WS_THRESHOLD_PERCENT : options->threshold_percent};
    compare_wholes(comparison, &runs);
    compare_problems(comparison, &runs);
    gather_warnings(comparison, &runs);
    free(runs.items);
}

void ws_comparison_free(struct ws_comparison *comparison)
{
    ws_arena_free(&comparison->arena);
    memset(comparison, 0, sizeof *comparison);
}
