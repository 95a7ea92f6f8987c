/* The clock of all records: CLOCK_MONOTONIC_RAW, which no time service slews or steps, in ns.
 *
 * Where the machine's time-stamp counter runs evenly and the kernel itself keeps time by it, it is read
 * directly, at 10 ns instead of 24 (the two readings of a call were most of what recording cost).  How counts
 * become ns is agreed once by all processes that share the clock: a difference of two parts in a million
 * between two processes of a node would be 2 us after a second, longer than a message takes. */
#ifndef WS_RECORDER_CLOCK_H
#define WS_RECORDER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined WS_SIMULATED
#define WS_HAVE_COUNTER 0
#elif defined __x86_64__ && defined __SIZEOF_INT128__
#define WS_HAVE_COUNTER 1
static inline uint64_t ws_counter(void)
{
    uint32_t low, high;

    __asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}
#elif defined __aarch64__ && defined __SIZEOF_INT128__
#define WS_HAVE_COUNTER 1
static inline uint64_t ws_counter(void)
{
    uint64_t count;

    __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(count));
    return count;
}
#else
#define WS_HAVE_COUNTER 0
#endif

#define WS_CLOCK_SHIFT 56 /* of the multiplier: it is ns per count * 2^56 */

/* ns = ns0 + (count - count0) * multiplier / 2^56; multiplier 0: the kernel is asked. */
struct ws_clock_scale {
    uint64_t count0, ns0, multiplier;
    uint32_t error_ppb; /* its greatest error, in 10^-9 */
};
extern struct ws_clock_scale ws_clock_scale; /* settled before the first record, then constant */

/* A simulated clock is that of all processes: there is nothing to agree on, and who waits for it waits for
 * ever. */
#ifdef WS_SIMULATED
uint64_t ws_simulated_ns(void); /* recorder.h */
#define WS_ONE_CLOCK true
#else
#define WS_ONE_CLOCK false
#endif

/* The kernel's reading of the same clock; a simulated one is nobody else's. */
static inline uint64_t ws_clock_kernel_ns(void)
{
#ifdef WS_SIMULATED
    return ws_simulated_ns();
#else
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
#endif
}

/* Plain readings may trade places by a few counts with what surrounds them: ws_call keeps a thread's times
 * in order. */
static inline uint64_t ws_clock_ns(void)
{
#if WS_HAVE_COUNTER
    if (__builtin_expect(ws_clock_scale.multiplier != 0, 1))
        return ws_clock_scale.ns0 + (uint64_t)((unsigned __int128)(ws_counter() - ws_clock_scale.count0) *
                                                   ws_clock_scale.multiplier >>
                                               WS_CLOCK_SHIFT);
#endif
    return ws_clock_kernel_ns();
}

/* When the library is loaded and is to record: begins to measure the counter. */
void ws_clock_load(void);
/* After MPI_Init: settles the scale with the other processes of the clock domain (recorder/domain.h). */
void ws_clock_agree(uint32_t rank);

#endif
