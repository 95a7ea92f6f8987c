// test: ranks=2 expect=small-accesses duration=0.400 s
// PE 0 reads a vector of PE 1 element by element for 400 ms.  The PEs speak over TCP, as between nodes: PE 1 has to serve
// what PE 0 asks for.
#include "../timetable.h"

static double vector[1000];
static long done;

int main(void)
{
    double sum = 0;
    setenv("UCX_TLS", "tcp,self", 0);
    timetable_init();
    timetable_begin();
    if (shmem_my_pe() == 0) {
        for (int i = 0; before_ms(400); i++)
            sum += shmem_double_g(&vector[i % 1000], 1);
        shmem_long_p(&done, 1, 1);
        shmem_quiet();
    } else {
        serve_until(&done, 0);
    }
    shmem_finalize();
    return sum != 0;
}
