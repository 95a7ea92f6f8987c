/* late-sender, 8 ranks: the data for the other is ready, but sent only after work that does not concern it;
 * the receiver then works as long.  Fixed: sent first. */
#include "planted.h"

int main(int argc, char **argv)
{
    double values[100] = {0};

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank % 2) {
#ifdef FIXED
            MPI_Send(values, 100, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
            compute(4);
#else
            compute(4);
            MPI_Send(values, 100, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
#endif
            MPI_Recv(values, 100, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(values, 100, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            compute(4);
            MPI_Send(values, 100, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
