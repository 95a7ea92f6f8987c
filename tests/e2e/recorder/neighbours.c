/* Every neighbourhood collective in each kind of topology, and every persistent collective: of MPI-4.0, or as Open MPI 4.1
 * has them before.  Prints a checksum. */
#include <mpi.h>
#include <stdio.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#define TIMES 2
#else
#define INIT(name) MPI_##name##_init
#define TIMES 1 /* at the second MPI_Start MPICH 4.0.2 fails in some of them */
#endif

enum { MOST = 16 };
static int rank, size, sum;
static int counts[MOST], places[MOST];
static MPI_Aint bytes[MOST];
static int byte_places[MOST];
static MPI_Datatype types[MOST];
static int in[MOST], out[MOST];

static void add(void)
{
    for (int i = 0; i < MOST; i++) {
        sum += in[i];
        in[i] = 0;
        out[i] = rank + i + 1;
        counts[i] = 1;
        places[i] = i;
        bytes[i] = i * (MPI_Aint)sizeof(int);
        byte_places[i] = i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
}

static void start_again(MPI_Request *request)
{
    for (int i = 0; i < TIMES; i++) {
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        add();
    }
    MPI_Request_free(request);
}

#define PERSISTENT(name, ...)                                                                                \
    do {                                                                                                     \
        MPI_Request request;                                                                                 \
        INIT(name)(__VA_ARGS__, MPI_INFO_NULL, &request);                                                    \
        start_again(&request);                                                                               \
    } while (0)

#define ALL(name, iname, ...)                                                                                \
    do {                                                                                                     \
        MPI_Request request;                                                                                 \
        MPI_##name(__VA_ARGS__);                                                                             \
        add();                                                                                               \
        MPI_##iname(__VA_ARGS__, &request);                                                                  \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                               \
        add();                                                                                               \
        PERSISTENT(name, __VA_ARGS__);                                                                       \
    } while (0)

static void among_neighbours(MPI_Comm comm)
{
    ALL(Neighbor_allgather, Ineighbor_allgather, out, 2, MPI_INT, in, 2, MPI_INT, comm);
    ALL(Neighbor_allgatherv, Ineighbor_allgatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, comm);
    ALL(Neighbor_alltoall, Ineighbor_alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    ALL(Neighbor_alltoallv, Ineighbor_alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
    ALL(Neighbor_alltoallw, Ineighbor_alltoallw, out, counts, bytes, types, in, counts, bytes, types, comm);
}

static void persistent(MPI_Comm comm, int root)
{
    MPI_Request request;

    INIT(Barrier)(comm, MPI_INFO_NULL, &request);
    start_again(&request);
    PERSISTENT(Bcast, out, 2, MPI_INT, root, comm);
    PERSISTENT(Reduce, out, in, 2, MPI_INT, MPI_SUM, root, comm);
    PERSISTENT(Gather, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
    PERSISTENT(Gatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, root, comm);
    PERSISTENT(Scatter, out, 1, MPI_INT, in, 1, MPI_INT, root, comm);
    PERSISTENT(Scatterv, out, counts, places, MPI_INT, in, 1, MPI_INT, root, comm);
    PERSISTENT(Allreduce, out, in, 3, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Allgather, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    PERSISTENT(Allgatherv, out, 1, MPI_INT, in, counts, places, MPI_INT, comm);
    PERSISTENT(Alltoall, out, 1, MPI_INT, in, 1, MPI_INT, comm);
    PERSISTENT(Alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
    PERSISTENT(Alltoallw, out, counts, byte_places, types, in, counts, byte_places, types, comm);
    PERSISTENT(Reduce_scatter, out, in, counts, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Reduce_scatter_block, out, in, 1, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Scan, out, in, 1, MPI_INT, MPI_SUM, comm);
    PERSISTENT(Exscan, out, in, 1, MPI_INT, MPI_SUM, comm);
}

int main(int argc, char **argv)
{
    int dims[1], periods[1] = {1}, index[MOST], edges[MOST], to[2], from[1];
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    add();
    dims[0] = size;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &comm); /* a ring: two neighbours */
    among_neighbours(comm);
    for (int i = 0; i < size; i++) { /* pairs: one neighbour, which the odd one out is for itself */
        index[i] = i + 1;
        edges[i] = (i ^ 1) < size ? i ^ 1 : i;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm);
    among_neighbours(comm);
    /* Rank 0 gives to all others and gets nothing. */
    for (int i = 1; i < size; i++)
        edges[i - 1] = i;
    from[0] = 0;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank > 0, from, MPI_UNWEIGHTED, rank > 0 ? 0 : size - 1, edges,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    among_neighbours(comm);
    persistent(MPI_COMM_WORLD, 1);
    if (rank == 0)
        sum = 0; /* undefined after MPI_Exscan */
    printf("rank %d sum %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
