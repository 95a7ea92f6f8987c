/* What MPI-4.0 brought: large counts, one request for both halves of an exchange, partitioned messages; with the argument
 * `sessions` no MPI_Init, but sessions alone.  For an MPI that has it.  Prints a checksum. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, sum;

static void large_counts(MPI_Comm comm, int peer)
{
    MPI_Count counts[16], ones[16];
    MPI_Aint places[16];
    int out[16] = {1, 2, 3, 4}, in[16] = {0};
    MPI_Request request[2];
    char buffer[4096], *attached;
    MPI_Count bytes;

    for (int i = 0; i < 16; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    MPI_Isend_c(out, 3, MPI_INT, peer, 1, comm, &request[0]);
    MPI_Recv_c(in, 3, MPI_INT, peer, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Irecv_c(in, 4, MPI_INT, peer, 2, comm, &request[0]);
    MPI_Issend_c(out, 4, MPI_INT, peer, 2, comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Sendrecv_c(out, 2, MPI_INT, peer, 3, in, 2, MPI_INT, peer, 3, comm, MPI_STATUS_IGNORE);
    MPI_Bcast_c(out, 5, MPI_INT, 0, comm);
    MPI_Allreduce_c(out, in, 2, MPI_INT, MPI_SUM, comm);
    sum += in[0] + in[1];
    MPI_Allgatherv_c(out, 1, MPI_INT, in, counts, places, MPI_INT, comm);
    MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
    MPI_Ireduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, comm, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    sum += in[0];
    MPI_Buffer_attach_c(buffer, sizeof buffer);
    MPI_Buffer_detach_c(&attached, &bytes);
    sum += (int)bytes;
}

/* The same of persistent and neighbourhood collectives, windows and files. */
static void more_large_counts(MPI_Comm comm, const char *program)
{
    int out[4] = {1, 2, 3, 4}, in[64] = {0}, memory[4] = {0}, dims[1] = {size}, periods[1] = {1};
    MPI_Count counts[2] = {1, 1};
    MPI_Aint places[2] = {0, 1};
    char path[4096];
    MPI_Request request;
    MPI_Comm ring, copy;
    MPI_File file;
    MPI_Win win;

    MPI_Allreduce_init_c(out, in, 2, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Cart_create(comm, 1, dims, periods, 0, &ring);
    MPI_Neighbor_alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring);
    MPI_Ineighbor_allgather_c(out, 2, MPI_INT, in, 2, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_create_c(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put_c(out, 3, MPI_INT, (rank + 1) % size, 0, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    sum += memory[2];
    MPI_Win_free(&win);
    snprintf(path, sizeof path, "%s.large", program);
    MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write_at_all_c(file, rank * 16, out, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_c(file, rank * 16, in, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    sum += in[2];
    MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&ring);
}

static void exchanges(MPI_Comm comm, int peer)
{
    int out = rank + 1, in = 0;
    MPI_Request request;

    MPI_Isendrecv(&out, 1, MPI_INT, peer, 10, &in, 1, MPI_INT, peer, 10, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += in;
    MPI_Isendrecv_replace(&out, 1, MPI_INT, peer, 11, peer, 11, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += out;
}

static void partitions(MPI_Comm comm)
{
    int data[8] = {0}, arrived = 0, list[2] = {0, 1};
    MPI_Request request;

    if (rank > 1)
        return;
    if (rank == 0) {
        MPI_Psend_init(data, 4, 2, MPI_INT, 1, 20, comm, MPI_INFO_NULL, &request);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&request);
            for (int j = 0; j < 8; j++)
                data[j] = i + j;
            MPI_Pready_range(2, 3, request);
            if (i == 0) {
                MPI_Pready(0, request);
                MPI_Pready(1, request);
            } else {
                MPI_Pready_list(2, list, request);
            }
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Precv_init(data, 4, 2, MPI_INT, 0, 20, comm, MPI_INFO_NULL, &request);
        for (int i = 0; i < 2; i++) {
            MPI_Start(&request);
            MPI_Parrived(request, 0, &arrived);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            sum += data[7];
        }
    }
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    int sessions = argc > 1 && strcmp(argv[1], "sessions") == 0;
    MPI_Session session, other;
    MPI_Group group;
    MPI_Comm comm, inter, local;

    if (sessions) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
        MPI_Session_finalize(&other);
        MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
        MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
        MPI_Group_free(&group);
    } else {
        MPI_Init(&argc, &argv);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    large_counts(comm, size - 1 - rank);
    if (!sessions) /* in which MPICH 4.0.2 crashes in them now and then, with nothing of ours loaded */
        more_large_counts(comm, argv[0]);
    exchanges(comm, size - 1 - rank);
    partitions(comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    printf("rank %d sum %d\n", rank, sum);
    if (sessions)
        MPI_Session_finalize(&session);
    else
        MPI_Finalize();
    return 0;
}
