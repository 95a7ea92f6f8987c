/* Heart tissue as an excitable medium: the model of Aliev and Panfilov (1996) on a square mesh, which is
 * divided into equal blocks over a grid of ranks.  What both forms of the program share.
 *
 *     du/dt = D (u_xx + u_yy) - k u (u - a) (u - 1) - u v          u: excitation
 *     dv/dt = -(e + m1 v / (u + m2)) (v + k u (u - a - 1))         v: recovery
 *
 * A wave meets tissue that has not recovered on one half of the mesh, breaks, and turns into a spiral. */
#ifndef TISSUE_H
#define TISSUE_H

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* Operations of floating point for one point: in a time step, and in a value of the electrocardiogram. */
#define STEP_WORK 28.0
#define FELT_WORK 10.0

struct tissue {
    int n, steps; /* points along a side of the whole mesh; time steps */
    MPI_Comm grid;
    int rank, size;
    int up, down, left, right; /* neighbours, or MPI_PROC_NULL */
    int rows, columns;         /* of this rank's block */
    int top, west;             /* where it begins in the whole mesh */
    double *u, *next, *v;      /* (rows + 2) * (columns + 2) points: the block and a margin */
    MPI_Datatype column;       /* a column of the block */
    double begin;
};

/* The place of point (i, j) of the block, 1 .. rows and 1 .. columns; 0 and the next are the margin. */
static inline size_t at(const struct tissue *tissue, int i, int j)
{
    return (size_t)i * (size_t)(tissue->columns + 2) + (size_t)j;
}

static inline double *tissue_field(const struct tissue *tissue)
{
    double *field = calloc((size_t)(tissue->rows + 2) * (size_t)(tissue->columns + 2), sizeof *field);
    if (!field)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return field;
}

/* Starts MPI, reads the command line (POINTS [STEPS]), divides the mesh and sets the state at the beginning.
 */
static inline struct tissue tissue_begin(int *argc, char ***argv)
{
    struct tissue tissue = {.n = 768, .steps = 150};
    int dims[2] = {0, 0}, periods[2] = {0, 0}, place[2];

    MPI_Init(argc, argv);
    MPI_Comm_size(MPI_COMM_WORLD, &tissue.size);
    MPI_Dims_create(tissue.size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &tissue.grid);
    MPI_Comm_rank(tissue.grid, &tissue.rank);
    MPI_Cart_coords(tissue.grid, tissue.rank, 2, place);
    MPI_Cart_shift(tissue.grid, 0, 1, &tissue.up, &tissue.down);
    MPI_Cart_shift(tissue.grid, 1, 1, &tissue.left, &tissue.right);
    if (*argc > 1)
        tissue.n = atoi((*argv)[1]);
    if (*argc > 2)
        tissue.steps = atoi((*argv)[2]);
    tissue.rows = tissue.n / dims[0];
    tissue.columns = tissue.n / dims[1];
    if (tissue.rows * dims[0] != tissue.n || tissue.columns * dims[1] != tissue.n || tissue.rows < 3 ||
        tissue.columns < 3 || tissue.n > 30000 || tissue.steps < 1) {
        if (tissue.rank == 0)
            fprintf(stderr, "usage: %s [POINTS [STEPS]], with POINTS a multiple of %d and %d\n", (*argv)[0],
                    dims[0], dims[1]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    tissue.top = place[0] * tissue.rows;
    tissue.west = place[1] * tissue.columns;
    tissue.u = tissue_field(&tissue);
    tissue.next = tissue_field(&tissue);
    tissue.v = tissue_field(&tissue);
    for (int i = 1; i <= tissue.rows; i++) {
        for (int j = 1; j <= tissue.columns; j++) {
            tissue.u[at(&tissue, i, j)] = 2 * (tissue.west + j) < tissue.n ? 1 : 0;
            tissue.v[at(&tissue, i, j)] = 2 * (tissue.top + i) < tissue.n ? 1.5 : 0;
        }
    }
    MPI_Type_vector(tissue.rows, 1, tissue.columns + 2, MPI_DOUBLE, &tissue.column);
    MPI_Type_commit(&tissue.column);
    tissue.begin = MPI_Wtime();
    return tissue;
}

/* Nothing flows through the sides of the tissue: there the margin repeats the border of the block. */
static inline void close_sides(const struct tissue *tissue)
{
    double *u = tissue->u;
    int rows = tissue->rows, columns = tissue->columns;

    for (int j = 1; j <= columns; j++) {
        if (tissue->up == MPI_PROC_NULL)
            u[at(tissue, 0, j)] = u[at(tissue, 1, j)];
        if (tissue->down == MPI_PROC_NULL)
            u[at(tissue, rows + 1, j)] = u[at(tissue, rows, j)];
    }
    for (int i = 1; i <= rows; i++) {
        if (tissue->left == MPI_PROC_NULL)
            u[at(tissue, i, 0)] = u[at(tissue, i, 1)];
        if (tissue->right == MPI_PROC_NULL)
            u[at(tissue, i, columns + 1)] = u[at(tissue, i, columns)];
    }
}

/* One time step of points (i, j), i from `first` to `last`, j from `west` to `east`: u to next, v in place.
 */
static inline void advance(const struct tissue *tissue, int first, int last, int west, int east)
{
    const double k = 8, a = 0.1, e = 0.01, m1 = 0.2, m2 = 0.3, dt = 0.02, diffusion = 0.02 / (0.5 * 0.5);

    for (int i = first; i <= last; i++) {
        const double *above = &tissue->u[at(tissue, i - 1, 0)], *below = &tissue->u[at(tissue, i + 1, 0)];
        const double *here = &tissue->u[at(tissue, i, 0)];
        double *next = &tissue->next[at(tissue, i, 0)], *v = &tissue->v[at(tissue, i, 0)];
        for (int j = west; j <= east; j++) {
            double u = here[j], w = v[j];
            double flow = above[j] + below[j] + here[j - 1] + here[j + 1] - 4 * u;
            next[j] = u + diffusion * flow - dt * (k * u * (u - a) * (u - 1) + u * w);
            v[j] = w - dt * (e + m1 * w / (u + m2)) * (w + k * u * (u - a - 1));
        }
    }
    work(STEP_WORK * (last - first + 1) * (east - west + 1));
}

/* What a point with excitation u at (i, j) of the whole mesh adds to the electrocardiogram: an electrode
 * beside the tissue feels it by the inverse of the distance. */
static inline double felt(const struct tissue *tissue, int i, int j, double u)
{
    double x = j - 0.5 * tissue->n, y = i - 0.5 * tissue->n, z = 0.1 * tissue->n;
    return u / sqrt(x * x + y * y + z * z);
}

/* Prints how it ended and ends MPI; ecg[steps] on rank 0.  The checksum of the fields does not depend on the
 * distribution: it is the sum of the bits of all values. */
static inline void tissue_end(struct tissue *tissue, const double *ecg)
{
    double seconds = MPI_Wtime() - tissue->begin;
    uint64_t sum = 0, checksum, bits[2];

    for (int i = 1; i <= tissue->rows; i++) {
        for (int j = 1; j <= tissue->columns; j++) {
            memcpy(&bits[0], &tissue->u[at(tissue, i, j)], sizeof bits[0]);
            memcpy(&bits[1], &tissue->v[at(tissue, i, j)], sizeof bits[1]);
            sum += bits[0] + bits[1];
        }
    }
    MPI_Reduce(&sum, &checksum, 1, MPI_UINT64_T, MPI_SUM, 0, tissue->grid);
    if (tissue->rank == 0) {
        double low = ecg[0], high = ecg[0];
        for (int step = 1; step < tissue->steps; step++) {
            low = ecg[step] < low ? ecg[step] : low;
            high = ecg[step] > high ? ecg[step] : high;
        }
        printf("steps %d\necg from %.6f to %.6f, at last %.6f\nchecksum %016llx\n", tissue->steps, low, high,
               ecg[tissue->steps - 1], (unsigned long long)checksum);
        printf("time %.6f s\n", seconds);
    }
    free(tissue->u);
    free(tissue->next);
    free(tissue->v);
    MPI_Type_free(&tissue->column);
    MPI_Comm_free(&tissue->grid);
    MPI_Finalize();
}

#endif
