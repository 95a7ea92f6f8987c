/* Every way to send, receive, probe and complete, between the two ranks of pairs; peers are numbered
 * backwards in the communicator, so that a rank of it is never one of MPI_COMM_WORLD.  Prints a checksum. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int sum;

/* One message of `tag` ints from the lower rank of the communicator to the higher. */
static void receive(MPI_Comm comm, int tag)
{
    int value[64] = {0};
    MPI_Recv(value, 64, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
    sum += value[0];
}

static void blocking(MPI_Comm comm, int me)
{
    static char buffer[4096 + 512]; /* more than MPI_BSEND_OVERHEAD */
    int value[64] = {1}, size = sizeof buffer;
    void *attached = buffer;

    if (me == 0) {
        MPI_Buffer_attach(buffer, size);
        MPI_Send(value, 1, MPI_INT, 1, 1, comm);
        MPI_Bsend(value, 2, MPI_INT, 1, 2, comm);
        MPI_Ssend(value, 3, MPI_INT, 1, 3, comm);
        MPI_Recv(NULL, 0, MPI_INT, 1, 9, comm, MPI_STATUS_IGNORE);
        MPI_Rsend(value, 4, MPI_INT, 1, 4, comm);
        MPI_Buffer_detach(&attached, &size);
    } else {
        MPI_Request request;
        receive(comm, 1);
        receive(comm, 2);
        receive(comm, 3);
        MPI_Irecv(value, 64, MPI_INT, MPI_ANY_SOURCE, 4, comm, &request);
        MPI_Send(NULL, 0, MPI_INT, 0, 9, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += value[0];
    }
    MPI_Send(value, 1, MPI_INT, MPI_PROC_NULL, 5, comm);
    MPI_Recv(value, 1, MPI_INT, MPI_PROC_NULL, 5, comm, MPI_STATUS_IGNORE);
}

/* As programs on a mesh do at its edges. */
static void nobody(MPI_Comm comm)
{
    int value = 1;
    MPI_Request request[4];

    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 6, comm, &request[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 6, comm, &request[1]);
    MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 6, comm, &request[2]);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 6, comm, &request[3]);
    MPI_Startall(2, &request[2]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Request_free(&request[2]);
    MPI_Request_free(&request[3]);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 6, &value, 1, MPI_INT, MPI_PROC_NULL, 6, comm,
                 MPI_STATUS_IGNORE);
}

static void exchanges(MPI_Comm comm, int me)
{
    int out = me + 1, in = 0;

    MPI_Sendrecv(&out, 1, MPI_INT, 1 - me, 10, &in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
                 MPI_STATUS_IGNORE);
    sum += in;
    MPI_Sendrecv_replace(&out, 1, MPI_INT, 1 - me, 11, 1 - me, 11, comm, MPI_STATUS_IGNORE);
    sum += out;
}

/* Four receives and four sends in flight, completed together, one by one and in parts. */
static void completions(MPI_Comm comm, int me)
{
    int out[4] = {1, 2, 3, 4}, in[4] = {0}, index, count, flag = 0, indices[8];
    MPI_Request request[9];
    MPI_Status statuses[9];

    for (int way = 0; way < 7; way++) {
        int left = 8, tag = 20 + way;
        for (int i = 0; i < 4; i++) {
            MPI_Irecv(&in[i], 1, MPI_INT, 1 - me, tag, comm, &request[i]);
            MPI_Isend(&out[i], 1, MPI_INT, 1 - me, tag, comm, &request[4 + i]);
        }
        request[8] = MPI_REQUEST_NULL;
        if (way == 0)
            MPI_Waitall(9, request, MPI_STATUSES_IGNORE);
        else if (way == 1)
            MPI_Waitall(9, request, statuses);
        else if (way == 2)
            for (flag = 0; !flag;)
                MPI_Testall(9, request, &flag, MPI_STATUSES_IGNORE);
        else if (way == 3)
            for (; left > 0; left--)
                MPI_Waitany(9, request, &index, MPI_STATUS_IGNORE);
        else if (way == 4)
            while (left > 0) {
                MPI_Waitsome(9, request, &count, indices, MPI_STATUSES_IGNORE);
                left -= count;
            }
        else if (way == 5)
            for (left = 8; left > 0; left -= flag)
                MPI_Testany(9, request, &index, &flag, MPI_STATUS_IGNORE);
        else
            while (left > 0) {
                MPI_Testsome(9, request, &count, indices, statuses);
                left -= count;
            }
        for (int i = 0; i < 4; i++)
            sum += in[i];
    }
    MPI_Waitany(1, &request[8], &index, MPI_STATUS_IGNORE);
    MPI_Waitsome(1, &request[8], &count, indices, MPI_STATUSES_IGNORE);
    MPI_Wait(&request[8], MPI_STATUS_IGNORE);
    MPI_Waitall(0, request, MPI_STATUSES_IGNORE);
    MPI_Isend(out, 1, MPI_INT, 1 - me, 30, comm, request);
    MPI_Irecv(in, 1, MPI_INT, 1 - me, 30, comm, request + 1);
    for (flag = 0; !flag;)
        MPI_Test(request + 1, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm, int me)
{
    int out = 5, in = 0;
    MPI_Request request[2];

    MPI_Send_init(&out, 1, MPI_INT, 1 - me, 40, comm, &request[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - me, 40, comm, &request[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, request);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        sum += in;
    }
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* inactive */
    MPI_Start(&request[1]);
    MPI_Start(&request[0]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void probes(MPI_Comm comm, int me)
{
    int value = 6, count, flag = 0;
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;

    if (me == 0) {
        for (int tag = 50; tag < 54; tag++)
            MPI_Send(&value, 1, MPI_INT, 1, tag, comm);
        return;
    }
    MPI_Probe(MPI_ANY_SOURCE, 50, comm, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    sum += count;
    receive(comm, 50);
    MPI_Mprobe(MPI_ANY_SOURCE, 51, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    sum += value;
    while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, 52, comm, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += value;
    for (flag = 0; !flag;)
        MPI_Iprobe(MPI_ANY_SOURCE, 53, comm, &flag, MPI_STATUS_IGNORE);
    receive(comm, 53);
    MPI_Mprobe(MPI_PROC_NULL, 53, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void cancelled_and_freed(MPI_Comm comm, int me)
{
    int value = 7;
    MPI_Request request;

    MPI_Irecv(&value, 1, MPI_INT, 1 - me, 60, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 0) {
        MPI_Issend(&value, 1, MPI_INT, 1, 61, comm, &request);
        MPI_Request_free(&request);
    } else {
        receive(comm, 61);
    }
    MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int rank, size, me;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &comm);
    MPI_Comm_rank(comm, &me);
    blocking(comm, me);
    nobody(comm);
    exchanges(comm, me);
    completions(comm, me);
    persistent(comm, me);
    probes(comm, me);
    cancelled_and_freed(comm, me);
    MPI_Comm_free(&comm);
    printf("rank %d sum %d\n", rank, sum);
    MPI_Finalize();
    return rank == 2 ? 3 : 0;
}
