/* wait-at-nxn by balance, 8 ranks: the first half of the ranks waits for its heaviest, but the other half
 * takes longer anyhow.  Fixed: the first half's work in equal parts, and nothing is gained. */
#include "planted.h"

int main(int argc, char **argv)
{
    double change = 1, greatest;
    MPI_Comm group;

    begin(&argc, &argv);
    int second = rank >= size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, second, rank, &group);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute(second ? 5 : (4 + 1.0 * (size / 2 - 1)) / (size / 2));
#else
        compute(second ? 5 : rank == 0 ? 4 : 1);
#endif
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, group);
    }
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
