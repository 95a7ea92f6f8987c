/* MPI_THREAD_MULTIPLE with pthreads, two ranks.  The messages of rank 0's main thread come 20 ms late; on rank 1
 * the main thread posts each receive and another thread waits for it.  A third pair of threads exchanges messages
 * that are late on neither side. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { LATE = 10, MESSAGES = 50 };

static int rank, sum;
static MPI_Comm pair;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full, value;
    MPI_Request request;
} handover = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, MPI_REQUEST_NULL};

static void wait_for_change(int full)
{
    while (handover.full != full)
        pthread_cond_wait(&handover.changed, &handover.lock);
}

static void change(int full)
{
    handover.full = full;
    pthread_cond_broadcast(&handover.changed);
}

static void post(void)
{
    for (int i = 0; i < LATE; i++) {
        pthread_mutex_lock(&handover.lock);
        wait_for_change(0);
        MPI_Irecv(&handover.value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &handover.request);
        change(1);
        pthread_mutex_unlock(&handover.lock);
    }
}

static void *take(void *unused)
{
    (void)unused;
    for (int i = 0; i < LATE; i++) {
        pthread_mutex_lock(&handover.lock);
        wait_for_change(1);
        MPI_Wait(&handover.request, MPI_STATUS_IGNORE);
        sum += handover.value;
        change(0);
        pthread_mutex_unlock(&handover.lock);
    }
    return NULL;
}

static void send_late(void)
{
    for (int i = 0; i < LATE; i++) {
        usleep(20000);
        MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
}

static void *exchange(void *sum)
{
    int in, other = 1 - rank;

    for (int i = 0; i < MESSAGES; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, other, 2, &in, 1, MPI_INT, other, 2, pair, MPI_STATUS_IGNORE);
        *(int *)sum += in;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, exchanged = 0;
    pthread_t exchanger, taker;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 77);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &pair);
    pthread_create(&exchanger, NULL, exchange, &exchanged);
    if (rank == 1) {
        pthread_create(&taker, NULL, take, NULL);
        post();
        pthread_join(taker, NULL);
    } else {
        send_late();
    }
    pthread_join(exchanger, NULL);
    printf("rank %d sums %d %d\n", rank, sum, exchanged);
    MPI_Finalize();
    return 0;
}
