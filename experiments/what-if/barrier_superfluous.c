/* wait-at-barrier, 8 ranks: in each round another rank has more to do, and all wait for it.  Fixed: no
 * barrier. */
#include "planted.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int i = 0; i < 2 * size; i++) {
        compute(i % size == rank ? 4 : 1);
#ifndef FIXED
        MPI_Barrier(MPI_COMM_WORLD);
#endif
    }
    MPI_Finalize();
    return 0;
}
