/* Programs that pull the ground from under a recorder: each way of the argument does one such thing between two
 * series of messages. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BEFORE = 10, AFTER = 12000 }; /* more than two packets of records */

static int rank;
static jmp_buf back;

static void exchange(int times)
{
    for (int i = 0; i < times; i++)
        MPI_Sendrecv_replace(&i, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A descriptor of a trace that the program closes and uses for a file of its own would spoil that file. */
static void count_descriptors(void)
{
    int held = 0;

    for (int fd = 3; fd < 1000; fd++) {
        char link[64], path[4096];
        ssize_t length;
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        length = readlink(link, path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        held += strstr(path, "/ctf/") != NULL;
    }
    printf("rank %d holds %d\n", rank, held);
}

static void no_more_files(void)
{
    struct rlimit limit = {0, RLIM_INFINITY};

    setrlimit(RLIMIT_FSIZE, &limit);
}

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(back, 1);
}

static void leave_by_error_handler(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(back) == 0)
        MPI_Send(&rank, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
    else
        printf("rank %d is back\n", rank);
}

static void pass_no_requests(void)
{
    int errors = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    errors += MPI_Wait(NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    errors += MPI_Waitall(3, NULL, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    errors += MPI_Request_free(NULL) != MPI_SUCCESS;
    errors += MPI_Start(NULL) != MPI_SUCCESS;
    errors += MPI_Waitall(-1, NULL, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    printf("rank %d had %d errors\n", rank, errors);
}

int main(int argc, char **argv)
{
    const char *way = argv[1];

    if (strcmp(way, "unset") == 0)
        unsetenv("WHYSLOW_TRACE");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange(BEFORE);
    if (strcmp(way, "descriptors") == 0)
        count_descriptors();
    else if (strcmp(way, "clearenv") == 0)
        clearenv();
    else if (strcmp(way, "nofiles") == 0)
        no_more_files();
    else if (strcmp(way, "jump") == 0)
        leave_by_error_handler();
    else if (strcmp(way, "null") == 0)
        pass_no_requests();
    exchange(AFTER);
    printf("rank %d done\n", rank);
    MPI_Finalize();
    return 0;
}
