// test: ranks=3 expect=wait-at-nxn duration=0.600 s
// A transposition: ranks 0, 1 and 2 are ready at 20, 70 and 120 ms of each step.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, rows[3] = {0}, columns[3], everyone[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + 20 + 50 * rank);
        if (i % 2)
            MPI_Alltoall(rows, 1, MPI_INT, columns, 1, MPI_INT, MPI_COMM_WORLD);
        else
            MPI_Allgather(rows, 1, MPI_INT, everyone, 1, MPI_INT, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
