/* A small OpenSHMEM 1.4 for the tests: processes on one machine, whose data segments and symmetric heaps lie in memory that
 * they share.  What waits really waits; what is remote takes SMA_DELAY_US, one access at a time at each PE. */
#ifndef SHMEM_H
#define SHMEM_H

#include <complex.h>
#include <stddef.h>
#include <stdint.h>

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 4
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_SYNC_VALUE (-1L)
enum { SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE };
enum { SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED, SHMEM_THREAD_MULTIPLE };
enum {
    SHMEM_BARRIER_SYNC_SIZE = 1,
    SHMEM_BCAST_SYNC_SIZE = 1,
    SHMEM_COLLECT_SYNC_SIZE = 1,
    SHMEM_REDUCE_SYNC_SIZE = 1,
    SHMEM_ALLTOALL_SYNC_SIZE = 1,
    SHMEM_ALLTOALLS_SYNC_SIZE = 1,
    SHMEM_REDUCE_MIN_WRKDATA_SIZE = 1
};

typedef struct sma_context *shmem_ctx_t;
#define SHMEM_CTX_DEFAULT ((shmem_ctx_t)0)

void shmem_init(void);
int shmem_init_thread(int requested, int *provided);
void start_pes(int npes);
void shmem_finalize(void);
void shmem_global_exit(int status);
int shmem_my_pe(void);
int shmem_n_pes(void);


void shmem_info_get_version(int *major, int *minor);
void shmem_info_get_name(char *name);

void *shmem_malloc(size_t size);
void *shmem_calloc(size_t count, size_t size);
void *shmem_align(size_t alignment, size_t size);
void *shmem_realloc(void *ptr, size_t size);
void shmem_free(void *ptr);
void *shmem_ptr(const void *dest, int pe);

int shmem_ctx_create(long options, shmem_ctx_t *ctx);
void shmem_ctx_destroy(shmem_ctx_t ctx);
void shmem_fence(void);
void shmem_quiet(void);
void shmem_ctx_fence(shmem_ctx_t ctx);
void shmem_ctx_quiet(shmem_ctx_t ctx);

void shmem_set_lock(long *lock);
void shmem_clear_lock(long *lock);
int shmem_test_lock(long *lock);

void shmem_barrier_all(void);
void shmem_sync_all(void);
void shmem_barrier(int PE_start, int logPE_stride, int PE_size, long *pSync);
void shmem_sync(int PE_start, int logPE_stride, int PE_size, long *pSync);

/* ---- the types: TYPENAME, TYPE ---- */

#define SMA_BITWISE_TYPES(X)                                                                                 \
    X(uint, unsigned int)                                                                                    \
    X(ulong, unsigned long)                                                                                  \
    X(ulonglong, unsigned long long)                                                                         \
    X(int32, int32_t)                                                                                        \
    X(int64, int64_t)                                                                                        \
    X(uint32, uint32_t)                                                                                      \
    X(uint64, uint64_t)
#define SMA_ATOMIC_TYPES(X)                                                                                  \
    SMA_BITWISE_TYPES(X)                                                                                     \
    X(int, int)                                                                                              \
    X(long, long)                                                                                            \
    X(longlong, long long)                                                                                   \
    X(size, size_t)                                                                                          \
    X(ptrdiff, ptrdiff_t)
#define SMA_REAL_TYPES(X)                                                                                    \
    X(float, float)                                                                                          \
    X(double, double)
#define SMA_SHORT_TYPES(X)                                                                                   \
    X(short, short)                                                                                          \
    X(ushort, unsigned short)
#define SMA_SYNC_TYPES(X) SMA_ATOMIC_TYPES(X) SMA_SHORT_TYPES(X)
#define SMA_ACCESS_TYPES(X)                                                                                  \
    SMA_SYNC_TYPES(X)                                                                                        \
    SMA_REAL_TYPES(X)                                                                                        \
    X(longdouble, long double)                                                                               \
    X(char, char)                                                                                            \
    X(schar, signed char)                                                                                    \
    X(uchar, unsigned char)                                                                                  \
    X(int8, int8_t)                                                                                          \
    X(int16, int16_t)                                                                                        \
    X(uint8, uint8_t)                                                                                        \
    X(uint16, uint16_t)
#define SMA_OLD_ATOMIC_TYPES(X)                                                                              \
    X(int, int)                                                                                              \
    X(long, long)                                                                                            \
    X(longlong, long long)
#define SMA_LOGICAL_TYPES(X) X(short, short) SMA_OLD_ATOMIC_TYPES(X)
#define SMA_ORDERED_TYPES(X) SMA_LOGICAL_TYPES(X) SMA_REAL_TYPES(X) X(longdouble, long double)
#define SMA_SUM_TYPES(X)                                                                                     \
    SMA_ORDERED_TYPES(X)                                                                                     \
    X(complexf, float _Complex)                                                                              \
    X(complexd, double _Complex)
#define SMA_SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16) /* bits, bytes */

/* ---- the families ---- */

#define SMA_ACCESS(N, T)                                                                                     \
    void shmem_##N##_p(T *dest, T value, int pe);                                                            \
    T shmem_##N##_g(const T *source, int pe);                                                                \
    void shmem_##N##_put(T *dest, const T *source, size_t nelems, int pe);                                   \
    void shmem_##N##_get(T *dest, const T *source, size_t nelems, int pe);                                   \
    void shmem_##N##_put_nbi(T *dest, const T *source, size_t nelems, int pe);                               \
    void shmem_##N##_get_nbi(T *dest, const T *source, size_t nelems, int pe);                               \
    void shmem_##N##_iput(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);    \
    void shmem_##N##_iget(T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);    \
    void shmem_ctx_##N##_p(shmem_ctx_t ctx, T *dest, T value, int pe);                                       \
    T shmem_ctx_##N##_g(shmem_ctx_t ctx, const T *source, int pe);                                           \
    void shmem_ctx_##N##_put(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe);              \
    void shmem_ctx_##N##_get(shmem_ctx_t ctx, T *dest, const T *source, size_t nelems, int pe);
SMA_ACCESS_TYPES(SMA_ACCESS)

#define SMA_SIZED(BITS, BYTES)                                                                               \
    void shmem_put##BITS(void *dest, const void *source, size_t nelems, int pe);                             \
    void shmem_get##BITS(void *dest, const void *source, size_t nelems, int pe);                             \
    void shmem_put##BITS##_nbi(void *dest, const void *source, size_t nelems, int pe);                       \
    void shmem_get##BITS##_nbi(void *dest, const void *source, size_t nelems, int pe);                       \
    void shmem_iput##BITS(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,       \
                          int pe);                                                                           \
    void shmem_iget##BITS(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe);
SMA_SIZES(SMA_SIZED)
void shmem_putmem(void *dest, const void *source, size_t nelems, int pe);
void shmem_getmem(void *dest, const void *source, size_t nelems, int pe);
void shmem_putmem_nbi(void *dest, const void *source, size_t nelems, int pe);
void shmem_getmem_nbi(void *dest, const void *source, size_t nelems, int pe);

#define SMA_ATOMIC_ANY(N, T)                                                                                 \
    T shmem_##N##_atomic_fetch(const T *source, int pe);                                                     \
    void shmem_##N##_atomic_set(T *dest, T value, int pe);                                                   \
    T shmem_##N##_atomic_swap(T *dest, T value, int pe);
SMA_ATOMIC_TYPES(SMA_ATOMIC_ANY)
SMA_REAL_TYPES(SMA_ATOMIC_ANY)
#define SMA_ATOMIC(N, T)                                                                                     \
    T shmem_##N##_atomic_compare_swap(T *dest, T cond, T value, int pe);                                     \
    void shmem_##N##_atomic_inc(T *dest, int pe);                                                            \
    T shmem_##N##_atomic_fetch_inc(T *dest, int pe);                                                         \
    void shmem_##N##_atomic_add(T *dest, T value, int pe);                                                   \
    T shmem_##N##_atomic_fetch_add(T *dest, T value, int pe);                                                \
    T shmem_ctx_##N##_atomic_fetch_add(shmem_ctx_t ctx, T *dest, T value, int pe);
SMA_ATOMIC_TYPES(SMA_ATOMIC)
#define SMA_BITWISE(N, T)                                                                                    \
    void shmem_##N##_atomic_and(T *dest, T value, int pe);                                                   \
    void shmem_##N##_atomic_or(T *dest, T value, int pe);                                                    \
    void shmem_##N##_atomic_xor(T *dest, T value, int pe);                                                   \
    T shmem_##N##_atomic_fetch_and(T *dest, T value, int pe);                                                \
    T shmem_##N##_atomic_fetch_or(T *dest, T value, int pe);                                                 \
    T shmem_##N##_atomic_fetch_xor(T *dest, T value, int pe);
SMA_BITWISE_TYPES(SMA_BITWISE)
#define SMA_OLD_ATOMIC(N, T)                                                                                 \
    T shmem_##N##_swap(T *dest, T value, int pe);                                                            \
    T shmem_##N##_cswap(T *dest, T cond, T value, int pe);                                                   \
    T shmem_##N##_finc(T *dest, int pe);                                                                     \
    T shmem_##N##_fadd(T *dest, T value, int pe);                                                            \
    void shmem_##N##_inc(T *dest, int pe);                                                                   \
    void shmem_##N##_add(T *dest, T value, int pe);
SMA_OLD_ATOMIC_TYPES(SMA_OLD_ATOMIC)

#define SMA_SYNC(N, T)                                                                                       \
    void shmem_##N##_wait_until(T *ivar, int cmp, T cmp_value);                                              \
    int shmem_##N##_test(T *ivar, int cmp, T cmp_value);
SMA_SYNC_TYPES(SMA_SYNC)

#define SMA_REDUCE(N, T, OP)                                                                                 \
    void shmem_##N##_##OP##_to_all(T *dest, const T *source, int nreduce, int PE_start, int logPE_stride,    \
                                   int PE_size, T *pWrk, long *pSync);
#define SMA_SUM(N, T) SMA_REDUCE(N, T, sum) SMA_REDUCE(N, T, prod)
#define SMA_ORDERED(N, T) SMA_REDUCE(N, T, max) SMA_REDUCE(N, T, min)
#define SMA_LOGICAL(N, T) SMA_REDUCE(N, T, and) SMA_REDUCE(N, T, or) SMA_REDUCE(N, T, xor)
SMA_SUM_TYPES(SMA_SUM)
SMA_ORDERED_TYPES(SMA_ORDERED)
SMA_LOGICAL_TYPES(SMA_LOGICAL)

#define SMA_COLLECTIVE(BITS)                                                                                 \
    void shmem_broadcast##BITS(void *dest, const void *source, size_t nelems, int PE_root, int PE_start,     \
                               int logPE_stride, int PE_size, long *pSync);                                  \
    void shmem_collect##BITS(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride,  \
                             int PE_size, long *pSync);                                                      \
    void shmem_fcollect##BITS(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, \
                              int PE_size, long *pSync);                                                     \
    void shmem_alltoall##BITS(void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, \
                              int PE_size, long *pSync);                                                     \
    void shmem_alltoalls##BITS(void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,  \
                               int PE_start, int logPE_stride, int PE_size, long *pSync);
SMA_COLLECTIVE(32)
SMA_COLLECTIVE(64)

#endif
