// test: ranks=3 expect=none planted=0.800 s
// Rank 0 is 100 ms later than the others here too, but they have work to do until the result is there.
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
        if (rank == 0)
            compute_until_ms(140 * i + 100);
        MPI_Iallreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
        compute_until_ms(140 * i + 120);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
