/* The MPI's own MPIX functions, of which a recorder knows nothing. */
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, sum = 0, gpu = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gpu = MPIX_Query_cuda_support();
#ifndef OPEN_MPI
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &gpu);
#endif
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d gpu %d sum %d\n", rank, gpu, sum);
    MPI_Finalize();
    return 0;
}
