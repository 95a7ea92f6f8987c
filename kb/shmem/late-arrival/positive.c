// test: ranks=3 expect=late-arrival duration=0.800 s
// PE 2 comes to each of four barriers 100 ms after the others.
#include "../timetable.h"

int main(void)
{
    timetable_init();
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (shmem_my_pe() == 2 ? 120 : 20));
        if (i % 2)
            shmem_sync_all();
        else
            shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
