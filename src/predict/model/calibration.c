#include "predict/model/calibration.h"

#include <math.h>
#include <string.h>

/* ---- work ---- */

static const enum ws_count counted[WS_WORK_COUNTS] = {
    [WS_COLUMN_LOADS] = WS_COUNT_LOADS,
    [WS_COLUMN_STORES] = WS_COUNT_STORES,
    [WS_COLUMN_INTEGER] = WS_COUNT_INTEGER,
    [WS_COLUMN_MULTIPLY] = WS_COUNT_MULTIPLY,
    [WS_COLUMN_DIVIDE] = WS_COUNT_DIVIDE,
    [WS_COLUMN_FLOAT] = WS_COUNT_FLOAT,
    [WS_COLUMN_FLOAT_DIVIDE] = WS_COUNT_FLOAT_DIVIDE,
    [WS_COLUMN_VECTOR] = WS_COUNT_VECTOR,
    [WS_COLUMN_BRANCHES] = WS_COUNT_BRANCHES,
    [WS_COLUMN_BRANCH_MISSES] = WS_COUNT_BRANCH_MISSES,
    [WS_COLUMN_CALLS] = WS_COUNT_CALLS,
    [WS_COLUMN_OTHER] = WS_COUNT_OTHER,
};

void ws_work_of_run(const struct ws_program_run *run, struct ws_work *work)
{
    memset(work, 0, sizeof *work);
    for (size_t i = 0; i < WS_COLUMN_IO_SESSIONS; i++)
        work->counts[i] = run->counts[counted[i]];
    work->counts[WS_COLUMN_IO_SESSIONS] = run->io[WS_IO_READS] + run->io[WS_IO_WRITES];
    work->counts[WS_COLUMN_IO_BYTES] = run->io[WS_IO_READ_BYTES] + run->io[WS_IO_WRITTEN_BYTES];
    for (size_t i = 0; i < run->curve_count && work->curve_count < WS_CURVE_POINTS; i++)
        work->curve[work->curve_count++] =
            (struct ws_miss_point){run->curve[i].size_bytes, run->curve[i].misses, run->curve[i].regular};
}

/* h1..h11 of a run whose file does not tell them: caches of 32 kB and 1 MB. */
static void parameters_of(const struct ws_program_run *run, const struct ws_work *work, double *h)
{
    double instructions = run->counts[WS_COUNT_INSTRUCTIONS];
    double floats =
        run->counts[WS_COUNT_FLOAT] + run->counts[WS_COUNT_FLOAT_DIVIDE] + run->counts[WS_COUNT_VECTOR];

    h[WS_INSTRUCTIONS] = instructions;
    h[WS_L1_ACCESSES] = run->counts[WS_COUNT_LOADS] + run->counts[WS_COUNT_STORES];
    h[WS_L1_MISSES] = h[WS_L2_ACCESSES] = ws_work_misses(work, 32768).misses;
    h[WS_L2_MISSES] = ws_work_misses(work, 1 << 20).misses;
    h[WS_FLOAT_SHARE] = instructions > 0 ? fmin(floats / instructions, 1) : 0;
    h[WS_INTEGER_SHARE] = instructions > 0 ? 1 - h[WS_FLOAT_SHARE] : 0;
    h[WS_READ_SESSIONS] = run->io[WS_IO_READS];
    h[WS_WRITE_SESSIONS] = run->io[WS_IO_WRITES];
    h[WS_BYTES_READ] = run->io[WS_IO_READ_BYTES];
    h[WS_BYTES_WRITTEN] = run->io[WS_IO_WRITTEN_BYTES];
}

void ws_subject_of_program(const struct ws_program *program, struct ws_arena *arena,
                           struct ws_subject *subject)
{
    *subject = (struct ws_subject){.program = program->command,
                                   .path = program->path,
                                   .architecture = program->architecture,
                                   .run_count = program->run_count};
    subject->runs = ws_arena_alloc(arena, (program->run_count + 1) * sizeof *subject->runs);
    for (size_t i = 0; i < program->run_count; i++) {
        const struct ws_program_run *run = &program->runs[i];
        struct ws_measured *measured = &subject->runs[i];
        *measured = (struct ws_measured){.size = run->size,
                                         .time_s = run->cpu_s,
                                         .spread = run->spread,
                                         .processes = run->processes,
                                         .has_work = run->has_counts};
        ws_work_of_run(run, &measured->work);
        if (run->has_paper)
            memcpy(measured->parameters, run->paper, sizeof measured->parameters);
        else
            parameters_of(run, &measured->work, measured->parameters);
    }
}

/* ---- the file ---- */

static int take_kernel(const struct ws_fields *fields, const json_t *entry, size_t i,
                       struct ws_calibration *kernels)
{
    struct ws_program_run run = {0};
    char where[64];

    snprintf(where, sizeof where, "kernels[%zu].", i);
    if (ws_fields_need_text(fields, entry, where, "name", &kernels->names[i]) != 0 ||
        ws_program_take_work(fields, entry, where, &run) != 0)
        return -1;
    if (!run.has_counts)
        return ws_fields_wanted(fields, where, "counts", "an object with the instructions", NULL);
    ws_work_of_run(&run, &kernels->works[i]);
    return 0;
}

static int take(const struct ws_fields *fields, const json_t *root, struct ws_calibration *kernels)
{
    const json_t *list;
    size_t count;

    if (ws_fields_list(fields, root, "", "kernels", &list, &count) != 0)
        return -1;
    kernels->names = ws_arena_alloc(fields->arena, (count + 1) * sizeof *kernels->names);
    kernels->works = ws_arena_alloc(fields->arena, (count + 1) * sizeof *kernels->works);
    for (; kernels->count < count; kernels->count++)
        if (take_kernel(fields, json_array_get(list, kernels->count), kernels->count, kernels) != 0)
            return -1;
    return 0;
}

int ws_calibration_read(const char *path, struct ws_calibration *kernels, struct ws_error *error)
{
    const struct ws_fields fields = {path, &kernels->arena, error, "make kernels-data"};
    json_t *root;
    int result;

    memset(kernels, 0, sizeof *kernels);
    root = ws_fields_load(&fields, WS_CALIBRATION_KIND, WS_CALIBRATION_FORMAT);
    result = root ? take(&fields, root, kernels) : -1;
    json_decref(root);
    return result;
}

void ws_calibration_free(struct ws_calibration *kernels)
{
    ws_arena_free(&kernels->arena);
    memset(kernels, 0, sizeof *kernels);
}
