// test: ranks=3 expect=late-sender duration=0.600 s
// A wave front: each rank computes 100 ms, but only after the rank before it has sent its result.  Rank 1
// waits 100 ms and rank 2 waits 200 ms for each of two waves.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, size, row = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int wave = 0; wave < 2; wave++) {
        compute_until_ms(320 * wave + 20);
        if (rank > 0)
            MPI_Recv(&row, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute_until_ms(320 * wave + 20 + 100 * (rank + 1));
        if (rank < size - 1)
            MPI_Send(&row, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
