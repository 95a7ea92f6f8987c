// test: ranks=3 expect=late-broadcast duration=0.800 s
// Ranks 1 and 2 wait for the parameters that rank 0 sends 100 ms later.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, parameters[4] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 0 ? 120 : 20));
        MPI_Bcast(parameters, 4, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
