// test: ranks=2 expect=none planted=0.400 s
// One window for all steps, made before the ranks' work begins to differ: rank 0 computes 100 ms longer.
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
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 0 ? 120 : 20));
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
        MPI_Put(&number, 1, MPI_DOUBLE, rank, i, 1, MPI_DOUBLE, window);
        MPI_Win_unlock(rank, window);
    }
    compute_until_ms(520);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
