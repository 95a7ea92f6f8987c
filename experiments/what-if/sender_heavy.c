/* late-sender by balance, 8 ranks: of each pair the sender has more work than the receiver.  Fixed: equal
 * parts. */
#include "planted.h"

int main(int argc, char **argv)
{
    double values[100] = {0};

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute(3);
#else
        compute(rank % 2 ? 5 : 1);
#endif
        if (rank % 2)
            MPI_Send(values, 100, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(values, 100, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
