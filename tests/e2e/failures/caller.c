/* Ranks 1 and 2 wait for messages that rank 0 sends 60 ms late, in a library; "open": loaded by dlopen. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#ifndef OPENED
int receive_from(int source);
#endif

int main(int argc, char **argv)
{
    int rank, value = 42;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef OPENED
    int (*receive_from)(int) = (int (*)(int))dlsym(dlopen(argv[1], RTLD_NOW), "receive_from");
#endif
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        usleep(60000);
        for (int to = 1; to <= 2; to++)
            MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    } else {
        value = receive_from(0);
    }
    printf("rank %d value %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
