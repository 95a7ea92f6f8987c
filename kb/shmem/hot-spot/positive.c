// test: ranks=4 expect=hot-spot duration=0.800 s
// PEs 1 to 3 draw numbers from a counter of PE 0 for 400 ms, without a pause: three are under way there at a time, and two
// thirds of their time are lost.  PE 0 serves them; it draws its own numbers from PE 1.
#include "../timetable.h"

static long counter;

int main(void)
{
    int me;
    timetable_init();
    me = shmem_my_pe();
    timetable_begin();
    if (me == 0)
        while (before_ms(420))
            shmem_long_atomic_fetch_add(&counter, 1, 1);
    else
        while (before_ms(400))
            shmem_long_atomic_fetch_add(&counter, 1, 0);
    shmem_finalize();
    return 0;
}
