/* What a message costs: the best of many chunks, in ns, one line for each operation.  Run it bare and recorded. */
#ifndef COST_H
#define COST_H

#include <stdio.h>
#include <time.h>

enum { CHUNKS = 40, CALLS = 1000 };

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* All processes call it; the one that speaks tells the best chunk of `chunk`, which moves CALLS messages. */
static void measure(const char *what, void (*chunk)(void), int speaks)
{
    double best = 1e18;

    for (int i = 0; i < CHUNKS; i++) {
        double begin = now_ns(), ns;
        chunk();
        ns = (now_ns() - begin) / CALLS;
        best = ns < best ? ns : best;
    }
    if (speaks)
        printf("message %s %.1f\n", what, best);
}

#endif
