// test: ranks=3 expect=late-arrival duration=0.800 s
// PE 1 computes 100 ms more than the others before each reduction, collection and exchange, and the root as much before a
// broadcast.
#include "../timetable.h"

#define SYNC_SIZE (SHMEM_REDUCE_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE)
static long sync[4][SYNC_SIZE];
static int work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 4], from[12], to[12];

int main(void)
{
    int late, pes;
    timetable_init();
    late = shmem_my_pe() == 1 ? 120 : 20;
    pes = shmem_n_pes();
    for (int i = 0; i < 4 * SYNC_SIZE; i++)
        sync[i / SYNC_SIZE][i % SYNC_SIZE] = SHMEM_SYNC_VALUE;
    timetable_begin();
    compute_until_ms(late);
    shmem_int_sum_to_all(to, from, 4, 0, 0, pes, work, sync[0]);
    compute_until_ms(160 + late);
    shmem_fcollect32(to, from, 4, 0, 0, pes, sync[1]);
    compute_until_ms(320 + late);
    shmem_alltoall32(to, from, 4, 0, 0, pes, sync[2]);
    compute_until_ms(480 + late);
    shmem_broadcast32(to, from, 4, 1, 0, 0, pes, sync[3]);
    compute_until_ms(640);
    shmem_finalize();
    return 0;
}
