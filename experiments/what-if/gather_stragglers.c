/* early-reduce by balance, 16 ranks: the root collects from all, and two of them come late since they have
 * three times the work.  Then it sends out the next step.  Fixed: equal parts. */
#include "planted.h"

int main(int argc, char **argv)
{
    double part[8] = {0}, all[8 * 16], next = 0;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute((2.0 * (size - 2) + 6.0 * 2) / size);
#else
        compute(rank == 5 || rank == 11 ? 6 : 2);
#endif
        MPI_Gather(part, 8, MPI_DOUBLE, all, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Bcast(&next, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
