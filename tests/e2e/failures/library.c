/* A library that receives; loaded by the linker or by dlopen. */
#include <mpi.h>

int receive_from(int source);
int receive_from(int source)
{
    int value = 0;

    MPI_Recv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the call */
    return value;
}
