// test: ranks=3 expect=wait-at-nxn duration=0.800 s
// A convergence test: all ranks need the greatest change, and rank 0 computes 100 ms longer than the others.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank;
    double change = 1, greatest;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 0 ? 120 : 20));
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
