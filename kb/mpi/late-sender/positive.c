// test: ranks=2 expect=late-sender duration=0.400 s
// Rank 1 is ready to receive at once; rank 0 computes 100 ms longer before each of four sends.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        if (rank == 0) {
            compute_until_ms(120 * i + 120);
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else {
            compute_until_ms(120 * i + 20);
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
