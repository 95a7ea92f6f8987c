// test: ranks=3 expect=early-reduce duration=0.400 s
// The root starts MPI_Ireduce early and computes 20 ms, but the others start it 100 ms after that.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, part = 1, sum = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank > 0)
            compute_until_ms(120 * i + 120);
        MPI_Ireduce(&part, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request);
        if (rank == 0)
            compute_until_ms(120 * i + 20);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
