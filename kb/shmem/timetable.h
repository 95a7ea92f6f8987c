/* Planted delays for the test programs of this folder, as in kb/mpi/timetable.h: the PEs, all on one machine, keep a
 * common timetable of moments since a common start.  Sleeping stands for computing. */
#ifndef TIMETABLE_H
#define TIMETABLE_H

#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define TIMETABLE_PES_MOST 64

static int64_t timetable_start_ns;
static long timetable_here[2][TIMETABLE_PES_MOST]; /* when each PE came to the start: this one, and the one before */

static inline int64_t timetable_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* "Computes" until the given moment of the timetable; returns at once where it has passed. */
static inline void compute_until_ms(int ms)
{
    int64_t until_ns = timetable_start_ns + ms * INT64_C(1000000);
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* shmem_init, and what Debian's Open MPI wants to be told lest it crashes in shmem_finalize. */
static inline void timetable_init(void)
{
    setenv("OMPI_MCA_patcher", "^overwrite", 0);
    shmem_init();
}

/* Whether that moment is still to come. */
static inline int before_ms(int ms)
{
    return timetable_now_ns() < timetable_start_ns + ms * INT64_C(1000000);
}

/* Lets the others get at this PE's memory where that needs its help, as over TCP, without waiting long. */
static inline void serve(int pe)
{
    static long nothing;
    shmem_long_p(&nothing, 1, pe);
    shmem_quiet();
}

/* The same where the others' atomic operations and locks need it, until PE `pe` answers. */
static inline void serve_atomics(int pe)
{
    static long nothing;
    shmem_long_atomic_fetch_add(&nothing, 1, pe);
}

/* serve() until PE `pe` makes this PE's *done other than 0. */
static inline void serve_until(const volatile long *done, int pe)
{
    while (!*done)
        serve(pe);
}

/* All PEs meet here and start the timetable, 20 ms after the last has come.  Nobody waits long inside SHMEM: that would be
 * a problem found. */
static inline void timetable_begin(void)
{
    static int round;
    volatile long *here = timetable_here[round++ % 2];
    long now_ns = (long)timetable_now_ns();
    int me = shmem_my_pe(), pes = shmem_n_pes();
    for (int pe = 0; pe < pes; pe++)
        shmem_long_p((long *)&here[me], now_ns, pe);
    timetable_start_ns = 0;
    for (int pe = 0; pe < pes; pe++) {
        while (!here[pe])
            serve(pe);
        timetable_start_ns = here[pe] > timetable_start_ns ? here[pe] : timetable_start_ns;
        here[pe] = 0;
    }
    timetable_start_ns += 20000000;
    compute_until_ms(0);
}

#endif
