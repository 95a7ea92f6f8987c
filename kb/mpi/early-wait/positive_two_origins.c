// test: ranks=3 expect=early-wait duration=0.400 s
// Ranks 1 and 2 put into the memory of rank 0 and complete 60 ms and 100 ms after it began to wait: it waits
// for the last of them, 100 ms.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, target = 0, origins[2] = {1, 2};
    double memory[10] = {0}, number = 1;
    MPI_Win window;
    MPI_Group world, targets, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &target, &targets);
    MPI_Group_incl(world, 2, origins, &both);
    timetable_begin();
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(140 * i + (rank == 0 ? 20 : 40));
        if (rank == 0) {
            MPI_Win_post(both, 0, window);
            MPI_Win_wait(window);
        } else {
            MPI_Win_start(targets, 0, window);
            MPI_Put(&number, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
            compute_until_ms(140 * i + 40 + 40 * rank);
            MPI_Win_complete(window);
        }
    }
    compute_until_ms(580);
    MPI_Win_free(&window);
    MPI_Group_free(&both);
    MPI_Group_free(&targets);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
