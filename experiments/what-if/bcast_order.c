/* late-broadcast, 8 ranks: the root does work of its own before it sends what all wait for.  Fixed: sent
 * first. */
#include "planted.h"

int main(int argc, char **argv)
{
    double values[100] = {0};

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifndef FIXED
        if (rank == 0)
            compute(3);
#endif
        MPI_Bcast(values, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#ifdef FIXED
        if (rank == 0)
            compute(3);
#endif
        if (rank != 0)
            compute(3);
    }
    MPI_Finalize();
    return 0;
}
