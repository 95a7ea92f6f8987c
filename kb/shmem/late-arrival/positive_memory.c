// test: ranks=3 expect=late-arrival duration=0.800 s
// Symmetric memory is had and given back in each of two rounds, and PE 0 comes 100 ms late to both.
#include "../timetable.h"

int main(void)
{
    timetable_init();
    timetable_begin();
    for (int i = 0; i < 2; i++) {
        double *memory;
        compute_until_ms(320 * i + (shmem_my_pe() == 0 ? 120 : 20));
        memory = shmem_malloc(1000 * sizeof *memory);
        compute_until_ms(320 * i + (shmem_my_pe() == 0 ? 280 : 180));
        shmem_free(memory);
    }
    shmem_finalize();
    return 0;
}
