/* A program from before OpenSHMEM 1.2: start_pes, and an end without shmem_finalize. */
#include <shmem.h>
#include <stdio.h>

static long number;

int main(void)
{
    start_pes(0);
    shmem_long_p(&number, 5, (shmem_my_pe() + 1) % shmem_n_pes());
    shmem_barrier_all();
    printf("rank %d has %ld\n", shmem_my_pe(), number);
    return 0;
}
