// test: ranks=2 expect=none planted=0.400 s
// PE 0 writes the number 20 ms before PE 1 asks for it.
#include "../timetable.h"

static long number;

int main(void)
{
    int me;
    timetable_init();
    me = shmem_my_pe();
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(100 * i + (me == 0 ? 60 : 80));
        if (me == 0) {
            shmem_long_p(&number, i + 1, 1);
            shmem_quiet();
        } else {
            shmem_long_wait_until(&number, SHMEM_CMP_GE, i + 1);
        }
    }
    compute_until_ms(500);
    shmem_finalize();
    return 0;
}
