// test: ranks=3 expect=none planted=0.400 s
// The parts are ready at different times, up to 100 ms apart, but the root comes last.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, part = 1, sum = 0, all[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(140 * i + (rank == 0 ? 120 : 100 * (rank - 1)));
        MPI_Reduce(&part, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Gather(&part, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
