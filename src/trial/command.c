#include "trial/command.h"

#include "trial/trial.h"
#include "util/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void take_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

void ws_catch_interrupts(void)
{
    signal(SIGINT, take_interrupt);
    signal(SIGTERM, take_interrupt);
}

bool ws_trial_interrupted(void)
{
    return interrupted;
}

void ws_words_add(struct ws_command_words *words, const char *word)
{
    WS_PUSH(words->items, words->count, words->capacity) = word;
}

/* In the child: input from nowhere, output and errors into files. */
static void redirect(const char *output, const char *errors)
{
    static const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    int in = open("/dev/null", O_RDONLY), out = open(output, flags, 0666), err = open(errors, flags, 0666);

    if (in < 0 || out < 0 || err < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
        _exit(127);
}

/* Ends a command: politely first, so that a launcher can end its ranks. */
static void end_command(pid_t pid)
{
    kill(-pid, SIGTERM);
    for (int i = 0; i < 150; i++) {
        if (waitpid(pid, NULL, WNOHANG) == pid) {
            kill(-pid, SIGKILL);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Waits for a command; its exit code, 128 + signal, or WS_TOO_SLOW after ending it. */
static int wait_for(pid_t pid)
{
    struct timespec now, begin;
    int status;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        pid_t got = waitpid(pid, &status, WNOHANG);
        if (got == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (got < 0 && errno != EINTR)
            return WS_NOT_STARTED;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (interrupted || now.tv_sec - begin.tv_sec > WS_STEP_SECONDS_MOST) {
            end_command(pid);
            return WS_TOO_SLOW;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

int ws_words_run(struct ws_command_words *words, const char *output, const char *errors)
{
    pid_t pid;

    ws_words_add(words, NULL);
    pid = fork();
    if (pid < 0)
        return WS_NOT_STARTED;
    if (pid == 0) {
        setpgid(0, 0);
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        redirect(output, errors);
        execvp(words->items[0], (char *const *)words->items);
        _exit(127);
    }
    setpgid(pid, pid);
    return wait_for(pid);
}
