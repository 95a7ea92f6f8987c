/* late-sender, 4 ranks: rank 1 waits for rank 0, but rank 2 takes longer than both.  Fixed: rank 0 sends
 * first, and nothing is gained. */
#include "planted.h"

int main(int argc, char **argv)
{
    double value = 0;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 0) {
#ifdef FIXED
            MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            compute(3);
#else
            compute(3);
            MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
#endif
        } else if (rank == 1) {
            MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute(1);
        } else {
            compute(6);
        }
    }
    MPI_Finalize();
    return 0;
}
