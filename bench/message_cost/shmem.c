/* Two PEs: puts and gets of one value and of 4 KiB. */
#include <shmem.h>

#include "cost.h"

static long local[512];
static long *remote;
static int me;

static void put_one(void)
{
    for (int i = 0; me == 0 && i < CALLS; i++)
        shmem_long_p(remote, i, 1);
    if (me == 0)
        shmem_quiet();
    shmem_barrier_all();
}

static void put_many(void)
{
    for (int i = 0; me == 0 && i < CALLS; i++)
        shmem_long_put(remote, local, 512, 1);
    if (me == 0)
        shmem_quiet();
    shmem_barrier_all();
}

static void get_one(void)
{
    for (int i = 0; me == 0 && i < CALLS; i++)
        local[0] += shmem_long_g(remote, 1);
    shmem_barrier_all();
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    remote = shmem_malloc(sizeof local);
    measure("p,8_B", put_one, me == 0);
    measure("g,8_B", get_one, me == 0);
    measure("put,4_KiB", put_many, me == 0);
    fflush(stdout);
    shmem_finalize();
    return 0;
}
