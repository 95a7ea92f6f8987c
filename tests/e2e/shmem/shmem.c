#define _GNU_SOURCE
#include "shmem.h"

#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

static int me, pes;
static struct control *control;
static char *all;                          /* the memory of all PEs, one after the other */
static char *data_begin, *data_end, *heap; /* own, where the program sees them */
static size_t heap_used;
static long delay_us;

static void pause_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

/* ---- memory ---- */

/* The program's data that can be written, without what the linker makes read-only. */
static int find_data(struct dl_phdr_info *info, size_t size, void *context)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = 0, end = 0, fixed = 0;

    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_W) {
            begin = at;
            end = at + segment->p_memsz;
        } else if (segment->p_type == PT_GNU_RELRO) {
            fixed = at + segment->p_memsz;
        }
    }
    data_begin = (char *)((fixed > begin ? fixed + page - 1 : begin) / page * page);
    data_end = (char *)((end + page - 1) / page * page);
    return 1;
}

static char *segment(int pe)
{
    return all + (size_t)pe * SEGMENT_BYTES;
}

static void map(int fd, char *at, size_t bytes, size_t offset)
{
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, (off_t)offset) != at) {
        perror("shmem: mmap");
        _exit(1);
    }
}

static void share_memory(int fd)
{
    size_t own = CONTROL_BYTES + (size_t)me * SEGMENT_BYTES;

    control = mmap(NULL, CONTROL_BYTES + (size_t)pes * SEGMENT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    dl_iterate_phdr(find_data, NULL);
    if (control == MAP_FAILED || data_end - data_begin > DATA_BYTES) {
        fprintf(stderr, "shmem: no memory\n");
        _exit(1);
    }
    all = (char *)control + CONTROL_BYTES;
    memcpy(segment(me), data_begin, (size_t)(data_end - data_begin));
    map(fd, data_begin, (size_t)(data_end - data_begin), own);
    heap = (char *)HEAP_ADDRESS;
    map(fd, heap, SEGMENT_BYTES - DATA_BYTES, own + DATA_BYTES);
}

/* Where PE `pe` has what is at `own` here. */
static void *at(const void *own, int pe)
{
    const char *place = own;

    if (place >= data_begin && place < data_end)
        return segment(pe) + (place - data_begin);
    if (place >= heap && place < heap + SEGMENT_BYTES - DATA_BYTES)
        return segment(pe) + DATA_BYTES + (place - heap);
    fprintf(stderr, "shmem: PE %d: %p is not in symmetric memory\n", me, own);
    abort();
}

/* ---- the network: one access at a time at each PE ---- */

static void enter(int pe, int from, int to, size_t bytes)
{
    if (pe == me)
        return;
    __atomic_fetch_add(&control->messages[from][to], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&control->bytes[from][to], bytes, __ATOMIC_RELAXED);
    if (delay_us) {
        unsigned ticket = __atomic_fetch_add(&control->ticket[pe], 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&control->served[pe], __ATOMIC_SEQ_CST) != ticket)
            pause_us(20);
        pause_us(delay_us);
    }
}

static void leave(int pe)
{
    if (pe != me && delay_us)
        __atomic_fetch_add(&control->served[pe], 1, __ATOMIC_SEQ_CST);
}

static void put(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t size, int pe)
{
    char *to = at(dest, pe);

    enter(pe, me, pe, nelems * size);
    for (size_t i = 0; i < nelems; i++)
        memcpy(to + (ptrdiff_t)(i * size) * dst, (const char *)source + (ptrdiff_t)(i * size) * sst, size);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    leave(pe);
}

static void get(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t size, int pe)
{
    const char *from = at(source, pe);

    enter(pe, pe, me, nelems * size);
    for (size_t i = 0; i < nelems; i++)
        memcpy((char *)dest + (ptrdiff_t)(i * size) * dst, from + (ptrdiff_t)(i * size) * sst, size);
    leave(pe);
}

/* ---- start and end ---- */

static long number(const char *name)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : 0;
}

void shmem_init(void)
{
    if (control)
        return;
    me = (int)number("SMA_PE");
    pes = (int)number("SMA_PES");
    delay_us = number("SMA_DELAY_US");
    if (pes < 1) {
        fprintf(stderr, "shmem: start this program with oshrun\n");
        _exit(1);
    }
    share_memory((int)number("SMA_FD"));
    shmem_barrier_all();
}

int shmem_init_thread(int requested, int *provided)
{
    *provided = requested;
    shmem_init();
    return 0;
}

void start_pes(int npes)
{
    (void)npes;
    shmem_init();
}

void shmem_finalize(void)
{
    shmem_barrier_all();
}

void shmem_global_exit(int status)
{
    exit(status);
}

int shmem_my_pe(void)
{
    return me;
}

int shmem_n_pes(void)
{
    return pes;
}

void shmem_info_get_version(int *major, int *minor)
{
    *major = SHMEM_MAJOR_VERSION;
    *minor = SHMEM_MINOR_VERSION;
}

void shmem_info_get_name(char *name)
{
    strcpy(name, "small");
}

/* ---- symmetric memory: never given back ---- */

void *shmem_align(size_t alignment, size_t size)
{
    char *found;

    if (size == 0)
        return NULL;
    heap_used = (heap_used + alignment - 1) / alignment * alignment;
    found = heap + heap_used;
    heap_used += size;
    shmem_barrier_all();
    return heap_used > SEGMENT_BYTES - DATA_BYTES ? NULL : found;
}

void *shmem_malloc(size_t size)
{
    return shmem_align(16, size);
}

void *shmem_calloc(size_t count, size_t size)
{
    return shmem_align(16, count * size);
}

void *shmem_realloc(void *ptr, size_t size)
{
    void *found = shmem_align(16, size);

    if (ptr && found)
        memcpy(found, ptr, size);
    return found;
}

void shmem_free(void *ptr)
{
    if (ptr)
        shmem_barrier_all();
}

void *shmem_ptr(const void *dest, int pe)
{
    return at(dest, pe);
}

/* ---- contexts, order ---- */

struct sma_context {
    int dummy;
};

int shmem_ctx_create(long options, shmem_ctx_t *ctx)
{
    static struct sma_context only;

    (void)options;
    *ctx = &only;
    return 0;
}

void shmem_ctx_destroy(shmem_ctx_t ctx)
{
    (void)ctx;
}

void shmem_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void shmem_quiet(void)
{
    shmem_fence();
}

void shmem_ctx_fence(shmem_ctx_t ctx)
{
    (void)ctx;
    shmem_fence();
}

void shmem_ctx_quiet(shmem_ctx_t ctx)
{
    (void)ctx;
    shmem_fence();
}

/* ---- accesses ---- */

#undef SMA_ACCESS
#define SMA_ACCESS(N, T)                                                                                     \
    void shmem_##N##_p(T *dest, T value, int pe)                                                             \
    {                                                                                                        \
        put(dest, &value, 1, 1, 1, sizeof value, pe);                                                        \
    }                                                                                                        \
    T shmem_##N##_g(const T *source, int pe)                                                                 \
    {                                                                                                        \
        T value;                                                                                             \
        get(&value, source, 1, 1, 1, sizeof value, pe);                                                      \
        return value;                                                                                        \
    }                                                                                                        \
    void shmem_##N##_put(T *dest, const T *source, size_t nelems, int pe)                                    \
    {                                                                                                        \
        put(dest, source, 1, 1, nelems, sizeof *dest, pe);                                                   \
    }                                                                                                        \
    void shmem_##N##_get(T *dest, const T *source, size_t nelems, int pe)                                    \
    {                                                                                                        \
        get(dest, source, 1, 1, nelems, sizeof *dest, pe);                                                   \
    }                                                                                                        \
    void shmem_##N##_put_nbi(T *dest, const T *source, size_t nelems, int pe)                                \
    {                                                                                                        \
        put(dest, source, 1, 1, nelems, sizeof *dest, pe);                                                   \
    }                                                                                                        \
    void shmem_##N##_get_nbi(T *dest, const T *source, size_t nelems, int pe)                                \
    {                                                                                                        \
        get(dest, source, 1, 1, nelems, sizeof *dest, pe);                                                   \
    }                                                                                                        \
    void shmem_##N##_iput(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)     \
    {                                                                                                        \
        put(dest, source, dst, sst, nelems, sizeof *dest, pe);                                               \
    }                                                                                                        \
    void shmem_##N##_iget(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)     \
    {                                                                                                        \
        get(dest, source, dst, sst, nelems, sizeof *dest, pe);                                               \
    }                                                                                                        \
    void shmem_ctx_##N##_p(shmem_ctx_t ctx, T *dest, T value, int pe)                                        \
    {                                                                                                        \
        (void)ctx;                                                                                           \
        put(dest, &value, 1, 1, 1, sizeof value, pe);                                                        \
    }                                                                                                        \
    T shmem_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe)                                            \
    {                                                                                                        \
        T value;                                                                                             \
        (void)ctx;                                                                                           \
        get(&value, source, 1, 1, 1, sizeof value, pe);                                                      \
        return value;                                                                                        \
    }                                                                                                        \
    void shmem_ctx_##N##_put(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe)               \
    {                                                                                                        \
        (void)ctx;                                                                                           \
        put(dest, source, 1, 1, nelems, sizeof *dest, pe);                                                   \
    }                                                                                                        \
    void shmem_ctx_##N##_get(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe)               \
    {                                                                                                        \
        (void)ctx;                                                                                           \
        get(dest, source, 1, 1, nelems, sizeof *dest, pe);                                                   \
    }
SMA_ACCESS_TYPES(SMA_ACCESS)

#define SMA_BLOCK(NAME, WAY, BYTES)                                                                          \
    void shmem_##NAME(void *dest, const void *source, size_t nelems, int pe)                                 \
    {                                                                                                        \
        WAY(dest, source, 1, 1, nelems, BYTES, pe);                                                          \
    }
#define SMA_STRIDED(NAME, WAY, BYTES)                                                                        \
    void shmem_##NAME(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)   \
    {                                                                                                        \
        WAY(dest, source, dst, sst, nelems, BYTES, pe);                                                      \
    }
#undef SMA_SIZED
#define SMA_SIZED(BITS, BYTES)                                                                               \
    SMA_BLOCK(put##BITS, put, BYTES)                                                                         \
    SMA_BLOCK(get##BITS, get, BYTES)                                                                         \
    SMA_BLOCK(put##BITS##_nbi, put, BYTES)                                                                   \
    SMA_BLOCK(get##BITS##_nbi, get, BYTES)                                                                   \
    SMA_STRIDED(iput##BITS, put, BYTES)                                                                      \
    SMA_STRIDED(iget##BITS, get, BYTES)
SMA_SIZES(SMA_SIZED)
SMA_BLOCK(putmem, put, 1)
SMA_BLOCK(getmem, get, 1)
SMA_BLOCK(putmem_nbi, put, 1)
SMA_BLOCK(getmem_nbi, get, 1)

/* ---- atomic operations: counted as what is given and what comes back ---- */

static void enter_atomic(int pe, size_t given, size_t back)
{
    if (pe != me && back) {
        __atomic_fetch_add(&control->messages[pe][me], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&control->bytes[pe][me], back, __ATOMIC_RELAXED);
    }
    enter(pe, me, pe, given);
    if (pe != me && !given)
        __atomic_fetch_sub(&control->messages[me][pe], 1, __ATOMIC_RELAXED);
}

#define SMA_DO(RESULT, NAME, ARGUMENTS, T, GIVEN, BACK, WHAT)                                                \
    RESULT NAME ARGUMENTS                                                                                    \
    {                                                                                                        \
        T old, *to = at(dest, pe);                                                                           \
        enter_atomic(pe, GIVEN, BACK);                                                                       \
        WHAT;                                                                                                \
        leave(pe);                                                                                           \
        return (RESULT)old;                                                                                  \
    }
#define SMA_FETCH(T, NAME, ARGUMENTS, GIVEN, WHAT) SMA_DO(T, NAME, ARGUMENTS, T, GIVEN, sizeof(T), WHAT)
#define SMA_CHANGE(T, NAME, ARGUMENTS, WHAT) SMA_DO(void, NAME, ARGUMENTS, T, sizeof(T), 0, WHAT)
#define SMA_ONE (T * dest, int pe)
#define ADD(BY) old = __atomic_fetch_add(to, BY, __ATOMIC_SEQ_CST)
#define SWAP __atomic_exchange(to, &value, &old, __ATOMIC_SEQ_CST)
#define COMPARE_SWAP                                                                                         \
    (old = cond, (void)__atomic_compare_exchange_n(to, &old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))

#undef SMA_ATOMIC_ANY
#define SMA_ATOMIC_ANY(N, T)                                                                                 \
    SMA_FETCH(T, shmem_##N##_atomic_fetch, (const T *dest, int pe), 0, __atomic_load(to, &old, __ATOMIC_SEQ_CST)) \
    SMA_CHANGE(T, shmem_##N##_atomic_set, (T * dest, T value, int pe), SWAP)                                 \
    SMA_FETCH(T, shmem_##N##_atomic_swap, (T * dest, T value, int pe), sizeof(T), SWAP)
SMA_ATOMIC_TYPES(SMA_ATOMIC_ANY)
SMA_REAL_TYPES(SMA_ATOMIC_ANY)
#undef SMA_ATOMIC
#define SMA_ATOMIC(N, T)                                                                                     \
    SMA_FETCH(T, shmem_##N##_atomic_compare_swap, (T * dest, T cond, T value, int pe), 2 * sizeof(T),        \
              COMPARE_SWAP)                                                                                  \
    SMA_CHANGE(T, shmem_##N##_atomic_inc, (T * dest, int pe), ADD(1))                                        \
    SMA_FETCH(T, shmem_##N##_atomic_fetch_inc, (T * dest, int pe), sizeof(T), ADD(1))                        \
    SMA_CHANGE(T, shmem_##N##_atomic_add, (T * dest, T value, int pe), ADD(value))                           \
    SMA_FETCH(T, shmem_##N##_atomic_fetch_add, (T * dest, T value, int pe), sizeof(T), ADD(value))           \
    SMA_FETCH(T, shmem_ctx_##N##_atomic_fetch_add, (shmem_ctx_t ctx, T * dest, T value, int pe), sizeof(T),  \
              ((void)ctx, ADD(value)))
SMA_ATOMIC_TYPES(SMA_ATOMIC)
#undef SMA_BITWISE
#define SMA_BITWISE_OP(N, T, OP)                                                                             \
    SMA_CHANGE(T, shmem_##N##_atomic_##OP, (T * dest, T value, int pe),                                      \
               old = __atomic_fetch_##OP(to, value, __ATOMIC_SEQ_CST))                                       \
    SMA_FETCH(T, shmem_##N##_atomic_fetch_##OP, (T * dest, T value, int pe), sizeof(T),                      \
              old = __atomic_fetch_##OP(to, value, __ATOMIC_SEQ_CST))
#define SMA_BITWISE(N, T) SMA_BITWISE_OP(N, T, and) SMA_BITWISE_OP(N, T, or) SMA_BITWISE_OP(N, T, xor)
SMA_BITWISE_TYPES(SMA_BITWISE)
#undef SMA_OLD_ATOMIC
#define SMA_OLD_ATOMIC(N, T)                                                                                 \
    SMA_FETCH(T, shmem_##N##_swap, (T * dest, T value, int pe), sizeof(T), SWAP)                             \
    SMA_FETCH(T, shmem_##N##_cswap, (T * dest, T cond, T value, int pe), 2 * sizeof(T), COMPARE_SWAP)        \
    SMA_FETCH(T, shmem_##N##_finc, (T * dest, int pe), sizeof(T), ADD(1))                                    \
    SMA_FETCH(T, shmem_##N##_fadd, (T * dest, T value, int pe), sizeof(T), ADD(value))                       \
    SMA_CHANGE(T, shmem_##N##_inc, (T * dest, int pe), ADD(1))                                               \
    SMA_CHANGE(T, shmem_##N##_add, (T * dest, T value, int pe), ADD(value))
SMA_OLD_ATOMIC_TYPES(SMA_OLD_ATOMIC)

/* ---- waiting for a value ---- */

#undef SMA_SYNC
#define SMA_SYNC(N, T)                                                                                       \
    int shmem_##N##_test(T *ivar, int cmp, T cmp_value)                                                      \
    {                                                                                                        \
        T value = __atomic_load_n(ivar, __ATOMIC_SEQ_CST);                                                   \
        return cmp == SHMEM_CMP_EQ   ? value == cmp_value                                                    \
               : cmp == SHMEM_CMP_NE ? value != cmp_value                                                    \
               : cmp == SHMEM_CMP_GT ? value > cmp_value                                                     \
               : cmp == SHMEM_CMP_LE ? value <= cmp_value                                                    \
               : cmp == SHMEM_CMP_LT ? value < cmp_value                                                     \
                                     : value >= cmp_value;                                                   \
    }                                                                                                        \
    void shmem_##N##_wait_until(T *ivar, int cmp, T cmp_value)                                               \
    {                                                                                                        \
        while (!shmem_##N##_test(ivar, cmp, cmp_value))                                                      \
            pause_us(50);                                                                                    \
    }
SMA_SYNC_TYPES(SMA_SYNC)

/* ---- locks: PE 0's copy has who holds it ---- */

int shmem_test_lock(long *lock)
{
    long nobody = 0;

    return !__atomic_compare_exchange_n((long *)at(lock, 0), &nobody, me + 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void shmem_set_lock(long *lock)
{
    while (shmem_test_lock(lock))
        pause_us(50);
}

void shmem_clear_lock(long *lock)
{
    __atomic_store_n((long *)at(lock, 0), 0, __ATOMIC_SEQ_CST);
}

/* ---- active sets ---- */

struct active {
    int start, stride, size;
};

static struct active active(int start, int log_stride, int size)
{
    return (struct active){start, 1 << log_stride, size};
}

/* The set's entry in the table that all PEs share; the first that comes makes it. */
static struct set *entry(struct active of)
{
    unsigned long key = 1 + (unsigned)of.start + 1000ul * (unsigned)of.stride + 1000000ul * (unsigned)of.size;
    size_t i = key % SETS;

    for (;; i = (i + 1) % SETS) {
        unsigned long found = 0;
        if (__atomic_compare_exchange_n(&control->sets[i].key, &found, key, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
            found == key)
            return &control->sets[i];
    }
}

static void meet(struct active of)
{
    struct set *set = entry(of);
    unsigned round = __atomic_load_n(&set->round, __ATOMIC_SEQ_CST);

    if (__atomic_add_fetch(&set->here, 1, __ATOMIC_SEQ_CST) == (unsigned)of.size) {
        __atomic_store_n(&set->here, 0, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&set->round, 1, __ATOMIC_SEQ_CST);
        return;
    }
    while (__atomic_load_n(&set->round, __ATOMIC_SEQ_CST) == round)
        pause_us(50);
}

static int member(struct active of, int i)
{
    return of.start + i * of.stride;
}

static int place(struct active of)
{
    return (me - of.start) / of.stride;
}

void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    (void)pSync;
    meet(active(PE_start, logPE_stride, PE_size));
}

void shmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync)
{
    shmem_barrier(PE_start, logPE_stride, PE_size, pSync);
}

void shmem_barrier_all(void)
{
    meet(active(0, 0, pes));
}

void shmem_sync_all(void)
{
    shmem_barrier_all();
}

/* ---- collective operations ---- */

static void broadcast(void *dest, const void *source, size_t bytes, int root, struct active of)
{
    meet(of);
    if (place(of) != root)
        memcpy(dest, at(source, member(of, root)), bytes);
    meet(of);
}

static void collect(char *dest, const void *source, size_t bytes, struct active of)
{
    control->collected[me] = bytes;
    meet(of);
    for (int i = 0; i < of.size; i++) {
        int pe = member(of, i);
        memcpy(dest, at(source, pe), control->collected[pe]);
        dest += control->collected[pe];
    }
    meet(of);
}

static void exchange(char *dest, const char *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, size_t size,
                     struct active of)
{
    ptrdiff_t step = (ptrdiff_t)(nelems * size);

    meet(of);
    for (int i = 0; i < of.size; i++) {
        const char *from = (const char *)at(source, member(of, i)) + place(of) * sst * step;
        for (size_t k = 0; k < nelems; k++)
            memcpy(dest + i * dst * step + (ptrdiff_t)(k * size) * dst, from + (ptrdiff_t)(k * size) * sst, size);
    }
    meet(of);
}

#undef SMA_COLLECTIVE
#define SMA_COLLECTIVE(BITS)                                                                                 \
    void shmem_broadcast##BITS(void *dest, const void *source, size_t nelems, int PE_root, int PE_start,     \
                               int logPE_stride, int PE_size, long *pSync)                                   \
    {                                                                                                        \
        (void)pSync;                                                                                         \
        broadcast(dest, source, nelems * BITS / 8, PE_root, active(PE_start, logPE_stride, PE_size));        \
    }                                                                                                        \
    void shmem_collect##BITS(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride,  \
                             int PE_size, long *pSync)                                                       \
    {                                                                                                        \
        (void)pSync;                                                                                         \
        collect(dest, source, nelems * BITS / 8, active(PE_start, logPE_stride, PE_size));                   \
    }                                                                                                        \
    void shmem_fcollect##BITS(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, \
                              int PE_size, long *pSync)                                                      \
    {                                                                                                        \
        (void)pSync;                                                                                         \
        collect(dest, source, nelems * BITS / 8, active(PE_start, logPE_stride, PE_size));                   \
    }                                                                                                        \
    void shmem_alltoall##BITS(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, \
                              int PE_size, long *pSync)                                                      \
    {                                                                                                        \
        (void)pSync;                                                                                         \
        exchange(dest, source, 1, 1, nelems, BITS / 8, active(PE_start, logPE_stride, PE_size));             \
    }                                                                                                        \
    void shmem_alltoalls##BITS(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,  \
                               int PE_start, int logPE_stride, int PE_size, long *pSync)                     \
    {                                                                                                        \
        (void)pSync;                                                                                         \
        exchange(dest, source, dst, sst, nelems, BITS / 8, active(PE_start, logPE_stride, PE_size));         \
    }
SMA_COLLECTIVE(32)
SMA_COLLECTIVE(64)

#undef SMA_REDUCE
#define SMA_REDUCE_BY(N, T, OP, EXPRESSION)                                                                  \
    void shmem_##N##_##OP##_to_all(T *dest, const T *source, int nreduce, int PE_start, int logPE_stride,    \
                                   int PE_size, T *pWrk, long *pSync)                                        \
    {                                                                                                        \
        struct active of = active(PE_start, logPE_stride, PE_size);                                          \
        T result[nreduce];                                                                                   \
        (void)pWrk, (void)pSync;                                                                             \
        meet(of);                                                                                            \
        for (int k = 0; k < nreduce; k++)                                                                    \
            for (int i = 0; i < of.size; i++) {                                                              \
                T b = ((const T *)at(source, member(of, i)))[k], a = i ? result[k] : b;                      \
                result[k] = i ? EXPRESSION : b;                                                              \
            }                                                                                                \
        meet(of);                                                                                            \
        memcpy(dest, result, sizeof result);                                                                 \
    }
#undef SMA_SUM
#undef SMA_ORDERED
#undef SMA_LOGICAL
#define SMA_SUM(N, T) SMA_REDUCE_BY(N, T, sum, a + b) SMA_REDUCE_BY(N, T, prod, a *b)
#define SMA_ORDERED(N, T) SMA_REDUCE_BY(N, T, max, a > b ? a : b) SMA_REDUCE_BY(N, T, min, a < b ? a : b)
#define SMA_LOGICAL(N, T)                                                                                    \
    SMA_REDUCE_BY(N, T, and, (T)(a & b)) SMA_REDUCE_BY(N, T, or, (T)(a | b)) SMA_REDUCE_BY(N, T, xor, (T)(a ^ b))
SMA_SUM_TYPES(SMA_SUM)
SMA_ORDERED_TYPES(SMA_ORDERED)
SMA_LOGICAL_TYPES(SMA_LOGICAL)
