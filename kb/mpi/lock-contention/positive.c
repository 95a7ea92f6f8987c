// test: ranks=3 expect=lock-contention duration=0.400 s
// Rank 1 computes 120 ms while it holds the lock of rank 0's memory; rank 2 asks for it 20 ms after rank 1.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank;
    double memory[10] = {0}, number = 1;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    timetable_begin();
    if (rank == 0)
        serve_until_ms(640);
    for (int i = 0; i < 4 && rank > 0; i++) {
        compute_until_ms(160 * i + 20 * rank);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&number, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, window);
        if (rank == 1)
            compute_until_ms(160 * i + 140);
        MPI_Win_unlock(0, window);
    }
    compute_until_ms(660);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
