// test: ranks=3 expect=late-post duration=0.400 s
// Rank 0 puts into the memory of ranks 1 and 2, which expose it 60 ms and 100 ms after its MPI_Win_start: it
// waits for the last of them, 100 ms.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, origin = 0, targets[2] = {1, 2};
    double memory[10] = {0}, number = 1;
    MPI_Win window;
    MPI_Group world, origins, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &origin, &origins);
    MPI_Group_incl(world, 2, targets, &both);
    timetable_begin();
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(160 * i + (rank == 0 ? 20 : 40 + 40 * rank));
        if (rank == 0) {
            MPI_Win_start(both, 0, window);
            MPI_Put(&number, 1, MPI_DOUBLE, 1, i, 1, MPI_DOUBLE, window);
            MPI_Put(&number, 1, MPI_DOUBLE, 2, i, 1, MPI_DOUBLE, window);
            MPI_Win_complete(window);
        } else {
            MPI_Win_post(origins, 0, window);
            compute_until_ms(160 * i + 140);
            MPI_Win_wait(window);
        }
    }
    compute_until_ms(660);
    MPI_Win_free(&window);
    MPI_Group_free(&both);
    MPI_Group_free(&origins);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
