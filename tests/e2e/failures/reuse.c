/* Threads that start and complete at full speed, so that a handle that one has just completed is at once another's. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, TIMES = 2000 };

static int rank;

static void *exchange(void *argument)
{
    int thread = *(int *)argument, other = 1 - rank, wrong = 0;

    for (int i = 0; i < TIMES; i++) {
        MPI_Request request[2];
        int out = i * THREADS + thread, in = -1, done = 0, index;
        MPI_Irecv(&in, 1, MPI_INT, other, thread, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&out, 1, MPI_INT, other, thread, MPI_COMM_WORLD, &request[1]);
        if (i % 3 == 0) {
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        } else if (i % 3 == 1) {
            MPI_Waitany(2, request, &index, MPI_STATUS_IGNORE);
            MPI_Wait(&request[1 - index], MPI_STATUS_IGNORE);
        } else {
            while (!done)
                MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE);
        }
        wrong += in != out || request[0] != MPI_REQUEST_NULL || request[1] != MPI_REQUEST_NULL;
    }
    printf("rank %d thread %d wrong %d\n", rank, thread, wrong);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    int number[THREADS], provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, exchange, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    MPI_Finalize();
    return 0;
}
