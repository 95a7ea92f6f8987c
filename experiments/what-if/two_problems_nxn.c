/* wait-at-nxn by balance, 8 ranks: a late message and a heavy rank before a reduction.  Fixed: the work
 * before the reduction in equal parts; the message stays late. */
#include "planted.h"

int main(int argc, char **argv)
{
    double value = 1, greatest;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank % 2) {
            compute(2);
            MPI_Send(&value, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
#ifdef FIXED
        compute((1.0 * (size - 1) + 6) / size);
#else
        compute(rank == 6 ? 6 : 1);
#endif
        MPI_Allreduce(&value, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
