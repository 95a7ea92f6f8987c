// test: ranks=2 expect=none planted=0.400 s
// Both PEs compute 100 ms and come to the barrier together.
#include "../timetable.h"

int main(void)
{
    timetable_init();
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(100 * i + 100);
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
