/* wait-at-barrier by balance, 16 ranks: the work grows with the rank.  Fixed: equal parts; the barrier stays.
 */
#include "planted.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++) {
#ifdef FIXED
        compute(1 + 0.25 * (size - 1) / 2);
#else
        compute(1 + 0.25 * rank);
#endif
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
