// test: ranks=3 expect=none planted=0.400 s
// Here the root comes first and the others 50 ms and 100 ms later: what it sent waits for them.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, parameters[4] = {0}, row, all[3] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + 50 * rank);
        if (i % 2)
            MPI_Bcast(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD);
        else
            MPI_Scatter(all, 1, MPI_INT, &row, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
