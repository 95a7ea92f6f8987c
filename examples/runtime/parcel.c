#include "parcel.h"

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct box { /* from one process to another */
    sem_t full, empty;
    size_t length;
    char bytes[PARCEL_MOST];
};

static int me, count;
static struct box *boxes;
static char *shelves;

static struct box *box_of(int from, int to)
{
    return &boxes[from * count + to];
}

static void *shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

int parcel_join(void)
{
    const char *wanted = getenv("PARCEL_COUNT");

    count = wanted ? atoi(wanted) : 2;
    if (count < 1 || count > 64 || !(boxes = shared((size_t)(count * count) * sizeof *boxes)) ||
        !(shelves = shared((size_t)count * PARCEL_SHELF)))
        return -1;
    for (int i = 0; i < count * count; i++)
        if (sem_init(&boxes[i].full, 1, 0) != 0 || sem_init(&boxes[i].empty, 1, 1) != 0)
            return -1;
    for (int i = 1; i < count; i++) {
        pid_t pid = fork();
        if (pid < 0)
            return -1;
        if (pid == 0) {
            me = i;
            break;
        }
    }
    return 0;
}

int parcel_me(void)
{
    return me;
}

int parcel_count(void)
{
    return count;
}

static void wait_for(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        continue;
}

void parcel_send(int to, const void *bytes, size_t length)
{
    struct box *box = box_of(me, to);

    wait_for(&box->empty);
    box->length = length < PARCEL_MOST ? length : PARCEL_MOST;
    memcpy(box->bytes, bytes, box->length);
    sem_post(&box->full);
}

size_t parcel_take(int from, void *bytes, size_t most)
{
    struct box *box = box_of(from, me);
    size_t length;

    wait_for(&box->full);
    length = box->length < most ? box->length : most;
    memcpy(bytes, box->bytes, length);
    sem_post(&box->empty);
    return length;
}

void parcel_put(int on, size_t offset, const void *bytes, size_t length)
{
    memcpy(shelves + (size_t)on * PARCEL_SHELF + offset, bytes, length);
}

void parcel_get(int on, size_t offset, void *bytes, size_t length)
{
    memcpy(bytes, shelves + (size_t)on * PARCEL_SHELF + offset, length);
}

void parcel_leave(void)
{
    while (me == 0 && wait(NULL) > 0)
        continue;
}
