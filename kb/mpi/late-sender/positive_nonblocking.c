// test: ranks=2 expect=late-sender duration=0.400 s
// Rank 1 posts MPI_Irecv early and computes 20 ms, but the message starts only 100 ms after that: the time is
// lost in MPI_Wait.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            compute_until_ms(120 * i + 120);
            MPI_Isend(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
        } else {
            MPI_Irecv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
            compute_until_ms(120 * i + 20);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
