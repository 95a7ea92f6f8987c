/* Many threads of one process, of pthreads or OpenMP, in MPI at once, each with messages to itself: what the
 * recorder shares between threads is shared in every way.  Prints how many of its checks failed. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { THREADS = 6, ROUNDS = 3, MESSAGES = 100 };

static MPI_Comm comms[THREADS];
static pthread_barrier_t together;
static int wrong;

static void check(int right)
{
    if (!right)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

/* ---- what each thread does on a communicator of its own ---- */

static void blocking(MPI_Comm comm)
{
    int in = -1, out = 3;

    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    check(in == 3);
}

static void non_blocking(MPI_Comm comm)
{
    MPI_Request requests[2];
    int in = -1, out = 4;

    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 2, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(in == 4);
}

static void persistent(MPI_Comm comm)
{
    MPI_Request requests[2];
    MPI_Status status;
    int in = -1, out = 5;

    MPI_Recv_init(&in, 1, MPI_INT, 0, MPI_ANY_TAG, comm, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, 0, 6, comm, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    check(in == 5 && status.MPI_TAG == 6);
}

static void probed(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Status status;
    int in = -1, out = 7;

    MPI_Isend(&out, 1, MPI_INT, 0, 7, comm, &request);
    MPI_Probe(0, 7, comm, &status);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 7, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(in == 7);
}

static void collective(MPI_Comm comm)
{
    MPI_Request request;
    int one = 8, sum = 0;

    MPI_Barrier(comm);
    MPI_Bcast(&one, 1, MPI_INT, 0, comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(sum == 8);
}

static void communicators(MPI_Comm comm)
{
    MPI_Comm copy, part;

    MPI_Comm_dup(comm, &copy);
    MPI_Comm_split(copy, 0, 0, &part);
    MPI_Barrier(part);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
}

#ifdef OPEN_MPI
/* Whose threads cannot make windows at once. */
static void window(MPI_Comm comm)
{
    (void)comm;
}
#else
static void window(MPI_Comm comm)
{
    int exposed = 0, value = 9;
    MPI_Win win;

    MPI_Win_create(&exposed, sizeof exposed, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    check(exposed == 9);
}
#endif

/* ---- a request that one thread starts and another one completes ---- */

static struct handover {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int full, in, out;
    MPI_Request requests[2];
} handovers[THREADS];

static void hand_over(struct handover *to, MPI_Comm comm, int number)
{
    pthread_mutex_lock(&to->lock);
    while (to->full)
        pthread_cond_wait(&to->changed, &to->lock);
    to->out = number;
    MPI_Irecv(&to->in, 1, MPI_INT, 0, number, comm, &to->requests[0]);
    MPI_Isend(&to->out, 1, MPI_INT, 0, number, comm, &to->requests[1]);
    to->full = 1;
    pthread_cond_broadcast(&to->changed);
    pthread_mutex_unlock(&to->lock);
}

static void take_over(struct handover *from, int number)
{
    MPI_Status statuses[2];

    pthread_mutex_lock(&from->lock);
    while (!from->full)
        pthread_cond_wait(&from->changed, &from->lock);
    MPI_Waitall(2, from->requests, statuses);
    check(from->in == number && statuses[0].MPI_TAG == number);
    from->full = 0;
    pthread_cond_broadcast(&from->changed);
    pthread_mutex_unlock(&from->lock);
}

/* ---- together ---- */

static void *work(void *number)
{
    static void (*const steps[])(MPI_Comm) = {blocking,   non_blocking,  persistent, probed,
                                              collective, communicators, window};
    int me = *(int *)number;

    MPI_Barrier(comms[me]); /* the thread's stream is open */
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        pthread_barrier_wait(
            &together); /* all call the same functions at once, in the first round for the first time */
        steps[i](comms[me]);
    }
    for (int i = 0; i < MESSAGES; i++)
        steps[i % 4](comms[me]);
    for (int i = 0; i < 5; i++) {
        hand_over(&handovers[(me + 1) % THREADS], comms[me], 20 + i);
        take_over(&handovers[me], 20 + i);
        communicators(comms[me]);
    }
    return NULL;
}

#ifdef _OPENMP
/* Threads that stay. */
static void run(int numbers[THREADS])
{
#pragma omp parallel num_threads(THREADS)
    work(&numbers[omp_get_thread_num()]);
}
#else
/* Threads that come and go. */
static void run(int numbers[THREADS])
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
#endif

int main(int argc, char **argv)
{
    int provided, numbers[THREADS];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    check(provided == MPI_THREAD_MULTIPLE);
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&handovers[i].lock, NULL);
        pthread_cond_init(&handovers[i].changed, NULL);
        numbers[i] = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    for (int round = 0; round < ROUNDS; round++)
        run(numbers);
    MPI_Finalize();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
