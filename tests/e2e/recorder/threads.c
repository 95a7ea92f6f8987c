/* Four threads a rank, each with its own communicator and messages to the same thread of the next rank. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, MESSAGES = 500 };
static MPI_Comm comms[THREADS];
static int rank, size, sums[THREADS];

static void *work(void *number)
{
    int me = *(int *)number;

    for (int i = 0; i < MESSAGES; i++) {
        MPI_Request request[2];
        int in;
        MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, me, comms[me], &request[0]);
        MPI_Isend(&i, 1, MPI_INT, (rank + 1) % size, me, comms[me], &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        sums[me] += in;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[THREADS];
    pthread_t threads[THREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        printf("no threads\n");
        MPI_Abort(MPI_COMM_WORLD, 77);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    for (int i = 1; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    work(&numbers[0]);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("rank %d sums %d %d %d %d\n", rank, sums[0], sums[1], sums[2], sums[3]);
    MPI_Finalize();
    return 0;
}
