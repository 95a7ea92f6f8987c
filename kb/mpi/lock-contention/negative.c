// test: ranks=3 expect=none planted=0.400 s
// Locks are held 100 ms here too: at the same time where they are shared, one after the other where they are
// exclusive.
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
        serve_until_ms(1040);
    for (int i = 0; i < 4 && rank > 0; i++) {
        int exclusive = i % 2;
        int begin = 260 * i + 20 + (exclusive ? 120 * (rank - 1) : 0);
        compute_until_ms(begin);
        MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window);
        MPI_Get(&number, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
        compute_until_ms(begin + 100);
        MPI_Win_unlock(0, window);
    }
    compute_until_ms(1060);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
