// test: ranks=2 expect=many-small-sends duration=0.480 s
// Rank 0 sends a particle in sixty pieces, a synchronous send each.  Rank 1 has posted all receives before,
// but looks into MPI only every 8 ms: so each piece takes 8 ms, and one message would take 8 ms in all.
#include <mpi.h>
#include <time.h>

#define PIECES 60

int main(int argc, char **argv)
{
    int rank, ready = 0, here = 0;
    double particle[PIECES] = {0};
    MPI_Request requests[PIECES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        while (!ready)
            MPI_Iprobe(1, 1, MPI_COMM_WORLD, &ready, MPI_STATUS_IGNORE);
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < PIECES; i++)
            MPI_Ssend(&particle[i], 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
        struct timespec next;
        for (int i = 0; i < PIECES; i++)
            MPI_Irecv(&particle[i], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[i]);
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        clock_gettime(CLOCK_MONOTONIC, &next);
        for (int i = 0; i < PIECES; i += here) {
            next.tv_nsec += 8000000;
            next.tv_sec += next.tv_nsec / 1000000000;
            next.tv_nsec %= 1000000000;
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
            MPI_Test(&requests[i], &here, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
