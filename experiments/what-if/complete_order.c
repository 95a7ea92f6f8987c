/* early-wait, 8 ranks: the origin works between its access and its end, and the target waits for the end.
 * Fixed: ended before the work. */
#include "planted.h"

int main(int argc, char **argv)
{
    double memory[100] = {0}, values[100] = {0};
    MPI_Win window;
    MPI_Group world, other;

    begin(&argc, &argv);
    int partner = rank ^ 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &partner, &other);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank % 2) {
            MPI_Win_post(other, 0, window);
            MPI_Win_wait(window);
            compute(3);
        } else {
            MPI_Win_start(other, 0, window);
            MPI_Put(values, 100, MPI_DOUBLE, partner, 0, 100, MPI_DOUBLE, window);
#ifdef FIXED
            MPI_Win_complete(window);
            compute(3);
#else
            compute(3);
            MPI_Win_complete(window);
#endif
        }
    }
    MPI_Win_free(&window);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
