/* late-sender by balance, 12 ranks: neighbours exchange their borders, and one rank in the middle has more
 * work.  Fixed: equal parts. */
#include "planted.h"

int main(int argc, char **argv)
{
    double mine[500] = {0}, theirs[500];

    begin(&argc, &argv);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < 2 * ROUNDS; i++) {
#ifdef FIXED
        compute((1.0 * (size - 1) + 3) / size);
#else
        compute(rank == 6 ? 3 : 1);
#endif
        MPI_Sendrecv(mine, 500, MPI_DOUBLE, left, 0, theirs, 500, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(mine, 500, MPI_DOUBLE, right, 1, theirs, 500, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
