// test: ranks=2 expect=late-sender duration=0.400 s
// Rank 1 asks for the size of the next message first: MPI_Probe waits for the sender, MPI_Recv does not.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, numbers[8] = {0}, count;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            compute_until_ms(120 * i + 120);
            MPI_Send(numbers, i + 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else {
            compute_until_ms(120 * i + 20);
            MPI_Probe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Recv(numbers, count, MPI_INT, status.MPI_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
