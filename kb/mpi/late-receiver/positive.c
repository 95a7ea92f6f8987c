// test: ranks=2 expect=late-receiver duration=0.400 s
// MPI_Ssend returns only after the receive was posted; rank 1 computes 100 ms longer before it posts each.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            compute_until_ms(120 * i + 20);
            MPI_Ssend(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else {
            compute_until_ms(120 * i + 120);
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
