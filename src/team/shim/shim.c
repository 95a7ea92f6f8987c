/* The team's few operations on an MPI: see shim.h.  Long messages go in pieces, since MPI counts in int. */
#include "shim.h"

#include <mpi.h>
#include <stdlib.h>

#define PIECE ((uint64_t)1 << 30)
#define TAG 1

static MPI_Comm comm;

static void start(uint32_t *rank, uint32_t *size)
{
    int number, count;

    MPI_Init(NULL, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &number);
    MPI_Comm_size(comm, &count);
    *rank = (uint32_t)number;
    *size = (uint32_t)count;
}

static void stop(void)
{
    MPI_Comm_free(&comm);
    MPI_Finalize();
}

static void least(int64_t *values, size_t count)
{
    MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, MPI_MIN, comm);
}

static void sum(int64_t *values, size_t count)
{
    MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T, MPI_SUM, comm);
}

/* The next piece of a message: gives its size and moves on. */
static int piece_of(uint64_t *done, uint64_t size)
{
    uint64_t piece = size - *done < PIECE ? size - *done : PIECE;

    *done += piece;
    return (int)piece;
}

static void exchange_sizes(const uint64_t *send_sizes, uint64_t *receive_sizes)
{
    MPI_Alltoall(send_sizes, 1, MPI_UINT64_T, receive_sizes, 1, MPI_UINT64_T, comm);
}

static size_t pieces(const uint64_t *sizes, int count)
{
    size_t all = 0;

    for (int i = 0; i < count; i++)
        all += (size_t)((sizes[i] + PIECE - 1) / PIECE);
    return all;
}

/* Only those that have something for each other speak. */
static void exchange(const void *const *send, const uint64_t *send_sizes, void *const *receive,
                     const uint64_t *receive_sizes)
{
    MPI_Request *requests;
    int rank, size;
    size_t count = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    requests = malloc((pieces(send_sizes, size) + pieces(receive_sizes, size) + 1) * sizeof *requests);
    if (!requests)
        MPI_Abort(comm, 4);
    for (int i = 0; i < size; i++) {
        int from = (rank + size - i) % size;
        for (uint64_t done = 0; done < receive_sizes[from];) {
            char *at = (char *)receive[from] + done;
            MPI_Irecv(at, piece_of(&done, receive_sizes[from]), MPI_BYTE, from, TAG, comm,
                      &requests[count++]);
        }
    }
    for (int i = 0; i < size; i++) {
        int to = (rank + i) % size;
        for (uint64_t done = 0; done < send_sizes[to];) {
            const char *at = (const char *)send[to] + done;
            MPI_Isend((void *)at, piece_of(&done, send_sizes[to]), MPI_BYTE, to, TAG, comm,
                      &requests[count++]);
        }
    }
    MPI_Waitall((int)count, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static void send_to(uint32_t to, const void *bytes, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        const char *at = (const char *)bytes + done;
        MPI_Send((void *)at, piece_of(&done, size), MPI_BYTE, (int)to, TAG, comm);
    }
}

static void receive_from(uint32_t from, void *bytes, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        char *at = (char *)bytes + done;
        MPI_Recv(at, piece_of(&done, size), MPI_BYTE, (int)from, TAG, comm, MPI_STATUS_IGNORE);
    }
}

static void broadcast(uint32_t from, void *bytes, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        char *at = (char *)bytes + done;
        MPI_Bcast(at, piece_of(&done, size), MPI_BYTE, (int)from, comm);
    }
}

__attribute__((visibility("default"))) const struct ws_shim ws_shim_1 = {
    start, stop, least, sum, exchange_sizes, exchange, send_to, receive_from, broadcast};
