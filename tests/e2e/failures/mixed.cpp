// C++ with a part in Fortran: both communicate, on a communicator that one makes and the other uses.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>
#include <vector>

extern "C" void fortran_part_(MPI_Fint *comm, int *sum);

int main(int argc, char **argv)
{
    int rank, size, sum = 0, own = 0;
    MPI_Comm copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_rank(copy, &rank);
    MPI_Comm_size(copy, &size);
    MPI_Fint handle = MPI_Comm_c2f(copy);
    fortran_part_(&handle, &sum);
    std::vector<int> values(static_cast<std::size_t>(size));
    MPI_Allgather(&rank, 1, MPI_INT, values.data(), 1, MPI_INT, copy);
    for (int value : values)
        own += value;
    try {
        MPI_Barrier(copy);
        throw std::runtime_error("thrown");
    } catch (const std::exception &error) {
        std::printf("rank %d fortran %d c++ %d %s\n", rank, sum, own, error.what());
    }
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
