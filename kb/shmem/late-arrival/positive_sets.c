// test: ranks=4 expect=late-arrival duration=0.600 s
// Two active sets, the even PEs and the odd ones, each with barriers of its own: PEs 2 and 3 come 100 ms late to each of
// three.
#include "../timetable.h"

static long sync[SHMEM_BARRIER_SYNC_SIZE];

int main(void)
{
    int me;
    timetable_init();
    me = shmem_my_pe();
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        sync[i] = SHMEM_SYNC_VALUE;
    timetable_begin();
    for (int i = 0; i < 3; i++) {
        compute_until_ms(160 * i + 20 * (me % 2) + (me >= 2 ? 120 : 20));
        shmem_barrier(me % 2, 1, 2, sync);
    }
    shmem_finalize();
    return 0;
}
