// test: ranks=2 expect=none planted=0.400 s
// PE 0 reads the vector as a whole, again and again for 400 ms, and tells PE 1 each time by a small put: these are no pieces
// of anything.
#include "../timetable.h"

static double vector[1000], copy[1000];
static long done, rounds;

int main(void)
{
    setenv("UCX_TLS", "tcp,self", 0);
    timetable_init();
    timetable_begin();
    if (shmem_my_pe() == 0) {
        for (long i = 1; before_ms(400); i++) {
            shmem_double_get(copy, vector, 1000, 1);
            shmem_long_p(&rounds, i, 1);
            shmem_quiet();
        }
        shmem_long_p(&done, 1, 1);
        shmem_quiet();
    } else {
        serve_until(&done, 0);
    }
    shmem_finalize();
    return 0;
}
