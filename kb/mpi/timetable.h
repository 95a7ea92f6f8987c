/* Planted delays for the test programs of the knowledge base.  The ranks, all on one machine, keep a common
 * timetable of moments since a common start instead of adding up sleeps: oversleeping does not accumulate,
 * and the waiting time of the whole program is what was planted.  Sleeping stands for computing; it leaves
 * the core to the other ranks.  Where the ranks of a program must not wait for each other by chance, they
 * come 20 ms apart: work of others on the machine then changes nothing. */
#ifndef TIMETABLE_H
#define TIMETABLE_H

#include <mpi.h>
#include <stdint.h>
#include <time.h>

static int64_t timetable_start_ns;

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
#ifdef SMPI_H /* simulated: of the functions that sleep clock_nanosleep is the one that takes no simulated time */
    int64_t left_ns = until_ns - timetable_now_ns();
    struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    if (left_ns > 0)
        nanosleep(&left, NULL);
#else
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
#endif
}

/* All ranks meet here and (re)start the timetable, 20 ms after the last has come.  Nobody waits inside MPI:
 * that would be a problem found. */
static inline void timetable_begin(void)
{
    int64_t now_ns = timetable_now_ns();
    MPI_Request everyone;
    int here = 0;
    MPI_Iallreduce(&now_ns, &timetable_start_ns, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &everyone);
    while (MPI_Test(&everyone, &here, MPI_STATUS_IGNORE), !here)
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    timetable_start_ns += 20000000;
    compute_until_ms(0);
}

/* Serves one-sided access until the given moment without waiting in MPI: some MPIs need the help of the
 * target to grant a lock or to take a put. */
static inline void serve_until_ms(int ms)
{
    int arrived;
    while (timetable_now_ns() < timetable_start_ns + ms * INT64_C(1000000)) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

#endif
