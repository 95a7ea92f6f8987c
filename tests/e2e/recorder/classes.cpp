// A C++ program whose static constructor asks MPI before anything of the recorder has run.
#include <mpi.h>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <vector>

struct Early {
    int initialized = -1;
    Early()
    {
        MPI_Initialized(&initialized);
    }
};
static Early early;

static void throwing(MPI_Comm *, int *, ...)
{
    throw std::runtime_error("an error of MPI");
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<double> part(100, rank), sum(100);
    MPI_Allreduce(part.data(), sum.data(), 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(throwing, &handler);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
    std::ostringstream line; // one piece, so that lines of ranks do not mix
    line << "rank " << rank << " early " << early.initialized << " sum " << sum[0] << "\n";
    std::cout << line.str() << std::flush;
    MPI_Finalize();
    return 0;
}
