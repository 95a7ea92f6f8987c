// test: ranks=3 expect=none planted=0.400 s
// The lock is held 100 ms here too, by one PE after the other.
#include "../timetable.h"

static long lock, number;

int main(void)
{
    int me;
    timetable_init();
    me = shmem_my_pe();
    timetable_begin();
    for (int i = 0; i < 2 && me > 0; i++) {
        compute_until_ms(320 * i + 140 * (me - 1) + 20);
        shmem_set_lock(&lock);
        shmem_long_p(&number, me, 0);
        compute_until_ms(320 * i + 140 * (me - 1) + 120);
        shmem_clear_lock(&lock);
    }
    if (me == 0)
        while (before_ms(660))
            serve_atomics(1);
    compute_until_ms(680);
    shmem_finalize();
    return 0;
}
