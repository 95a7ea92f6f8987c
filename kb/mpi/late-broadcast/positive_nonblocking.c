// test: ranks=3 expect=late-broadcast duration=0.800 s
// The others start MPI_Ibcast early and compute 20 ms, but the root starts it 100 ms after that.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, parameters[4] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0)
            compute_until_ms(120 * i + 120);
        MPI_Ibcast(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD, &request);
        if (rank > 0)
            compute_until_ms(120 * i + 20);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
