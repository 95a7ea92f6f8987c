// test: ranks=3 expect=lock-contention duration=0.400 s
// PE 1 computes 120 ms while it holds the lock; PE 2 asks for it 20 ms after PE 1.
#include "../timetable.h"

static long lock, number;

int main(void)
{
    int me;
    timetable_init();
    me = shmem_my_pe();
    timetable_begin();
    for (int i = 0; i < 4 && me > 0; i++) {
        compute_until_ms(160 * i + 20 * me);
        shmem_set_lock(&lock);
        shmem_long_p(&number, me, 0);
        if (me == 1)
            compute_until_ms(160 * i + 140);
        shmem_clear_lock(&lock);
    }
    if (me == 0)
        while (before_ms(660))
            serve_atomics(1);
    compute_until_ms(680);
    shmem_finalize();
    return 0;
}
