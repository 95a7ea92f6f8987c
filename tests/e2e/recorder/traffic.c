/* Point-to-point traffic whose trace is weighed: an 8-byte ping-pong of ranks 0 and 1, a halo exchange of all
 * ranks with four neighbours on a ring, or tests for a message that does not come. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void ping_pong(int rank, int rounds)
{
    double value = 1;
    for (int i = 0; i < rounds && rank < 2; i++) {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
}

static void halo(int rank, int size, int rounds)
{
    static double out[4][1000], in[4][1000];
    int shift[4] = {1, size - 1, 2, size - 2};
    MPI_Request requests[8];
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 4; k++)
            MPI_Irecv(in[k], 1000, MPI_DOUBLE, (rank + size - shift[k]) % size, k, MPI_COMM_WORLD, &requests[k]);
        for (int k = 0; k < 4; k++)
            MPI_Isend(out[k], 1000, MPI_DOUBLE, (rank + shift[k]) % size, k, MPI_COMM_WORLD, &requests[4 + k]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
}

/* Calls that leave no record. */
static void tests_in_vain(int rank, int rounds)
{
    MPI_Request request;
    int value = 1, flag;
    MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < rounds; i++)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size, rounds = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(argv[1], "halo") == 0)
        halo(rank, size, rounds);
    else if (strcmp(argv[1], "ping-pong") == 0)
        ping_pong(rank, rounds);
    else
        tests_in_vain(rank, rounds);
    printf("rank %d done\n", rank);
    MPI_Finalize();
    return 0;
}
