/* Traffic whose matrix is known by hand, on four ranks; each phase (MPI_Pcontrol) has one family of calls.  All counts are
 * of ints.  test_exchange.py has the matrices. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

static int rank, size, out[4096], in[4096];
static MPI_Comm world = MPI_COMM_WORLD;
#define NONE MPI_STATUS_IGNORE

static void wait_for(MPI_Request request)
{
    MPI_Wait(&request, NONE);
}

static void messages(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Datatype strided;
    MPI_Request request, persistent;

    MPI_Type_vector(5, 2, 3, MPI_INT, &strided); /* 10 ints, 40 bytes */
    MPI_Type_commit(&strided);
    MPI_Irecv(in, 4096, MPI_INT, left, MPI_ANY_TAG, world, &request);
    MPI_Send(out, rank + 1, MPI_INT, right, 1, world);
    MPI_Wait(&request, NONE);
    MPI_Irecv(in, 10, MPI_INT, left, 2, world, &request);
    MPI_Ssend(out, 1, strided, right, 2, world);
    MPI_Wait(&request, NONE);
    MPI_Send_init(out, 3, MPI_INT, right, 3, world, &persistent);
    for (int i = 0; i < 4; i++) {
        MPI_Irecv(in, 3, MPI_INT, left, 3, world, &request);
        MPI_Start(&persistent);
        MPI_Wait(&persistent, NONE);
        MPI_Wait(&request, NONE);
    }
    MPI_Request_free(&persistent);
    MPI_Sendrecv(out, 2, MPI_INT, rank, 4, in, 2, MPI_INT, rank, 4, world, NONE); /* to itself */
    MPI_Send(out, 9, MPI_INT, MPI_PROC_NULL, 5, world);
    MPI_Type_free(&strided);
}

static void one_to_all(void)
{
    int counts[] = {1, 2, 3, 4}, places[] = {0, 1, 3, 6};
    MPI_Request request;

    MPI_Bcast(out, 10, MPI_INT, 1, world);
    MPI_Ibcast(out, 5, MPI_INT, 0, world, &request);
    wait_for(request);
    MPI_Scatter(out, 2, MPI_INT, rank == 3 ? MPI_IN_PLACE : in, 2, MPI_INT, 3, world);
    MPI_Scatterv(out, counts, places, MPI_INT, in, rank + 1, MPI_INT, 2, world);
}

static void all_to_one(void)
{
    int counts[] = {1, 2, 3, 4}, places[] = {0, 1, 3, 6};
    MPI_Request request;

    MPI_Gather(rank == 3 ? MPI_IN_PLACE : (void *)out, 3, MPI_INT, in, 3, MPI_INT, 3, world);
    MPI_Gatherv(out, rank + 1, MPI_INT, in, counts, places, MPI_INT, 0, world);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : (void *)out, in, 5, MPI_INT, MPI_SUM, 0, world);
    MPI_Ireduce(out, in, 1, MPI_INT, MPI_SUM, 2, world, &request);
    wait_for(request);
}

static void all_to_all(void)
{
    int counts[] = {1, 2, 3, 4}, places[] = {0, 1, 3, 6};

    MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_INT, MPI_SUM, world);
    MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, world);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, in, counts, places, MPI_INT, world);
    MPI_Alltoall(out, 3, MPI_INT, in, 3, MPI_INT, world);
}

/* Rank r gives i ints to rank i and one more for each rank below it, but none to rank 0; `same` gives (r + i). */
static int given(int from, int to)
{
    return to == 0 ? 0 : from + to;
}

static void vectors(void)
{
    int gives[4], takes[4], out_at[4], in_at[4], both[4], bytes_out[4], bytes_in[4];
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    MPI_Request request;

    for (int i = 0; i < size; i++) {
        gives[i] = given(rank, i);
        takes[i] = given(i, rank);
        both[i] = rank + i;
        out_at[i] = in_at[i] = 100 * i;
        bytes_out[i] = bytes_in[i] = 400 * i;
    }
    MPI_Alltoallv(out, gives, out_at, MPI_INT, in, takes, in_at, MPI_INT, world);
    MPI_Ialltoallv(out, gives, out_at, MPI_INT, in, takes, in_at, MPI_INT, world, &request);
    wait_for(request);
    MPI_Alltoallw(out, gives, bytes_out, types, in, takes, bytes_in, types, world);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, in, both, in_at, MPI_INT, world);
}

static void scattered_and_prefixes(void)
{
    int counts[] = {1, 2, 3, 4};
    MPI_Request request;

    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, world);
    MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, world);
    MPI_Ireduce_scatter(out, in, counts, MPI_INT, MPI_SUM, world, &request);
    wait_for(request);
    MPI_Scan(out, in, 6, MPI_INT, MPI_SUM, world);
    MPI_Exscan(out, in, 1, MPI_INT, MPI_SUM, world);
}

/* Ranks 3, 1 and 2, 0, in these orders. */
static void halves(void)
{
    int counts[2] = {5, 7}, places[2] = {0, 10}, takes[2];
    MPI_Comm half;
    int own;

    MPI_Comm_split(world, rank % 2, size - rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Bcast(out, 2, MPI_INT, 0, half);
    MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, half);
    takes[0] = takes[1] = counts[own];
    MPI_Alltoallv(out, counts, places, MPI_INT, in, takes, places, MPI_INT, half);
    MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, 1, half);
    MPI_Comm_free(&half);
}

/* Rank 0 on one side, 1, 2 and 3 on the other. */
static void two_groups(void)
{
    int inner = rank > 0, counts[3] = {1, 2, 3}, places[3] = {0, 10, 20}, one[1] = {rank}, at[1] = {0};
    MPI_Comm own, both;

    MPI_Comm_split(world, inner, rank, &own);
    MPI_Intercomm_create(own, 0, world, inner ? 0 : 1, 9, &both);
    MPI_Bcast(out, 5, MPI_INT, inner ? 0 : MPI_ROOT, both);
    MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, inner ? 0 : MPI_ROOT, both);
    MPI_Allgather(out, inner ? 4 : 1, MPI_INT, in, inner ? 1 : 4, MPI_INT, both);
    MPI_Alltoallv(out, inner ? one : counts, inner ? at : places, MPI_INT, in, inner ? one : counts,
                  inner ? at : places, MPI_INT, both);
    MPI_Reduce_scatter_block(out, in, inner ? 1 : 3, MPI_INT, MPI_SUM, both);
    MPI_Barrier(both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
}

/* A line of four, and a star with rank 0 in its middle that gives to the others. */
static void neighbours(void)
{
    int periodic = 0, dims = 4, gives[4] = {1, 2, 3, 4}, takes[4], places[4] = {0, 10, 20, 30}, others[3] = {1, 2, 3}, zero = 0;
    MPI_Comm line, star;

    MPI_Cart_create(world, 1, &dims, &periodic, 0, &line);
    MPI_Neighbor_allgather(out, 2, MPI_INT, in, 2, MPI_INT, line);
    MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, line);
    takes[0] = 2; /* what the left neighbour gives to its right */
    takes[1] = 1;
    MPI_Neighbor_alltoallv(out, gives, places, MPI_INT, in, takes, places, MPI_INT, line);
    MPI_Comm_free(&line);
    MPI_Dist_graph_create_adjacent(world, rank ? 1 : 0, &zero, MPI_UNWEIGHTED, rank ? 0 : 3, others, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &star);
    MPI_Neighbor_allgather(out, 6, MPI_INT, in, 6, MPI_INT, star);
    takes[0] = rank;
    MPI_Neighbor_alltoallv(out, gives, places, MPI_INT, in, takes, places, MPI_INT, star);
    MPI_Comm_free(&star);
}

static void one_sided(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, *memory, given = 1, wanted = 0;
    MPI_Request request;
    MPI_Win win;

    MPI_Win_allocate(400, 4, MPI_INFO_NULL, world, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(out, 10, MPI_INT, right, 0, 10, MPI_INT, win);
    MPI_Rput(out, 1, MPI_INT, right, 20, 1, MPI_INT, win, &request);
    wait_for(request);
    MPI_Get(in, 20, MPI_INT, left, 30, 20, MPI_INT, win);
    MPI_Win_flush_all(win);
    MPI_Accumulate(out, 3, MPI_INT, right, 60, 3, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Get_accumulate(out, 4, MPI_INT, in, 4, MPI_INT, right, 70, 4, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, in, 5, MPI_INT, right, 80, 5, MPI_INT, MPI_NO_OP, win);
    MPI_Win_flush_all(win);
    MPI_Fetch_and_op(&given, in, MPI_INT, right, 90, MPI_SUM, win);
    MPI_Compare_and_swap(&given, &wanted, in, MPI_INT, right, 95, win);
    MPI_Put(out, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(world);
    MPI_Win_free(&win);
}

static void persistent(void)
{
    int gives[4], takes[4], places[4];
    MPI_Request requests[2];

    for (int i = 0; i < size; i++) {
        gives[i] = given(rank, i);
        takes[i] = given(i, rank);
        places[i] = 100 * i;
    }
    INIT(Alltoallv)(out, gives, places, MPI_INT, in, takes, places, MPI_INT, world, MPI_INFO_NULL, &requests[0]);
    INIT(Bcast)(out + 1000, 8, MPI_INT, 2, world, MPI_INFO_NULL, &requests[1]);
    for (int i = 0; i < 1; i++) { /* more than once Debian's MPICH 4.0 does not bear */
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void nothing(void)
{
    MPI_Barrier(world);
}

int main(int argc, char **argv)
{
    static void (*const phases[])(void) = {messages, one_to_all, all_to_one, all_to_all, vectors, scattered_and_prefixes,
                                           halves, two_groups, neighbours, one_sided, persistent, nothing};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        MPI_Pcontrol((int)i + 10);
        phases[i]();
        MPI_Barrier(world);
    }
    MPI_Finalize();
    return 0;
}
