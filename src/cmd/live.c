/* What is found while the program runs.  A process of its own looks at the trace now and then: it has the
 * patience of nice 19, and neither the launcher's waiting nor the final report know of it.  Each look is one more
 * process, so that whatever a half-written trace does to it ends with it. */
#include "cmd/cmd.h"

#include "report/report.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_PATIENT 19
#define LEAST_PAUSE_S 3.0
#define PAUSES_PER_LOOK 5.0 /* so that looking takes a sixth of one core's time at most */

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Neither of the two outlives the one that made it. */
static void depend_on(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
}

/* Nothing is shown where there is nothing to read yet.  One write, so that lines of the program do not come in
 * between. */
static void look(const struct ws_live *live)
{
    struct ws_diagnosis_options options = {.engine = live->choices->engine,
                                           .threshold_percent = live->choices->threshold_percent,
                                           .growing = true};
    struct ws_diagnosis diagnosis;
    struct ws_error error;
    char *text = NULL;
    size_t length = 0;
    FILE *out;

    if (ws_diagnose(live->directory, live->kb, &options, &diagnosis, &error) != 0)
        return;
    out = open_memstream(&text, &length);
    if (!out)
        return;
    fputs("whyslow: ", out);
    if (ws_report_write(&diagnosis, "brief", out, &error) == 0 && fclose(out) == 0 &&
        write(STDERR_FILENO, text, length) < 0)
        return;
    free(text);
    ws_diagnosis_free(&diagnosis);
}

static void look_apart(const struct ws_live *live)
{
    pid_t own = getpid(), child = fork();

    if (child == 0) {
        depend_on(own);
        look(live);
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void watch(const struct ws_live *live)
{
    double pause_s = LEAST_PAUSE_S;

    for (;;) {
        struct timespec pause = {(time_t)pause_s, (long)((pause_s - (double)(time_t)pause_s) * 1e9)};
        double begin_s;
        nanosleep(&pause, NULL);
        begin_s = now_s();
        look_apart(live);
        pause_s = PAUSES_PER_LOOK * (now_s() - begin_s);
        pause_s = pause_s < LEAST_PAUSE_S ? LEAST_PAUSE_S : pause_s;
    }
}

static void begin(void *context)
{
    struct ws_live *live = context;
    pid_t own = getpid();

    if (!isatty(STDERR_FILENO)) {
        ws_message("--live: standard error is no terminal: nothing is shown until the program has ended");
        return;
    }
    live->watching = fork();
    if (live->watching == 0) {
        setpgid(0, 0); /* keys of the terminal are not for us */
        depend_on(own);
        signal(SIGTTOU, SIG_IGN); /* writing from the background */
        setpriority(PRIO_PROCESS, 0, MOST_PATIENT);
        watch(live);
    }
    if (live->watching > 0)
        setpgid(live->watching, live->watching); /* whoever of us is first */
}

static void end(void *context)
{
    struct ws_live *live = context;

    if (live->watching <= 0)
        return;
    kill(-live->watching, SIGKILL);
    while (waitpid(live->watching, NULL, 0) < 0 && errno == EINTR)
        continue;
    live->watching = 0;
}

struct ws_watcher ws_cmd_live(struct ws_live *live)
{
    return (struct ws_watcher){begin, end, live};
}
