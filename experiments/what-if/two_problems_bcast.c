/* late-broadcast, 8 ranks: the root sends late, and later all wait at a barrier for rank 5.  Fixed: sent
 * first; rank 5 still has more to do. */
#include "planted.h"

int main(int argc, char **argv)
{
    double value = 0;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifndef FIXED
        if (rank == 0)
            compute(2);
#endif
        MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#ifdef FIXED
        if (rank == 0)
            compute(2);
#endif
        if (rank != 0)
            compute(rank == 5 ? 4 : 2);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
