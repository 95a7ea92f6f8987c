// test: ranks=2 expect=none planted=0.480 s
// The same particle in one message; and a few small messages, which are nothing to complain of.
#include <mpi.h>
#include <time.h>

#define PIECES 60

int main(int argc, char **argv)
{
    int rank, here = 0;
    double particle[PIECES] = {0};
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        int count = i == 0 ? PIECES : 1;
        if (rank == 0) {
            MPI_Send(particle, count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Irecv(particle, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
            for (here = 0; !here; nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL))
                MPI_Test(&request, &here, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
