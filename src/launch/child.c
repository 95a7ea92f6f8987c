#include "launch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

struct signals { /* as they were before, for the child and for afterwards */
    sigset_t mask;
    struct sigaction child;
};

/* From here to release_signals signals wait to be fetched one by one.  One that is ignored (nohup) stays
 * ignored, here and in the child. */
static sigset_t hold_signals(struct signals *before)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&set, passed_on[i]);
    sigprocmask(SIG_BLOCK, &set, &before->mask);
    /* With SIGCHLD ignored, as a parent may have left it, there would be no exit code to fetch. */
    sigaction(SIGCHLD, &plain, &before->child);
    return set;
}

/* The keys of the terminal were meant for the command, which has ended: we go on to what comes after it. */
static void drop_keys(void)
{
    const struct timespec at_once = {0};
    sigset_t keys;

    sigemptyset(&keys);
    sigaddset(&keys, SIGINT);
    sigaddset(&keys, SIGQUIT);
    while (sigtimedwait(&keys, NULL, &at_once) > 0)
        continue;
}

static void release_signals(const struct signals *before)
{
    sigaction(SIGCHLD, &before->child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

static void become(char *const *command, const struct ws_setting *settings, const struct signals *before,
                   int failure)
{
    int cause;

    for (; settings->name; settings++)
        if (settings->value)
            setenv(settings->name, settings->value, 1);
        else
            unsetenv(settings->name);
    release_signals(before);
    execvp(command[0], command);
    cause = errno;
    while (write(failure, &cause, sizeof cause) < 0 && errno == EINTR)
        continue;
    _exit(127);
}

/* A signal from the terminal (sent by the kernel) has reached the whole group, the child with it; one
 * that was sent to us alone is passed on. */
static void pass_on(pid_t child, const siginfo_t *info)
{
    if (info->si_code != SI_KERNEL)
        kill(child, info->si_signo);
}

static int wait_for(pid_t child, const sigset_t *set)
{
    int status;

    for (;;) {
        siginfo_t info;
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child)
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (ended < 0 && errno != EINTR)
            return 127; /* cannot be: it is our child and nobody else waits for it */
        if (sigwaitinfo(set, &info) > 0 && info.si_signo != SIGCHLD)
            pass_on(child, &info);
    }
}

int ws_child_run(char *const *command, const struct ws_setting *settings, int *exit_code,
                 struct ws_error *error)
{
    struct signals before;
    sigset_t set;
    int ends[2], cause = 0;
    ssize_t got;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return ws_fail(error, WS_ENVIRONMENT, "cannot start %s: %s", command[0], strerror(errno));
    set = hold_signals(&before);
    child = fork();
    if (child == 0)
        become(command, settings, &before, ends[1]);
    cause = errno;
    close(ends[1]);
    if (child > 0) {
        /* The pipe closes when the command runs; before that it tells why it does not. */
        while ((got = read(ends[0], &cause, sizeof cause)) < 0 && errno == EINTR)
            continue;
        *exit_code = wait_for(child, &set);
        drop_keys();
        if (got != sizeof cause)
            cause = 0;
    }
    close(ends[0]);
    release_signals(&before);
    if (child < 0 || cause)
        return ws_fail(error, child < 0 ? WS_ENVIRONMENT : WS_USAGE, "cannot start %s: %s", command[0],
                       strerror(cause));
    return 0;
}
