// test: ranks=2 expect=late-receiver duration=0.400 s
// Rank 0 starts a long MPI_Isend and computes 20 ms, but the receive is posted only 100 ms after that: the
// time is lost in the MPI_Wait of the sender.
#include "../timetable.h"

static double numbers[1 << 17];

int main(int argc, char **argv)
{
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            compute_until_ms(140 * i);
            MPI_Isend(numbers, 1 << 17, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
            compute_until_ms(140 * i + 20);
        } else {
            compute_until_ms(140 * i + 120);
            MPI_Irecv(numbers, 1 << 17, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
