// test: ranks=3 expect=late-sender duration=0.400 s
// Rank 0 waits in one MPI_Waitall for two late messages, 60 ms and 100 ms late: it loses 100 ms, not 160 ms.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, number[2] = {0, 0};
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            MPI_Irecv(&number[0], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(&number[1], 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &requests[1]);
            compute_until_ms(120 * i + 20);
            MPI_Waitall(2, requests, statuses);
        } else {
            compute_until_ms(120 * i + 40 + 40 * rank);
            MPI_Send(number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
