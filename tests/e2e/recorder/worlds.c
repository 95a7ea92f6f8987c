/* What reaches beyond the world that mpirun started: processes that the program starts, ports that its own processes meet
 * at, a socket that two of them share; and operations of its own (generalized requests).  The started processes run this
 * program too. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int rank, size;

/* A message each way and a collective with the other world. */
static int talk(MPI_Comm other, int root, int first)
{
    int value = rank + 1, got = 0, total = 0;

    if (first)
        MPI_Sendrecv(&value, 1, MPI_INT, 0, 5, &got, 1, MPI_INT, 0, 5, other, MPI_STATUS_IGNORE);
    MPI_Bcast(&value, 1, MPI_INT, root, other);
    MPI_Allreduce(&value, &total, 1, MPI_INT, MPI_SUM, other);
    MPI_Barrier(other);
    return got + total;
}

static int child(MPI_Comm parent)
{
    MPI_Comm all;
    int value = 0, sum = talk(parent, 0, rank == 0);

    MPI_Intercomm_merge(parent, 1, &all);
    MPI_Bcast(&value, 1, MPI_INT, 0, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&parent);
    return sum + value > 0 ? 0 : 1;
}

static int spawn(const char *program, int multiple)
{
    char *commands[2] = {(char *)program, (char *)program};
    int most[2] = {1, 1}, codes[2], value = 7, sum;
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm others, all;

    if (multiple)
        MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, most, infos, 0, MPI_COMM_WORLD, &others, codes);
    else
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    sum = talk(others, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, rank == 0);
    MPI_Intercomm_merge(others, 0, &all);
    MPI_Bcast(&value, 1, MPI_INT, 0, all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&others);
    return sum;
}

/* Rank 0 waits at a port for rank 1. */
static int port(void)
{
    char name[MPI_MAX_PORT_NAME];
    MPI_Comm other;
    int sum = 0;

    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, name);
        MPI_Send(name, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
        MPI_Close_port(name);
    } else if (rank == 1) {
        MPI_Recv(name, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
    }
    if (rank < 2) {
        sum = talk(other, rank == 0 ? MPI_ROOT : 0, 1);
        MPI_Comm_disconnect(&other);
    }
    return sum;
}

/* The same over a socket of their own. */
static int join(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener, sock, sum;
    MPI_Comm other;

    if (rank > 1)
        return 0;
    if (rank == 0) {
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "whyslow-test-%d", (int)getpid());
        listener = socket(AF_UNIX, SOCK_STREAM, 0);
        bind(listener, (struct sockaddr *)&address, sizeof address);
        listen(listener, 1);
        MPI_Send(&address, sizeof address, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
        sock = accept(listener, NULL, NULL);
        close(listener);
    } else {
        MPI_Recv(&address, sizeof address, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sock = socket(AF_UNIX, SOCK_STREAM, 0);
        connect(sock, (struct sockaddr *)&address, sizeof address);
    }
    MPI_Comm_join(sock, &other);
    sum = talk(other, rank == 0 ? MPI_ROOT : 0, 1);
    MPI_Comm_disconnect(&other);
    close(sock);
    return sum;
}

/* ---- an operation of the program's own ---- */

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int no_cancel(void *state, int complete)
{
    (void)state, (void)complete;
    return MPI_SUCCESS;
}

static int own_operation(void)
{
    int elements = 3, count, flag = 0;
    MPI_Request request;
    MPI_Status status;

    MPI_Grequest_start(query, nothing, no_cancel, &elements, &request);
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_elements(&status, MPI_INT, &count);
    return count + flag;
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int sum, code = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        code = child(parent);
    } else {
        sum = own_operation();
#ifdef OPEN_MPI /* Debian's MPICH 4.0 refuses to start processes and to meet them */
        sum = 10 * sum + spawn(argv[0], 0) + spawn(argv[0], 1);
        sum = 10 * sum + port();
        sum = 10 * sum + join();
#endif
        printf("rank %d sum %d\n", rank, sum);
    }
    MPI_Finalize();
    return code;
}
