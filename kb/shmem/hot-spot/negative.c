// test: ranks=4 expect=none planted=0.800 s
// Each draws its numbers from a counter of the next PE: as many accesses, but nobody waits for others.
#include "../timetable.h"

static long counter;

int main(void)
{
    int me, pes;
    timetable_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    timetable_begin();
    while (before_ms(400))
        shmem_long_atomic_fetch_add(&counter, 1, (me + 1) % pes);
    shmem_finalize();
    return 0;
}
