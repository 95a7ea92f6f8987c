// test: ranks=3 expect=wait-at-nxn duration=0.800 s
// MPI_Iallreduce with 20 ms of other work before MPI_Wait: not enough, rank 2 starts it 100 ms after that.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank;
    double change = 1, greatest;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 2)
            compute_until_ms(120 * i + 120);
        MPI_Iallreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
        compute_until_ms(120 * i + 20);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
