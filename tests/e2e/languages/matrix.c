/* The program that every language has: the same calls with the same arguments.  C and C++. */
#include <mpi.h>
#include <stdio.h>

static int rank, size, next, previous, sum;
static MPI_Comm half;

static void blocking(void)
{
    int out[3] = {rank, rank + 1, rank + 2}, in[3] = {0}, strided[5] = {rank, 0, rank, 0, rank}, count;
    double real[2] = {rank / 2.0, rank / 4.0};
    MPI_Datatype every_other;
    MPI_Status status;

    if (rank % 2 == 0) {
        MPI_Send(out, 3, MPI_INT, next, 7, MPI_COMM_WORLD);
        MPI_Recv(real, 2, MPI_DOUBLE, next, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        sum += status.MPI_SOURCE + status.MPI_TAG + count;
    } else {
        MPI_Recv(in, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(real, 2, MPI_DOUBLE, previous, 8, MPI_COMM_WORLD);
        sum += in[2];
    }
    MPI_Sendrecv(out, 1, MPI_INT, next, 9, in, 1, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(in, 2, MPI_INT, next, 10, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    sum += in[0] + status.MPI_TAG;
    MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 11, MPI_COMM_WORLD);
    MPI_Type_vector(3, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    if (rank % 2 == 0) {
        MPI_Send(strided, 1, every_other, next, 12, MPI_COMM_WORLD);
    } else {
        MPI_Probe(MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, &status);
        MPI_Recv(in, 3, MPI_INT, status.MPI_SOURCE, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += in[2];
    }
    MPI_Type_free(&every_other);
}

static void non_blocking(void)
{
    int out = rank, in[2] = {0}, flag = 0, peer;
    MPI_Request requests[2];
    MPI_Status status;

    MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, next, 20, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_rank(half, &peer);
    peer = 1 - peer;
    MPI_Irecv(&in[1], 1, MPI_INT, peer, 21, half, &requests[0]);
    MPI_Issend(&out, 1, MPI_INT, peer, 21, half, &requests[1]);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    sum += in[0] + in[1] + status.MPI_SOURCE;
    MPI_Irecv(&in[0], 1, MPI_INT, peer, 22, half, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, peer, 22, half, &requests[1]);
    while (!flag)
        MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    sum += in[0];
}

static void persistent(void)
{
    int out = rank, in = 0;
    MPI_Request requests[2];

    MPI_Recv_init(&in, 1, MPI_INT, previous, 30, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, next, 30, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        out = in;
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    sum += in;
}

/* A datatype that holds the address, sent from MPI_BOTTOM. */
static void absolute(void)
{
    int data[2] = {rank, rank}, length = 2;
    MPI_Aint address;
    MPI_Datatype type;

    MPI_Get_address(data, &address);
    MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank % 2 == 0)
        MPI_Send(MPI_BOTTOM, 1, type, next, 40, MPI_COMM_WORLD);
    else
        MPI_Recv(MPI_BOTTOM, 1, type, previous, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    sum += data[1];
}

static void collective(void)
{
    int all[4] = {rank, rank, rank, rank}, other[4] = {0}, one = rank, two[2] = {rank, rank}, counts[4], places[4];
    MPI_Request request;
    MPI_Comm copy;

    for (int i = 0; i < 4; i++)
        counts[i] = 1, places[i] = i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(two, 2, MPI_INT, 1, half);
    sum += two[1];
    if (rank == 0)
        MPI_Reduce(MPI_IN_PLACE, two, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(two, NULL, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, half);
    sum += one;
    if (rank == 2)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 2, MPI_COMM_WORLD);
    else
        MPI_Gather(&one, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 2, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(all, 1, MPI_INT, other, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(&one, 1, MPI_INT, other, counts, places, MPI_INT, MPI_COMM_WORLD);
    sum += other[3];
    if (rank == 1)
        MPI_Scatter(other, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, &one, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scan(&one, two, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    sum += two[0];
    MPI_Iallreduce(MPI_IN_PLACE, all, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_dup(half, &copy);
    MPI_Ibarrier(copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    sum += all[3];
}

static void one_sided(void)
{
    int exposed[2] = {0}, out = rank;
    MPI_Win window;

    MPI_Win_create(exposed, sizeof exposed, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&out, 1, MPI_INT, next, 1, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    sum += exposed[1];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    blocking();
    non_blocking();
    persistent();
    absolute();
    collective();
    one_sided();
    MPI_Comm_free(&half);
    printf("rank %d sum %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
