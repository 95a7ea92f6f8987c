// test: ranks=2 expect=none planted=0.400 s
// Rank 0 computes 100 ms before each send here too, but rank 1 posts its receive first and has 120 ms of its
// own to compute before it needs the message.
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
            compute_until_ms(120 * i + 100);
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else {
            MPI_Irecv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
            compute_until_ms(120 * i + 120);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
