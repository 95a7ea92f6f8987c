/* late-broadcast by balance, 8 ranks: the root alone prepares the data of all before it scatters it.  Fixed:
 * each prepares its part, what is scattered are only the parameters. */
#include "planted.h"

int main(int argc, char **argv)
{
    double all[100 * 16] = {0}, mine[100];

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifndef FIXED
        if (rank == 0)
            compute(4);
#endif
        MPI_Scatter(all, 100, MPI_DOUBLE, mine, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#ifdef FIXED
        compute(4.0 / size);
#endif
        compute(2);
    }
    MPI_Finalize();
    return 0;
}
