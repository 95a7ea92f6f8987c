/* Ways to end: finalize, exit, _exit, exec, abort, a signal (KILL, TERM, SEGV) to one rank; fork and system,
 * with no room for large files. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *way;
    int number;
} signals[] = {{"kill", SIGKILL}, {"term", SIGTERM}, {"segv", SIGSEGV}};

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "finalize";
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(way, "limit") == 0) {
        struct rlimit limit = {3 << 17, 3 << 17};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    for (int i = 0; i < 20000; i++)
        MPI_Sendrecv_replace(&value, 1, MPI_INT, rank ^ 1, 0, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(way, "fork") == 0) {
        pid_t child = fork();
        if (child == 0) {
            MPI_Barrier(MPI_COMM_SELF);
            exit(0);
        }
        waitpid(child, NULL, 0);
        if (system("true") != 0)
            return 1;
    }
    printf("rank %d at the end\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(100000); /* the launcher passes it on before anyone ends */
    if (strcmp(way, "exit") == 0)
        exit(rank == 1 ? 5 : 0);
    if (strcmp(way, "_exit") == 0)
        _exit(rank == 1 ? 6 : 0);
    if (strcmp(way, "abort") == 0) {
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 9);
        pause();
    }
    if (strcmp(way, "exec") == 0)
        execlp("true", "true", NULL);
    for (int i = 0; i < 3; i++)
        if (strcmp(way, signals[i].way) == 0) {
            if (rank == 1)
                raise(signals[i].number);
            pause();
        }
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
