/* wait-at-nxn by balance, 8 ranks: rank 0 also keeps the books, between two exchanges of all with all. Fixed:
 * each keeps its own. */
#include "planted.h"

#define COUNT 1000

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    double *out = calloc((size_t)(COUNT * size), sizeof *out),
           *in = calloc((size_t)(COUNT * size), sizeof *in);
    for (int i = 0; i < ROUNDS; i++) {
        compute(2);
#ifdef FIXED
        compute(6.0 / size);
#else
        if (rank == 0)
            compute(6);
#endif
        MPI_Alltoall(out, COUNT, MPI_DOUBLE, in, COUNT, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
