/* late-sender, 8 ranks: each rank needs the row above as this iteration makes it, so one works at a time.
 * Fixed: two colours, each half of the work with an exchange on both sides. */
#include "planted.h"

#define COUNT 500

int main(int argc, char **argv)
{
    double row[COUNT] = {0}, above[COUNT], below[COUNT], change = 1, greatest;

    begin(&argc, &argv);
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        for (int colour = 0; colour < 2; colour++) {
            MPI_Request requests[4];
            compute(1);
            MPI_Irecv(above, COUNT, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(below, COUNT, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Isend(row, COUNT, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[2]);
            MPI_Isend(row, COUNT, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        }
#else
        MPI_Send(row, COUNT, MPI_DOUBLE, up, 0, MPI_COMM_WORLD);
        MPI_Recv(below, COUNT, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(above, COUNT, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(2);
        MPI_Send(row, COUNT, MPI_DOUBLE, down, 1, MPI_COMM_WORLD);
#endif
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
