// test: ranks=2 expect=late-sender duration=0.200 s
// Short delays: ten times 20 ms.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    timetable_begin();
    for (int i = 0; i < 10; i++) {
        if (rank == 0) {
            compute_until_ms(30 * i + 30);
            MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else {
            compute_until_ms(30 * i + 10);
            MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
