/* One call of each family of functions, to the next PE.  Its argument names what comes besides puts, gets and waits: "a"
 * atomic operations and locks (some of which crash in Debian's Open MPI), "c" collective operations.  Exit code 3. */
#include <shmem.h>
#include <stdio.h>
#include <string.h>

static double reals[8];
static float small;
static long flags[64], numbers[64], counter, lock, flag;
static int integers[64], others[64], work[64];
static short shorts[16], more[16], room[16];
static unsigned int u;
static unsigned long ul;
static unsigned long long ull;
static uint64_t u64;
static long long ll;
static char bytes[256], copies[256];
static double _Complex products[2], factors[2], rest[2];
static long sync_a[8], sync_b[8], sync_c[8], sync_d[8];

static void accesses(int next)
{
    shmem_ctx_t ctx;
    shmem_double_p(&reals[0], 1.5, next);
    small = shmem_float_g(&small, next);
    shmem_long_put(numbers, flags, 10, next);
    shmem_short_get(shorts, more, 7, next);
    shmem_int_iput(integers, others, 2, 3, 4, next);
    shmem_int_iget(integers, others, 3, 2, 5, next);
    shmem_char_put_nbi(bytes, copies, 100, next);
    shmem_int16_get_nbi(room, more, 9, next);
    shmem_quiet();
    shmem_put32(integers, others, 6, next);
    shmem_iget64(numbers, flags, 2, 2, 3, next);
    shmem_getmem(bytes, copies, 33, next);
    shmem_putmem_nbi(bytes, copies, 17, next);
    shmem_ctx_create(0, &ctx);
    shmem_ctx_int_put(ctx, integers, others, 8, next);
    reals[1] = shmem_ctx_double_g(ctx, &reals[2], next);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
    shmem_fence();
}

static void locks(void)
{
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    while (shmem_test_lock(&lock))
        ;
    shmem_clear_lock(&lock);
}

static void atomics(int next)
{
    shmem_long_atomic_inc(&counter, next);
    shmem_long_atomic_fetch_inc(&counter, next);
    shmem_longlong_atomic_add(&ll, 5, next);
    shmem_uint_atomic_fetch_add(&u, 5, next);
    shmem_ulong_atomic_and(&ul, 5, next);
    shmem_uint64_atomic_fetch_or(&u64, 5, next);
    shmem_ulonglong_atomic_xor(&ull, 5, next);
    shmem_int_atomic_swap(&integers[61], 5, next);
    shmem_double_atomic_swap(&reals[3], 5, next);
    shmem_float_atomic_set(&small, 5, next);
    shmem_uint_atomic_compare_swap(&u, 0, 5, next);
    shmem_long_atomic_fetch(&counter, next);
    shmem_int_finc(&integers[60], next);
    shmem_long_cswap(&numbers[60], 0, 5, next);
}

static void collectives(int me, int pes)
{
    double *memory;
    void *aligned;
    for (int i = 0; i < 8; i++)
        sync_a[i] = sync_b[i] = sync_c[i] = sync_d[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    shmem_sync_all();
    if (me % 2 == 0)
        shmem_barrier(0, 1, 2, sync_a);
    shmem_broadcast32(integers, others, 6, 1, 0, 0, pes, sync_b);
    shmem_collect64(numbers, flags, (size_t)me + 1, 0, 0, pes, sync_c);
    shmem_sync_all();
    shmem_fcollect32(integers, others, 2, 0, 0, pes, sync_c);
    shmem_alltoall64(numbers, flags, 2, 0, 0, pes, sync_d);
    shmem_sync_all();
    shmem_alltoalls32(integers, others, 1, 1, 1, 0, 0, pes, sync_d);
    shmem_int_sum_to_all(integers, others, 3, 0, 0, pes, work, sync_a);
    shmem_short_and_to_all(shorts, more, 5, 0, 0, pes, room, sync_b);
    shmem_sync_all();
    shmem_complexd_prod_to_all(products, factors, 2, 0, 0, pes, rest, sync_a);
    memory = shmem_malloc(100);
    memory = shmem_realloc(memory, 200);
    aligned = shmem_align(64, 300);
    shmem_free(memory);
    shmem_free(aligned);
    shmem_malloc(0);
}

int main(int argc, char **argv)
{
    const char *besides = argc > 1 ? argv[1] : "";
    int me, pes;
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    accesses((me + 1) % pes);
    if (strchr(besides, 'a')) {
        atomics((me + 1) % pes);
        locks();
    }
    shmem_long_p(&flag, 7, (me + 1) % pes);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 7);
    if (!shmem_long_test(&flag, SHMEM_CMP_GT, 6) || shmem_long_test(&flag, SHMEM_CMP_GT, 7))
        return 1;
    if (strchr(besides, 'c'))
        collectives(me, pes);
    shmem_barrier_all();
    printf("rank %d of %d: %ld %u %g\n", me, pes, counter, u, reals[0]);
    fflush(stdout);
    shmem_finalize();
    return 3;
}
