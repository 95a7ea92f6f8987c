/* Calls that fail under MPI_ERRORS_RETURN, on a communicator whose errors alone are returned; and messages that are
 * longer than their buffers. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 1, failed = 0, in[4], out[2] = {1, 2};
    MPI_Comm comm;
    MPI_Request request[2];
    MPI_Status status[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    failed += MPI_Send(&value, 1, MPI_INT, 12345, 0, comm) != MPI_SUCCESS;
    failed += MPI_Send(&value, -1, MPI_INT, 0, 0, comm) != MPI_SUCCESS;
    failed += MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm) != MPI_SUCCESS;
    failed += MPI_Recv(&value, 1, MPI_INT, 0, -77, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    failed += MPI_Isend(&value, 1, MPI_INT, 12345, 0, comm, request) != MPI_SUCCESS;
    failed += MPI_Bcast(&value, 1, MPI_INT, 999, comm) != MPI_SUCCESS;
    failed += MPI_Reduce(&value, in, 1, MPI_INT, MPI_OP_NULL, 0, comm) != MPI_SUCCESS;
    /* One of two fails: the message is longer than its buffer. */
    MPI_Irecv(in, 1, MPI_INT, rank, 1, comm, &request[0]);
    MPI_Irecv(in + 1, 2, MPI_INT, rank, 2, comm, &request[1]);
    MPI_Send(out, 2, MPI_INT, rank, 1, comm);
    MPI_Send(out, 2, MPI_INT, rank, 2, comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    failed += MPI_Waitall(2, request, status) != MPI_SUCCESS;
    /* Each of these takes its message out of the channel all the same. */
    MPI_Send(out, 2, MPI_INT, rank, 3, comm);
    failed += MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    failed += MPI_Sendrecv(out, 2, MPI_INT, rank, 3, in, 1, MPI_INT, rank, 3, comm, status) != MPI_SUCCESS;
    MPI_Irecv(in, 1, MPI_INT, rank, 3, comm, request);
    MPI_Send(out, 2, MPI_INT, rank, 3, comm);
    failed += MPI_Wait(request, status) != MPI_SUCCESS;
    MPI_Send(out, 2, MPI_INT, rank, 3, comm);
    MPI_Recv(in, 2, MPI_INT, rank, 3, comm, status);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    printf("rank %d failed %d\n", rank, failed);
    MPI_Finalize();
    return 0;
}
