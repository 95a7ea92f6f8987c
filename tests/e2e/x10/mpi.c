/* Places as ranks of an MPI program. */
#include "transport.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sending {
    MPI_Request request;
    struct sending *next;
    char bytes[];
};
static struct sending *sendings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void transport_begin(char **argv, int *here, int *count)
{
    int provided;

    (void)argv;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, here);
    MPI_Comm_size(MPI_COMM_WORLD, count);
}

static void forget_sent(void)
{
    for (struct sending **at = &sendings; *at;) {
        struct sending *sending = *at;
        int done;
        MPI_Test(&sending->request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            at = &sending->next;
            continue;
        }
        *at = sending->next;
        free(sending);
    }
}

bool transport_send(int to, const void *bytes, size_t length)
{
    struct sending *sending = malloc(sizeof *sending + length);

    if (!sending)
        return false;
    memcpy(sending->bytes, bytes, length);
    pthread_mutex_lock(&lock);
    forget_sent();
    MPI_Isend(sending->bytes, (int)length, MPI_BYTE, to, 0, MPI_COMM_WORLD, &sending->request);
    sending->next = sendings;
    sendings = sending;
    pthread_mutex_unlock(&lock);
    return true;
}

size_t transport_take(void *bytes)
{
    MPI_Status status;
    int there, length = 0;

    pthread_mutex_lock(&lock);
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there) {
        MPI_Get_count(&status, MPI_BYTE, &length);
        MPI_Recv(bytes, PACKET_MOST, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&lock);
    return (size_t)length;
}

void transport_wait(void)
{
    usleep(100);
}

void transport_end(void)
{
    while (sendings) {
        pthread_mutex_lock(&lock);
        forget_sent();
        pthread_mutex_unlock(&lock);
    }
    MPI_Finalize();
}
