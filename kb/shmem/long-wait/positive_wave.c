// test: ranks=3 expect=long-wait duration=0.600 s
// A wave: each PE waits until the one before has done 100 ms of work on its part.  PE 1 waits 100 ms and PE 2 200 ms, twice.
#include "../timetable.h"

static long turn[2];

int main(void)
{
    int me, pes;
    timetable_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    timetable_begin();
    for (int i = 0; i < 2; i++) {
        compute_until_ms(400 * i);
        if (me > 0)
            shmem_long_wait_until(&turn[i], SHMEM_CMP_NE, 0);
        compute_until_ms(400 * i + 100 * (me + 1));
        if (me + 1 < pes)
            shmem_long_p(&turn[i], 1, me + 1);
    }
    compute_until_ms(800);
    shmem_finalize();
    return 0;
}
