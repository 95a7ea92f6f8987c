// test: ranks=2 expect=late-sender duration=0.400 s
// A receive prepared once by MPI_Recv_init and started four times.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    if (rank == 0)
        MPI_Send_init(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 0 ? 120 : 20));
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
