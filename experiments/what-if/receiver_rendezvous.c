/* late-receiver by balance, 8 ranks: a long message waits for its receiver, who has more work than the
 * sender.  Fixed: equal parts. */
#include "planted.h"

#define COUNT 50000

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    double *values = calloc(COUNT, sizeof *values);
    for (int i = 0; i < ROUNDS; i++) {
        int other = (rank + size / 2) % size; /* on another node */
#ifdef FIXED
        compute(5);
#else
        compute(rank < size / 2 ? 2 : 8);
#endif
        if (rank < size / 2)
            MPI_Send(values, COUNT, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(values, COUNT, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    free(values);
    MPI_Finalize();
    return 0;
}
