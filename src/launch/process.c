#include "launch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_OUTPUT ((size_t)1 << 20)
#define LONGEST_CALL_S 30

static void read_all(int fd, struct ws_text *out)
{
    char chunk[4096];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return;
        if (out->length < MOST_OUTPUT)
            ws_text_add(out, chunk, (size_t)got);
    }
}

/* Forks with the child's output in a pipe.  0 in the child, else its process id, -1 on failure. */
static pid_t fork_piped(int *output)
{
    int ends[2], null;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    fflush(NULL);
    child = fork();
    if (child != 0) {
        close(ends[1]);
        if (child > 0)
            *output = ends[0];
        else
            close(ends[0]);
        return child;
    }
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    return 0;
}

static int wait_for(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int ws_process_capture(const char *const *command, struct ws_text *out, struct ws_error *error)
{
    char path[PATH_MAX];
    int output = -1;
    pid_t child;

    if (!ws_process_find(command[0], path, sizeof path))
        return ws_fail(error, WS_ENVIRONMENT, "%s: not found", command[0]);
    child = fork_piped(&output);
    if (child < 0)
        return ws_fail(error, WS_ENVIRONMENT, "cannot start %s: %s", command[0], strerror(errno));
    if (child == 0) {
        dup2(STDOUT_FILENO, STDERR_FILENO);
        execv(path, (char *const *)command);
        _exit(127);
    }
    read_all(output, out);
    close(output);
    return wait_for(child);
}

int ws_process_call(int (*work)(void *context), void *context, struct ws_text *out)
{
    int output = -1;
    pid_t child = fork_piped(&output);

    if (child < 0)
        return 127;
    if (child == 0) {
        int result;
        signal(SIGALRM, SIG_DFL);
        alarm(LONGEST_CALL_S);
        result = work(context);
        fflush(stdout);
        _exit(result);
    }
    read_all(output, out);
    close(output);
    return wait_for(child);
}

static bool is_command(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

bool ws_process_find(const char *name, char *path, size_t size)
{
    const char *list = getenv("PATH");

    if (!*name)
        return false;
    if (strchr(name, '/'))
        return (size_t)snprintf(path, size, "%s", name) < size && is_command(path);
    if (!list)
        list = "/usr/local/bin:/usr/bin:/bin";
    for (;;) {
        size_t length = strcspn(list, ":");
        /* An empty folder in PATH is the current one. */
        if (length < INT_MAX &&
            (size_t)snprintf(path, size, "%.*s%s%s", (int)length, list, length ? "/" : "./", name) < size &&
            is_command(path))
            return true;
        if (!list[length])
            return false;
        list += length + 1;
    }
}

int ws_process_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 && cores < INT_MAX ? (int)cores : 1;
}
