// test: ranks=2 expect=wait-at-window-create duration=0.400 s
// A window made anew in every step; rank 0 comes 100 ms after rank 1.
#include "../timetable.h"

int main(int argc, char **argv)
{
    int rank;
    double mesh[100] = {0};
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        timetable_begin();
        compute_until_ms(rank == 0 ? 120 : 20);
        MPI_Win_create(mesh, sizeof mesh, sizeof *mesh, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_free(&window);
    }
    MPI_Finalize();
    return 0;
}
