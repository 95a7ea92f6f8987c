/* lock-contention, 6 ranks: a rank computes while it holds the lock that the others want.  Fixed: computed
 * before the lock is taken. */
#include "planted.h"

int main(int argc, char **argv)
{
    double memory = 0, one = 1;
    MPI_Win window;

    begin(&argc, &argv);
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute(1);
#endif
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
#ifndef FIXED
        compute(1);
#endif
        MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        compute(2);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
