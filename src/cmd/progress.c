/* How far a long command has come, on a terminal. */
#include "cmd/cmd.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 2 /* after which people want to see that something goes on */

static time_t now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* On one line, again and again. */
static void show(double share, void *context)
{
    struct ws_progress *progress = context;

    if (now_s() - progress->begin_s <= PATIENCE_S)
        return;
    progress->shown = true;
    fprintf(stderr, "\rwhyslow: %s … %.0f %%", progress->doing, 100 * share);
    fflush(stderr);
}

struct ws_progress ws_progress_begin(const char *doing)
{
    return (struct ws_progress){
        .doing = doing, .begin_s = now_s(), .show = isatty(STDERR_FILENO) ? show : NULL};
}

void ws_progress_end(const struct ws_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%60s\r", "");
}
