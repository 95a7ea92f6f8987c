// test: ranks=3 expect=early-reduce duration=0.400 s
// Rank 1 collects rows of different length, each time 100 ms before the last of them is ready.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, row[3] = {0}, all[6], counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 1 ? 20 : 60 + 30 * rank));
        MPI_Gatherv(row, counts[rank], MPI_INT, all, counts, places, MPI_INT, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
