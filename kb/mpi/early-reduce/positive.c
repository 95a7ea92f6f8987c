// test: ranks=3 expect=early-reduce duration=0.400 s
// Rank 0 asks for the sum at once; ranks 1 and 2 have computed their parts 60 ms and 100 ms later.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, part = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 0 ? 20 : 40 + 40 * rank));
        MPI_Reduce(&part, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
