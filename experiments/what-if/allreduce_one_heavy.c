/* wait-at-nxn by balance, 8 ranks: one rank has five times the work of the others.  Fixed: the same work in
 * equal parts.
 */
#include "planted.h"

int main(int argc, char **argv)
{
    double change = 1, greatest;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute((5.0 + 1.0 * (size - 1)) / size);
#else
        compute(rank == 3 ? 5 : 1);
#endif
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
