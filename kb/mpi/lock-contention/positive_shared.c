// test: ranks=4 expect=lock-contention duration=0.800 s
// Ranks 2 and 3 only read and take shared locks; rank 1 writes under an exclusive lock and keeps both waiting
// 100 ms.
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
        compute_until_ms(160 * i + (rank == 1 ? 20 : 40));
        MPI_Win_lock(rank == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window);
        if (rank == 1)
            MPI_Put(&number, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
        else
            MPI_Get(&number, 1, MPI_DOUBLE, 0, 1, 1, MPI_DOUBLE, window);
        if (rank == 1)
            compute_until_ms(160 * i + 140);
        MPI_Win_unlock(0, window);
    }
    compute_until_ms(660);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
