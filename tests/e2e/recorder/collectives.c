/* Every collective, blocking and not, with MPI_IN_PLACE where it may be, and on an intercommunicator. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };
static int rank, size, sum;
static int counts[MOST], displacements[MOST], bytes[MOST];
static MPI_Datatype types[MOST];
static int in[MOST * MOST], out[MOST * MOST];

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        counts[i] = 1;
        displacements[i] = i;
        bytes[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    for (int i = 0; i < MOST * MOST; i++) {
        in[i] = 0;
        out[i] = rank + 1;
    }
}

static void add(void)
{
    for (int i = 0; i < MOST; i++)
        sum += in[i];
    fill();
}

static void wait_for(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    add();
}

#define BOTH(name, iname, ...)                                                                               \
    do {                                                                                                     \
        MPI_Request request;                                                                                 \
        MPI_##name(__VA_ARGS__);                                                                             \
        add();                                                                                               \
        MPI_##iname(__VA_ARGS__, &request);                                                                  \
        wait_for(&request);                                                                                  \
    } while (0)

static void within(MPI_Comm comm, int root)
{
    BOTH(Barrier, Ibarrier, comm);
    BOTH(Bcast, Ibcast, out, 2, MPI_INT, root, comm);
    BOTH(Reduce, Ireduce, out, in, 2, MPI_INT, MPI_SUM, root, comm);
    BOTH(Reduce, Ireduce, rank == root ? MPI_IN_PLACE : in, rank == root ? in : NULL, 2, MPI_INT, MPI_SUM,
         root, comm);
    BOTH(Gather, Igather, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
    BOTH(Gather, Igather, rank == root ? MPI_IN_PLACE : out, 1, rank == root ? MPI_DATATYPE_NULL : MPI_INT,
         in, 1, MPI_INT, root, comm);
    BOTH(Gatherv, Igatherv, out, 1, MPI_INT, in, counts, displacements, MPI_INT, root, comm);
    BOTH(Gatherv, Igatherv, rank == root ? MPI_IN_PLACE : out, 1, MPI_INT, in, counts, displacements, MPI_INT,
         root, comm);
    BOTH(Scatter, Iscatter, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
    BOTH(Scatter, Iscatter, out, 1, MPI_INT, rank == root ? MPI_IN_PLACE : in, 1, MPI_INT, root, comm);
    BOTH(Scatterv, Iscatterv, out, counts, displacements, MPI_INT, in, 1, MPI_INT, root, comm);
    BOTH(Allreduce, Iallreduce, out, in, 3, MPI_INT, MPI_SUM, comm);
    BOTH(Allreduce, Iallreduce, MPI_IN_PLACE, in, 3, MPI_INT, MPI_SUM, comm);
    BOTH(Allgather, Iallgather, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    BOTH(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
    BOTH(Allgatherv, Iallgatherv, out, 1, MPI_INT, in, counts, displacements, MPI_INT, comm);
    BOTH(Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displacements, MPI_INT,
         comm);
    BOTH(Alltoall, Ialltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    BOTH(Alltoallv, Ialltoallv, out, counts, displacements, MPI_INT, in, counts, displacements, MPI_INT,
         comm);
    BOTH(Alltoallw, Ialltoallw, out, counts, bytes, types, in, counts, bytes, types, comm);
    BOTH(Reduce_scatter, Ireduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter_block, Ireduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Scan, Iscan, out, in, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Exscan, Iexscan, out, in, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        in[0] = 0; /* undefined after MPI_Exscan */
}

static void alltoall_in_place(MPI_Comm comm)
{
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
    add();
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, counts, displacements, MPI_INT, comm);
    add();
}

/* The lower half's first rank is the root. */
static void between(MPI_Comm inter, int lower, int local)
{
    int root = !lower ? 0 : local == 0 ? MPI_ROOT : MPI_PROC_NULL;

    MPI_Barrier(inter);
    MPI_Bcast(out, 2, MPI_INT, root, inter);
    MPI_Reduce(out, in, 2, MPI_INT, MPI_SUM, root, inter);
    add();
    MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, root, inter);
    add();
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, inter);
    add();
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, inter);
    add();
}

int main(int argc, char **argv)
{
    MPI_Comm local, inter, merged;
    int local_rank, lower, value = 3;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fill();
    within(MPI_COMM_WORLD, 1);
    fill();
    alltoall_in_place(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    lower = rank < size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, lower, rank, &local);
    MPI_Comm_rank(local, &local_rank);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, lower ? size / 2 : 0, 1, &inter);
    between(inter, lower, local_rank);
    if (local_rank == 0)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, 77, 0, 77, inter, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, lower, &merged);
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    printf("rank %d sum %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
