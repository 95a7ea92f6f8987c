// test: ranks=3 expect=late-broadcast duration=0.600 s
// Rank 2 hands out rows of different length, 100 ms after rank 0 and 50 ms after rank 1 asked for theirs.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, row[3], all[6] = {0}, counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + 20 + 50 * rank);
        MPI_Scatterv(all, counts, places, MPI_INT, row, counts[rank], MPI_INT, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
