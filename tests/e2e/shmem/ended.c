/* PE 1 ends the program with exit code 5 while the others wait for it. */
#include <shmem.h>

static long never;

int main(void)
{
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 1)
        shmem_global_exit(5);
    shmem_long_wait_until(&never, SHMEM_CMP_NE, 0);
    return 0;
}
