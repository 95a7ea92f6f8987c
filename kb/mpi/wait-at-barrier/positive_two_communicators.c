// test: ranks=4 expect=wait-at-barrier duration=0.400 s
// Two halves of the ranks have barriers of their own, one after the other; in each half one rank is 50 ms
// later than the other.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(140 * i + 20 + 70 * (rank / 2) + 50 * (rank % 2));
        MPI_Barrier(half);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
