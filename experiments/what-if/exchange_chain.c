/* late-receiver, 8 ranks: each sends synchronously to the next before it receives, so that the messages of a
 * chain go one after another.  Fixed: all at once by MPI_Irecv, MPI_Isend and MPI_Waitall. */
#include "planted.h"

#define COUNT 20000

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    double *mine = calloc(COUNT, sizeof *mine), *theirs = calloc(COUNT, sizeof *theirs);
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    for (int i = 0; i < ROUNDS; i++) {
        compute(2);
#ifdef FIXED
        MPI_Request requests[2];
        MPI_Irecv(theirs, COUNT, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(mine, COUNT, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#else
        MPI_Ssend(mine, COUNT, MPI_DOUBLE, down, 0, MPI_COMM_WORLD);
        MPI_Recv(theirs, COUNT, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    }
    free(mine);
    free(theirs);
    MPI_Finalize();
    return 0;
}
