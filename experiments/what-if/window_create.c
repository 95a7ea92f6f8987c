/* wait-at-window-create by balance, 8 ranks: windows are made anew in each round, and all wait for the rank
 * with the most work.  Fixed: equal parts. */
#include "planted.h"

int main(int argc, char **argv)
{
    double memory = 0;
    MPI_Win window;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute((1.0 * (size - 1) + 4) / size);
#else
        compute(rank == size - 1 ? 4 : 1);
#endif
        MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_free(&window);
    }
    MPI_Finalize();
    return 0;
}
