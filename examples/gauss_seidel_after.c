/* Dirichlet problem on a square plate by the Gauss-Seidel method, red-black scheme: points with even i + j
 * are red, the others black.  A red point has black neighbours only, so all red points can be computed at a
 * time, then all black ones; no rank waits for the work of another.  The order of the points differs from the
 * sequential program's, the solution that it tends to does not.
 *
 * mpirun -n 4 ./gauss_seidel_after [POINTS [ITERATIONS [TOLERANCE]]] */
#include "plate.h"

#define TEST_EVERY 10 /* iterations from one convergence test to the next */

enum colour { RED, BLACK };

/* Computes the points of one colour in rows first to last anew, in place; returns the greatest change. */
static double sweep(const struct plate *plate, double *mesh, enum colour colour, int first, int last)
{
    double change = 0;

    for (int i = first; i <= last; i++) {
        const double *above = row(plate, mesh, i - 1), *below = row(plate, mesh, i + 1);
        double *here = row(plate, mesh, i);
        for (int j = 1 + (i + 1 + (int)colour) % 2; j <= plate->n; j += 2) {
            double old = here[j];
            here[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
            change = greater(change, fabs(here[j] - old));
        }
    }
    work(POINT_WORK * plate->n / 2 * (last - first + 1));
    return change;
}

/* Half an iteration: the border rows first, so that they travel while the rows between are computed. */
static double half(const struct plate *plate, double *mesh, enum colour colour)
{
    int n = plate->n;
    int above = plate->rank > 0 ? plate->rank - 1 : MPI_PROC_NULL;
    int below = plate->rank < plate->size - 1 ? plate->rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    double change;

    change = sweep(plate, mesh, colour, plate->first, plate->first);
    change = greater(change, sweep(plate, mesh, colour, plate->last, plate->last));
    MPI_Irecv(row(plate, mesh, plate->first - 1), n + 2, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row(plate, mesh, plate->last + 1), n + 2, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row(plate, mesh, plate->first), n + 2, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row(plate, mesh, plate->last), n + 2, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[3]);
    change = greater(change, sweep(plate, mesh, colour, plate->first + 1, plate->last - 1));
    MPI_Waitall(4, requests, statuses);
    return change;
}

int main(int argc, char **argv)
{
    struct plate plate = plate_begin(&argc, &argv, SQUARE, 480, 500);
    double greatest = 0;
    int iteration = 0;

    plate.first = 1 + plate.n * plate.rank / plate.size;
    plate.last = plate.n * (plate.rank + 1) / plate.size;
    double *mesh = plate_mesh(&plate);
    while (iteration < plate.iterations) {
        double change = half(&plate, mesh, RED);
        change = greater(change, half(&plate, mesh, BLACK));
        iteration++;
        if (iteration % TEST_EVERY && iteration < plate.iterations)
            continue;
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (greatest < plate.tolerance)
            break;
    }
    plate_end(&plate, mesh, iteration, greatest);
    free(mesh);
    return 0;
}
