/* Very many messages: "blocking" as Send and Recv, else as Isend and Irecv completed by Waitall. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 1000, AT_ONCE = 100 };

int main(int argc, char **argv)
{
    MPI_Request request[2 * AT_ONCE];
    int out[AT_ONCE], in[AT_ONCE], rank, other;
    long sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < AT_ONCE; i++)
            out[i] = round + i;
        if (strcmp(argv[1], "blocking") == 0) {
            for (int turn = 0; turn < 2; turn++)
                for (int i = 0; i < AT_ONCE; i++)
                    if (turn == rank)
                        MPI_Send(&out[i], 1, MPI_INT, other, 1, MPI_COMM_WORLD);
                    else
                        MPI_Recv(&in[i], 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            for (int i = 0; i < AT_ONCE; i++) {
                MPI_Irecv(&in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &request[i]);
                MPI_Isend(&out[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &request[AT_ONCE + i]);
            }
            MPI_Waitall(2 * AT_ONCE, request, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < AT_ONCE; i++)
            sum += in[i];
    }
    printf("rank %d sum %ld\n", rank, sum);
    MPI_Finalize();
    return 0;
}
