/* What is called before MPI_Init, from constructors too, inside MPI_Finalize and after it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank = -1;

static void ask(const char *when)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int initialized, finalized, version, subversion, length;

    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(library, &length);
    printf("rank %d %s: initialized %d finalized %d version %d.%d library %d\n", rank, when, initialized, finalized,
           version, subversion, length > 3);
    fflush(stdout);
}

static __attribute__((constructor)) void early(void)
{
    ask("constructor");
}

static void late(void)
{
    ask("atexit");
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while MPI still works. */
static int leave(MPI_Comm comm, int key, void *value, void *extra)
{
    int sum = 0, finalized;

    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalized(&finalized);
    printf("rank %d in finalize: sum %d finalized %d\n", rank, sum, finalized);
    fflush(stdout);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *file = argv[1];
    MPI_Request request;
    MPI_File handle;
    long numbers[1000] = {0}, back[1000] = {0};
    int key, wrong = 0;

    atexit(late);
    ask("before");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ask("between");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, leave, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    for (int i = 0; i < 1000; i++)
        numbers[i] = 1000 * rank + i;
    MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
    MPI_File_set_view(handle, 0, MPI_LONG, MPI_LONG, "native", MPI_INFO_NULL);
    MPI_File_iwrite_at(handle, 1000 * rank, numbers, 1000, MPI_LONG, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_sync(handle);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all(handle, 1000 * (1 - rank), back, 1000, MPI_LONG, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; i++)
        wrong += back[i] != 1000 * (1 - rank) + i;
    printf("rank %d file wrong %d\n", rank, wrong);
    MPI_File_close(&handle);
    MPI_Finalize();
    ask("after");
    return 0;
}
