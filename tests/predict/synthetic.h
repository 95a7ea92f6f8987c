/* Kernels, nodes and programs whose times follow from known costs, with noise as wanted. */
#ifndef WS_TESTS_PREDICT_SYNTHETIC_H
#define WS_TESTS_PREDICT_SYNTHETIC_H

#include "made_up.h"

#include "predict/model/pair.h"

#include <math.h>

#define KERNELS 50

static double random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Normally distributed, of variance 1. */
static double random_normal(uint64_t *seed)
{
    double u = random_number(seed), v = random_number(seed);

    return sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * v);
}

/* Work of about 1e9 instructions, mostly of a few kinds, and misses that fall as the cache grows. */
static struct ws_work random_work(uint64_t *seed)
{
    struct ws_work work = {.curve_count = 7};
    double misses = 1e8 * random_number(seed), regular = random_number(seed);

    for (size_t i = 0; i < WS_WORK_COUNTS; i++)
        work.counts[i] = random_number(seed) < 0.5 ? 0 : 1e9 * random_number(seed);
    work.counts[WS_COLUMN_DIVIDE] *= 0.05;
    work.counts[WS_COLUMN_FLOAT_DIVIDE] *= 0.05;
    work.counts[WS_COLUMN_BRANCH_MISSES] *= 0.02;
    work.counts[WS_COLUMN_IO_SESSIONS] = work.counts[WS_COLUMN_IO_BYTES] = 0;
    work.counts[WS_COLUMN_INTEGER] += 1e8;
    for (size_t i = 0; i < work.curve_count; i++) {
        work.curve[i] = (struct ws_miss_point){8192 * pow(4, (double)i), misses, regular * misses};
        misses *= random_number(seed);
    }
    return work;
}

/* A node: its clock, its caches' latencies (`slower` than 1, 4, 20 and 90 ns) and its cost for each kind of
 * work. */
struct synthetic_node {
    struct ws_node node;
    double costs[WS_COLUMNS];
};

static void make_node(struct synthetic_node *made, const char *name, double slower, uint64_t *seed)
{
    static const struct ws_ladder_step ladder[] = {{16384, false, 1e-9, 60e9, 0},
                                                   {524288, false, 4e-9, 30e9, 0},
                                                   {8388608, false, 20e-9, 15e9, 0},
                                                   {134217728, false, 90e-9, 8e9, 0}};
    static const double cycles[WS_WORK_COUNTS] = {0.5, 1, 0.4, 1, 20, 0.8, 12, 1, 0.5, 16, 2, 0.5, 0, 0};
    struct ws_node *node = &made->node;

    memset(made, 0, sizeof *made);
    node->path = node->name = name;
    node->architecture = "x86_64";
    for (size_t i = 0; i < WS_CHARACTERISTICS; i++)
        node->characteristics[i] = 3e9 / slower;
    node->ladder = ws_arena_alloc(&node->arena, sizeof ladder);
    memcpy(node->ladder, ladder, sizeof ladder);
    node->ladder_count = sizeof ladder / sizeof *ladder;
    for (size_t i = 0; i < node->ladder_count; i++) {
        node->ladder[i].latency_s *= slower;
        node->ladder[i].bandwidth_Bps /= slower;
    }
    for (size_t i = 0; i < WS_WORK_COUNTS; i++)
        made->costs[i] = cycles[i] / 3e9 * slower * (seed ? exp(0.7 * random_normal(seed)) : 1);
    made->costs[WS_COLUMN_IRREGULAR] = made->costs[WS_COLUMN_REGULAR] = 0.7;
}

static double true_time_s(const struct synthetic_node *made, const struct ws_work *work)
{
    struct ws_side side = {.node = &made->node};
    double shares[WS_COLUMNS];

    memcpy(side.costs, made->costs, sizeof side.costs);
    return ws_side_time_s(&side, work, shares);
}

static void make_kernels(struct ws_calibration *kernels, uint64_t *seed)
{
    memset(kernels, 0, sizeof *kernels);
    kernels->names = ws_arena_alloc(&kernels->arena, KERNELS * sizeof *kernels->names);
    kernels->works = ws_arena_alloc(&kernels->arena, KERNELS * sizeof *kernels->works);
    kernels->count = KERNELS;
    for (size_t i = 0; i < KERNELS; i++) {
        kernels->names[i] = ws_arena_printf(&kernels->arena, "kernel-%zu", i);
        kernels->works[i] = random_work(seed);
    }
}

/* The kernels' times on a node; `common` is each kernel's own deviation from the model, the same on every
 * node. */
static void time_kernels(struct synthetic_node *made, const struct ws_calibration *kernels,
                         const double *common, double noise, uint64_t *seed)
{
    struct ws_node *node = &made->node;

    node->kernels = ws_arena_alloc(&node->arena, kernels->count * sizeof *node->kernels);
    node->kernel_count = kernels->count;
    for (size_t i = 0; i < kernels->count; i++)
        node->kernels[i] =
            (struct ws_kernel_time){kernels->names[i],
                                    true_time_s(made, &kernels->works[i]) *
                                        exp((common ? common[i] : 0) + noise * random_normal(seed)),
                                    0.01};
}

#endif
