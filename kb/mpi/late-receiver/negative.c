// test: ranks=2 expect=none planted=0.400 s
// The receives come 100 ms late here too.  A message of one number is buffered and its send does not wait; a
// long one is sent by MPI_Isend and completed after the sender's own 120 ms of computing.
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
        int count = i % 2 ? 1 << 17 : 1;
        compute_until_ms(140 * i + (rank == 0 ? 0 : 100));
        if (rank == 0) {
            MPI_Isend(numbers, count, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD, &request);
            if (count == 1)
                MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(numbers, count, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, &request);
        }
        compute_until_ms(140 * i + 120);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
