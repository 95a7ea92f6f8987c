/* oshrun -n PES PROGRAM...: starts the program's PEs.  Its exit code is the first that is not 0; half a second later
 * the others are ended.
 * With SMA_COUNTS=FILE what was moved is written there: from, to, messages, bytes. */
#define _GNU_SOURCE
#include "memory.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void set(const char *name, int value)
{
    char text[16];

    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

static void write_counts(const struct control *control, int pes)
{
    const char *path = getenv("SMA_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;

    for (int from = 0; file && from < pes; from++)
        for (int to = 0; to < pes; to++)
            if (control->messages[from][to])
                fprintf(file, "%d %d %lu %lu\n", from, to, control->messages[from][to], control->bytes[from][to]);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    int pes = argc > 3 && strcmp(argv[1], "-n") == 0 ? atoi(argv[2]) : 0, code = 0, status;
    int fd = memfd_create("shmem", 0);
    pid_t children[PES_MOST], ended;
    struct control *control;

    if (pes < 1 || pes > PES_MOST || fd < 0 ||
        ftruncate(fd, (off_t)(CONTROL_BYTES + (size_t)pes * SEGMENT_BYTES)) != 0) {
        fprintf(stderr, "usage: oshrun -n PES PROGRAM...\n");
        return 2;
    }
    control = mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    set("SMA_PES", pes);
    set("SMA_FD", fd);
    for (int pe = 0; pe < pes; pe++) {
        set("SMA_PE", pe);
        children[pe] = fork();
        if (children[pe] == 0) {
            execvp(argv[3], argv + 3);
            perror(argv[3]);
            _exit(127);
        }
    }
    for (int left = pes, waited = 0; left > 0;) {
        ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            left--;
            code = code ? code : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        usleep(10000);
        waited += code != 0;
        for (int pe = 0; waited == 50 && pe < pes; pe++)
            kill(children[pe], SIGTERM);
    }
    write_counts(control, pes);
    return code;
}
