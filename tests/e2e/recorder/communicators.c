/* Every constructor of communicators, made and freed over and over so that handles are used again. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void use(MPI_Comm *comm)
{
    if (*comm == MPI_COMM_NULL)
        return;
    MPI_Barrier(*comm);
    MPI_Comm_free(comm);
}

static void all_of(MPI_Comm parent)
{
    int dims[2] = {size / 2, 2}, periods[2] = {1, 1}, remain[2] = {1, 0};
    int neighbour[1] = {(rank + 1) % size}, source[1] = {(rank + size - 1) % size}, degree[1] = {1};
    int graph_index[64], graph_edge[64];
    MPI_Comm comm, sub;
    MPI_Group group, even;
    MPI_Request request;
    int ranks[64];

    MPI_Comm_dup(parent, &comm);
    use(&comm);
    MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &comm);
    use(&comm);
    MPI_Comm_idup(parent, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(&comm);
    MPI_Comm_split(parent, rank == 0 ? MPI_UNDEFINED : rank % 2, 0, &comm);
    use(&comm);
    MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use(&comm);
    MPI_Comm_group(parent, &group);
    for (int i = 0; i < (size + 1) / 2; i++)
        ranks[i] = 2 * i;
    MPI_Group_incl(group, (size + 1) / 2, ranks, &even);
    MPI_Comm_create(parent, even, &comm);
    use(&comm);
    if (rank % 2 == 0) {
        MPI_Comm_create_group(parent, even, 5, &comm);
        use(&comm);
    }
    MPI_Group_free(&even);
    MPI_Group_free(&group);
    MPI_Cart_create(parent, 2, dims, periods, 0, &comm);
    MPI_Cart_sub(comm, remain, &sub);
    use(&sub);
    use(&comm);
    for (int i = 0; i < size; i++) {
        graph_index[i] = i + 1;
        graph_edge[i] = i ^ 1;
    }
    MPI_Graph_create(parent, size, graph_index, graph_edge, 0, &comm);
    use(&comm);
#ifndef OPEN_MPI /* 4.1.4 hangs in it now and then, with nothing of ours loaded */
    MPI_Dist_graph_create(parent, 1, &rank, degree, neighbour, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    use(&comm);
#endif
    MPI_Dist_graph_create_adjacent(parent, 1, source, MPI_UNWEIGHTED, 1, neighbour, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    use(&comm);
    MPI_Comm_dup(parent, &comm);
    MPI_Comm_disconnect(&comm);
}

int main(int argc, char **argv)
{
    MPI_Comm copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    all_of(MPI_COMM_WORLD);
    all_of(copy);
    all_of(MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
