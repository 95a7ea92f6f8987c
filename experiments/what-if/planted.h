/* What the planted programs share.  Each has one problem or two, and under FIXED what a programmer would
 * change; its first line says which type of problem is fixed, with "by balance" where equal parts of work do
 * it. */
#include <stdlib.h>

#include "../../examples/work.h"

#define ROUNDS 10

/* Computes for so many milliseconds of the cluster's cores (../cluster.xml). */
static inline void compute(double ms)
{
    work(ms * 1e6);
}

static int rank, size;

static inline void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}
