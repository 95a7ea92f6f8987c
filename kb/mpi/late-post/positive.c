// test: ranks=2 expect=late-post duration=0.400 s
// Rank 1 opens its access 100 ms before rank 0 exposes its memory.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, other;
    double memory[10] = {0}, number = 1;
    MPI_Win window;
    MPI_Group world, partner;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &partner);
    timetable_begin();
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(160 * i + (rank == 0 ? 120 : 20));
        if (rank == 0) {
            MPI_Win_post(partner, 0, window);
            compute_until_ms(160 * i + 140);
            MPI_Win_wait(window);
        } else {
            MPI_Win_start(partner, 0, window);
            MPI_Put(&number, 1, MPI_DOUBLE, 0, i, 1, MPI_DOUBLE, window);
            MPI_Win_complete(window);
        }
    }
    compute_until_ms(660);
    MPI_Win_free(&window);
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
