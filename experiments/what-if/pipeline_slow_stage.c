/* late-sender by balance, 6 ranks: items pass through a chain of stages of which one is three times slower.
 * Fixed: stages of equal work. */
#include "planted.h"

#define ITEMS 40

int main(int argc, char **argv)
{
    double item[200] = {0};

    begin(&argc, &argv);
    for (int i = 0; i < ITEMS; i++) {
        if (rank > 0)
            MPI_Recv(item, 200, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
        compute((1.0 * (size - 1) + 3.0) / size);
#else
        compute(rank == 2 ? 3 : 1);
#endif
        if (rank < size - 1)
            MPI_Send(item, 200, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
