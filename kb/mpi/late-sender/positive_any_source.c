// test: ranks=3 expect=late-sender duration=0.400 s
// Wildcards on a communicator whose ranks run the other way round: rank 0 takes messages from whoever sends,
// alternately from ranks 1 and 2, each 50 ms late.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank, number = 0;
    MPI_Comm reversed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    timetable_begin();
    if (rank == 0) {
        for (int i = 0; i < 8; i++) {
            compute_until_ms(70 * i + 20);
            MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, reversed, MPI_STATUS_IGNORE);
        }
    } else {
        for (int i = 0; i < 4; i++) {
            compute_until_ms(140 * i + 70 * rank);
            MPI_Send(&number, 1, MPI_INT, 2, i, reversed);
        }
    }
    MPI_Comm_free(&reversed);
    MPI_Finalize();
    return 0;
}
