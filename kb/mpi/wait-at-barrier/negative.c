// test: ranks=2 expect=none planted=0.400 s
// Both ranks compute 100 ms and come to the barrier together.
#include "../timetable.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    timetable_begin();
    for (int i = 0; i < 4; i++) {
        compute_until_ms(100 * i + 100);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
