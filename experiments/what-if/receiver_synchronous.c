/* late-receiver, 4 ranks: the sender of a synchronous message waits until the receiver has done its work.
 * Fixed: the receive is posted before the work. */
#include "planted.h"

int main(int argc, char **argv)
{
    double values[1000] = {0};
    MPI_Request request;

    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank % 2 == 0) {
            MPI_Ssend(values, 1000, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
            compute(3);
        } else {
#ifdef FIXED
            MPI_Irecv(values, 1000, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, &request);
            compute(3);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
            (void)request;
            compute(3);
            MPI_Recv(values, 1000, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
        }
    }
    MPI_Finalize();
    return 0;
}
