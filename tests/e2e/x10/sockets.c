/* Places on one machine, a pair of sockets between each two.  The process that is started is none of them: it starts
 * itself anew for each place and waits. */
#define _GNU_SOURCE
#include "transport.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 16

static int sockets[MOST], places, here;

static void start_place(char **argv, int place, int count, int pairs[MOST][MOST])
{
    char list[256] = "", number[16];

    for (int i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%d ", pairs[place][i]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (i != place && pairs[i][k] >= 0)
                close(pairs[i][k]);
    snprintf(number, sizeof number, "%d", place);
    setenv("X10_LAUNCHER_PLACE", number, 1);
    setenv("X10_LAUNCHER_SOCKETS", list, 1);
    execv("/proc/self/exe", argv);
    _exit(127);
}

/* When a place ends badly the others are ended at once. */
static void launch(char **argv)
{
    int pairs[MOST][MOST], status, code = 0, left = places;
    pid_t pids[MOST];

    memset(pairs, -1, sizeof pairs);
    for (int i = 0; i < places; i++)
        for (int k = i + 1; k < places; k++) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
                exit(1);
            pairs[i][k] = pair[0];
            pairs[k][i] = pair[1];
        }
    for (int i = 0; i < places; i++)
        if ((pids[i] = fork()) == 0)
            start_place(argv, i, places, pairs);
    while (left-- > 0) {
        wait(&status);
        if (status == 0 || code)
            continue;
        code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        for (int i = 0; i < places; i++)
            kill(pids[i], SIGKILL);
    }
    exit(code);
}

void transport_begin(char **argv, int *own, int *count)
{
    const char *number = getenv("X10_NPLACES"), *place = getenv("X10_LAUNCHER_PLACE");
    char *list = getenv("X10_LAUNCHER_SOCKETS");

    places = number ? atoi(number) : 1;
    places = places > 0 && places <= MOST ? places : 1;
    if (!place)
        launch(argv);
    here = atoi(place);
    for (int i = 0; i < places; i++)
        sockets[i] = (int)strtol(list, &list, 10);
    *own = here;
    *count = places;
}

bool transport_send(int to, const void *bytes, size_t length)
{
    return send(sockets[to], bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)length ||
           (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

size_t transport_take(void *bytes)
{
    for (int i = 0; i < places; i++) {
        ssize_t got = i == here ? 0 : recv(sockets[i], bytes, PACKET_MOST, MSG_DONTWAIT);
        if (got > 0)
            return (size_t)got;
    }
    return 0;
}

void transport_wait(void)
{
    struct pollfd all[MOST];

    for (int i = 0; i < places; i++)
        all[i] = (struct pollfd){.fd = i == here ? -1 : sockets[i], .events = POLLIN};
    poll(all, (nfds_t)places, 500);
}

void transport_end(void)
{
}
