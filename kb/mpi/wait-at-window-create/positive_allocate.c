// test: ranks=3 expect=wait-at-window-create duration=0.450 s
// Memory and window in one call; ranks 1 and 2 are 50 ms and 100 ms ahead of rank 0.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank;
    double *mesh;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        timetable_begin();
        compute_until_ms(120 - 50 * rank);
        MPI_Win_allocate(800, sizeof *mesh, MPI_INFO_NULL, MPI_COMM_WORLD, &mesh, &window);
        MPI_Win_free(&window);
    }
    MPI_Finalize();
    return 0;
}
