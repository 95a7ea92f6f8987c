/* What one MPI call costs: calls that do next to nothing, one that leaves a record and one that leaves none, and
 * an 8-byte ping-pong (half a round trip).
 * Prints the best of many chunks in ns; run it bare and under a recorder and compare. */
#include <mpi.h>
#include <stdio.h>

enum { CHUNKS = 200, CALLS = 2000 };

static void barrier_alone(int rank)
{
    (void)rank;
    MPI_Barrier(MPI_COMM_SELF);
}

/* Nobody ever sends with this tag. */
static void probe_in_vain(int rank)
{
    int flag;
    MPI_Iprobe(1 - rank, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void ping_pong(int rank)
{
    double value = 1;
    if (rank == 0)
        MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

static double best_ns(void (*call)(int), int rank)
{
    double best = 1e9;
    for (int chunk = 0; chunk < CHUNKS; chunk++) {
        double begin = MPI_Wtime(), ns;
        for (int i = 0; i < CALLS; i++)
            call(rank);
        ns = (MPI_Wtime() - begin) * 1e9 / CALLS;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double alone = best_ns(barrier_alone, rank), vain = best_ns(probe_in_vain, rank);
    double half_trip = best_ns(ping_pong, rank) / 2;
    if (rank == 0)
        printf("cost barrier_alone %.0f iprobe %.0f ping_pong %.0f\n", alone, vain, half_trip);
    MPI_Finalize();
    return 0;
}
