// test: ranks=2 expect=late-receiver duration=0.400 s
// An ordinary MPI_Send: a message of one megabyte is too long to be buffered, so the send waits too.
#include "../timetable.h"

static double numbers[1 << 17];

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            compute_until_ms(140 * i + 20);
            MPI_Send(numbers, 1 << 17, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
        } else {
            compute_until_ms(140 * i + 120);
            MPI_Recv(numbers, 1 << 17, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
