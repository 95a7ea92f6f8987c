// test: ranks=2 expect=long-wait duration=0.400 s
// PE 1 waits four times for a number that PE 0 writes only after 100 ms of computing.
#include "../timetable.h"

static long number;

int main(void)
{
    int me;
    timetable_init();
    me = shmem_my_pe();
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (me == 0 ? 120 : 20));
        if (me == 0)
            shmem_long_p(&number, i + 1, 1);
        else
            shmem_long_wait_until(&number, SHMEM_CMP_EQ, i + 1);
    }
    compute_until_ms(500);
    shmem_finalize();
    return 0;
}
