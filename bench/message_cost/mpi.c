/* Two ranks: a stream of messages in windows of 20, a put in an open epoch, a vector collective. */
#include <mpi.h>

#include "cost.h"

enum { WINDOW = 20 };

static char data[WINDOW][16384];
static int rank, bytes;
static MPI_Win win;

static void stream(void)
{
    MPI_Request requests[WINDOW];

    for (int i = 0; i < CALLS; i += WINDOW) {
        for (int k = 0; k < WINDOW; k++)
            if (rank == 0)
                MPI_Isend(data[k], bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &requests[k]);
            else
                MPI_Irecv(data[k], bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &requests[k]);
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void put(void)
{
    for (int i = 0; rank == 0 && i < CALLS; i++)
        MPI_Put(data[0], bytes, MPI_CHAR, 1, 0, bytes, MPI_CHAR, win);
    if (rank == 0)
        MPI_Win_flush(1, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each gives the other other counts each time. */
static void vectors(void)
{
    int counts[2], places[2] = {0, 4096};

    for (int i = 0; i < CALLS; i++) {
        counts[0] = counts[1] = bytes + i % 7;
        MPI_Alltoallv(data[0], counts, places, MPI_CHAR, data[1], counts, places, MPI_CHAR, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    void *memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(16384, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    bytes = 8;
    measure("Isend,8_B", stream, rank == 0);
    measure("Put,8_B", put, rank == 0);
    measure("Alltoallv,8_B", vectors, rank == 0);
    bytes = 4096;
    measure("Isend,4_KiB", stream, rank == 0);
    measure("Put,4_KiB", put, rank == 0);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
