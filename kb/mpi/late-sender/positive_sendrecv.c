// test: ranks=2 expect=late-sender duration=0.400 s
// Two ranks swap a value by MPI_Sendrecv; rank 0 comes 100 ms late each time.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, mine = 0, other = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(120 * i + (rank == 0 ? 120 : 20));
        MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 7, &other, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
