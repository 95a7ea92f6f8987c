// test: ranks=3 expect=wait-at-barrier duration=0.800 s
// Rank 2 comes to each of four barriers 100 ms after the others.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 2 ? 120 : 20));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
