/* A plate with a given temperature on its edge: the Dirichlet problem that the Jacobi and Gauss-Seidel
 * programs solve.  What all of them share: the plate, its distribution by rows, checking and printing.
 *
 * The plate is a mesh of points (i, j), row i and column j, each the mean of its four neighbours once the
 * problem is solved.  Inside are rows 1 .. rows(plate) and, in row i, columns 1 .. width(plate, i); all other
 * points are edge.  On the edge u = x^2 - y^2, and this is the solution inside as well. */
#ifndef PLATE_H
#define PLATE_H

#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

/* Operations of floating point for one point: four for the mean of its neighbours, three for the greatest
 * change. */
#define POINT_WORK 7.0

enum shape { SQUARE, TRIANGLE };

struct plate {
    enum shape shape;
    int n;            /* points inside along a side */
    int iterations;   /* at most */
    double tolerance; /* the greatest change of a point in one iteration that counts as none */
    int rank, size;
    int first, last; /* the rows of this rank; rows first - 1 and last + 1 are edge or the neighbours' */
    double begin;
};

static inline int rows(const struct plate *plate)
{
    return plate->shape == TRIANGLE ? plate->n - 1 : plate->n;
}

static inline int width(const struct plate *plate, int i)
{
    return plate->shape == TRIANGLE ? plate->n - i : plate->n;
}

/* Row i in a mesh of this rank's rows. */
static inline double *row(const struct plate *plate, double *mesh, int i)
{
    return mesh + (size_t)(i - plate->first + 1) * (size_t)(plate->n + 2);
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline double solution(const struct plate *plate, int i, int j)
{
    double x = (double)j / (plate->n + 1), y = (double)i / (plate->n + 1);
    return x * x - y * y;
}

/* Starts MPI and reads the command line: POINTS [ITERATIONS [TOLERANCE]]. */
static inline struct plate plate_begin(int *argc, char ***argv, enum shape shape, int n, int iterations)
{
    struct plate plate = {.shape = shape, .n = n, .iterations = iterations, .tolerance = 1e-7};
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &plate.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &plate.size);
    if (*argc > 1)
        plate.n = atoi((*argv)[1]);
    if (*argc > 2)
        plate.iterations = atoi((*argv)[2]);
    if (*argc > 3)
        plate.tolerance = atof((*argv)[3]);
    if (rows(&plate) < 2 * plate.size || plate.n > 30000) {
        if (plate.rank == 0)
            fprintf(stderr, "usage: %s [POINTS [ITERATIONS [TOLERANCE]]], with two rows for each rank\n",
                    (*argv)[0]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    plate.begin = MPI_Wtime();
    return plate;
}

/* A mesh for the rows of this rank: the edge as given, zero inside. */
static inline double *plate_mesh(const struct plate *plate)
{
    double *mesh = malloc((size_t)(plate->last - plate->first + 3) * (size_t)(plate->n + 2) * sizeof *mesh);
    if (!mesh)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = plate->first - 1; i <= plate->last + 1; i++) {
        int inside = i >= 1 && i <= rows(plate) ? width(plate, i) : 0;
        for (int j = 0; j <= plate->n + 1; j++)
            row(plate, mesh, i)[j] = j >= 1 && j <= inside ? 0 : solution(plate, i, j);
    }
    return mesh;
}

/* Prints how it ended and ends MPI.  The checksum does not depend on the distribution: it is the sum of the
 * bits of all values. */
static inline void plate_end(const struct plate *plate, double *mesh, int iterations, double change)
{
    double seconds = MPI_Wtime() - plate->begin, error = 0, greatest_error;
    uint64_t sum = 0, checksum, bits;
    for (int i = plate->first; i <= plate->last; i++) {
        for (int j = 1; j <= width(plate, i); j++) {
            memcpy(&bits, &row(plate, mesh, i)[j], sizeof bits);
            sum += bits;
            error = greater(error, fabs(row(plate, mesh, i)[j] - solution(plate, i, j)));
        }
    }
    MPI_Reduce(&error, &greatest_error, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &checksum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (plate->rank == 0) {
        printf("iterations %d\nchange %.3e\nerror %.3e\nchecksum %016llx\n", iterations, change,
               greatest_error, (unsigned long long)checksum);
        printf("time %.6f s\n", seconds);
    }
    MPI_Finalize();
}

#endif
