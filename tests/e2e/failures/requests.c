/* What becomes of request handles: null after their end, inactive when persistent, indices and counts of the
 * some- and any-calls, and a Testsome that blocks (as a Waitsome would) never ends: the message it looks for is
 * sent only after it has returned. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 6 };

static int rank, other;

static void send(int tag)
{
    MPI_Send(&tag, 1, MPI_INT, other, tag, MPI_COMM_WORLD);
}

static void receive(int tag)
{
    MPI_Recv(&tag, 1, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int nulls(const MPI_Request *request)
{
    int found = 0;

    for (int i = 0; i < COUNT; i++)
        found += request[i] == MPI_REQUEST_NULL;
    return found;
}

int main(int argc, char **argv)
{
    MPI_Request request[COUNT], one;
    MPI_Status status[COUNT];
    int value[COUNT] = {0}, indices[COUNT], done, flag, index, sum = 0, seen = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;

    for (int i = 0; i < COUNT; i++)
        MPI_Irecv(&value[i], 1, MPI_INT, other, 10 + i, MPI_COMM_WORLD, &request[i]);
    MPI_Testsome(COUNT, request, &done, indices, status); /* nothing can have come */
    printf("rank %d testsome %d nulls %d\n", rank, done, nulls(request));
    MPI_Testany(COUNT, request, &index, &flag, status);
    printf("rank %d testany %d undefined %d\n", rank, flag, index == MPI_UNDEFINED);
    MPI_Testall(COUNT, request, &flag, status);
    printf("rank %d testall %d\n", rank, flag);
    MPI_Barrier(MPI_COMM_WORLD);
    send(13); /* one of them: the others must not be waited for */
    MPI_Waitsome(COUNT, request, &done, indices, status);
    printf("rank %d waitsome %d index %d tag %d nulls %d\n", rank, done, indices[0], status[0].MPI_TAG, nulls(request));
    MPI_Barrier(MPI_COMM_WORLD); /* a message sent earlier could end the other's Waitsome, too */
    send(10);
    MPI_Waitany(COUNT, request, &index, status);
    printf("rank %d waitany %d tag %d nulls %d\n", rank, index, status[0].MPI_TAG, nulls(request));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < COUNT; i++)
        if (i != 3)
            send(10 + i);
    while (seen < COUNT - 2) {
        MPI_Testsome(COUNT, request, &done, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < done; i++)
            sum += value[indices[i]];
        seen += done == MPI_UNDEFINED ? 1000 : done;
    }
    printf("rank %d testsome seen %d sum %d nulls %d\n", rank, seen, sum, nulls(request));
    MPI_Waitsome(COUNT, request, &done, indices, status);
    MPI_Testany(COUNT, request, &index, &flag, status);
    printf("rank %d all null: waitsome undefined %d, testany %d undefined %d\n", rank, done == MPI_UNDEFINED, flag,
           index == MPI_UNDEFINED);
    MPI_Wait(&request[0], status);
    printf("rank %d wait for null: any source %d\n", rank, status[0].MPI_SOURCE == MPI_ANY_SOURCE);

    MPI_Isend(&rank, 1, MPI_INT, other, 20, MPI_COMM_WORLD, &one);
    receive(20);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    printf("rank %d after wait null %d\n", rank, one == MPI_REQUEST_NULL);
    MPI_Irecv(value, 1, MPI_INT, other, 21, MPI_COMM_WORLD, &one);
    send(21);
    do {
        MPI_Test(&one, &flag, status);
    } while (!flag);
    printf("rank %d after test null %d source %d\n", rank, one == MPI_REQUEST_NULL, status[0].MPI_SOURCE);
    MPI_Irecv(value, 1, MPI_INT, other, 22, MPI_COMM_WORLD, &one);
    send(22);
    do {
        MPI_Request_get_status(one, &flag, status);
    } while (!flag);
    printf("rank %d after get_status null %d\n", rank, one == MPI_REQUEST_NULL);
    MPI_Wait(&one, status);
    MPI_Send_init(&rank, 1, MPI_INT, other, 23, MPI_COMM_WORLD, &request[0]);
    MPI_Recv_init(value, 1, MPI_INT, MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, status);
        printf("rank %d persistent null %d source %d\n", rank, nulls(request), status[1].MPI_SOURCE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
    printf("rank %d freed null %d\n", rank, request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL);
    MPI_Irecv(value, 1, MPI_INT, other, 24, MPI_COMM_WORLD, &one);
    MPI_Cancel(&one);
    MPI_Wait(&one, status);
    MPI_Test_cancelled(status, &flag);
    printf("rank %d cancelled %d null %d\n", rank, flag, one == MPI_REQUEST_NULL);
    MPI_Finalize();
    return 0;
}
