#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/recorder.h"

#include "recorder/domain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct ws_clock_scale ws_clock_scale;

#if WS_HAVE_COUNTER

/* A scale is good for durations within 10 parts in a million; what is left is the same for all processes of
 * the domain, and between domains it is measured as drift.  Two readings of 20 ns at each end of 10 ms give
 * 2 parts in a million. */
#define WORST_PPB 10000
#define LEAST_SPAN_NS UINT64_C(10000000)

/* What the counter and the kernel's clock showed at one moment, within gap_ns. */
struct moment {
    uint64_t count, ns, gap_counts;
};
static struct moment loaded; /* gap_counts 0: there is no counter to use */

static struct moment take_moment(void)
{
    struct moment best = {.gap_counts = UINT64_MAX};

    for (int i = 0; i < 16; i++) {
        uint64_t before = ws_counter(), ns = ws_clock_kernel_ns(), gap = ws_counter() - before;
        if (gap < best.gap_counts)
            best = (struct moment){before + gap / 2, ns, gap};
    }
    best.gap_counts += best.gap_counts == 0;
    return best;
}

#ifdef __x86_64__
#include <cpuid.h>

/* Runs evenly in all states of the processor, and the program may read it. */
static bool counter_is_even(void)
{
    unsigned eax, ebx, ecx, edx;
    int allowed = 0;

    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8) &&
           prctl(PR_GET_TSC, &allowed) == 0 && allowed == PR_TSC_ENABLE;
}
#define KERNELS_NAME "tsc\n"
#else
static bool counter_is_even(void)
{
    return true;
}
#define KERNELS_NAME "arch_sys_counter\n"
#endif

/* The kernel gives up a counter that it found to differ between processors. */
static bool kernel_uses_counter(void)
{
    char name[32];

    return ws_read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
                        sizeof name) &&
           strcmp(name, KERNELS_NAME) == 0;
}

void ws_clock_load(void)
{
    const char *wanted = getenv("WHYSLOW_CLOCK");

    if (loaded.gap_counts == 0 && !(wanted && strcmp(wanted, "kernel") == 0) && counter_is_even() &&
        kernel_uses_counter())
        loaded = take_moment();
}

static void sleep_ns(uint64_t ns)
{
    const struct timespec time = {.tv_nsec = (long)ns};

    nanosleep(&time, NULL);
}

/* Multiplier 0 where there is no counter, or it cannot be measured well enough. */
static struct ws_clock_scale measure(void)
{
    const struct ws_clock_scale none = {0};
    struct ws_clock_scale scale;
    uint64_t so_far, counts, ns;
    struct moment now;

    if (loaded.gap_counts == 0)
        return none;
    so_far = ws_clock_kernel_ns() - loaded.ns;
    if (so_far < LEAST_SPAN_NS)
        sleep_ns(LEAST_SPAN_NS - so_far);
    now = take_moment();
    counts = now.count - loaded.count;
    ns = now.ns - loaded.ns;
    if (ns < LEAST_SPAN_NS / 2 || counts < ns >> 8)
        return none;
    scale.count0 = loaded.count;
    scale.ns0 = loaded.ns;
    scale.multiplier = (uint64_t)(((unsigned __int128)ns << WS_CLOCK_SHIFT) / counts);
    scale.error_ppb = (uint32_t)((double)(loaded.gap_counts + now.gap_counts) / 2 * 1e9 / (double)counts) + 1;
    return scale.error_ppb <= WORST_PPB ? scale : none;
}

static bool may_count(void)
{
    return loaded.gap_counts != 0;
}

#else

void ws_clock_load(void)
{
}

static bool may_count(void)
{
    return false;
}

static struct ws_clock_scale measure(void)
{
    return (struct ws_clock_scale){0};
}

#endif

void ws_clock_agree(uint32_t rank)
{
    struct ws_clock_scale scale;

    if (!ws_recorder_folder()[0] || WS_ONE_CLOCK)
        return;
    if ((ws_domain_scale(&scale) || ws_domain_offer(measure(), rank, &scale)) && may_count())
        ws_clock_scale = scale;
}
