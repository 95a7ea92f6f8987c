/* early-reduce by balance, 8 ranks: the root has less to do than those that it waits for.  Fixed: equal
 * parts. */
#include "planted.h"

int main(int argc, char **argv)
{
    double part = 1, sum;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute((0.5 + 3.0 * (size - 1)) / size);
#else
        compute(rank == 0 ? 0.5 : 3);
#endif
        MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
