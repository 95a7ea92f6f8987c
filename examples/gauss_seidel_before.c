/* Dirichlet problem on a square plate by the Gauss-Seidel method, naive scheme: the points are computed in
 * the order of the sequential program, so each rank waits for the newest row of the rank above it.
 *
 * mpirun -n 4 ./gauss_seidel_before [POINTS [ITERATIONS [TOLERANCE]]] */
#include "plate.h"

/* Computes all points of this rank anew, in place; returns the greatest change. */
static double sweep(const struct plate *plate, double *mesh)
{
    double change = 0;

    for (int i = plate->first; i <= plate->last; i++) {
        const double *above = row(plate, mesh, i - 1), *below = row(plate, mesh, i + 1);
        double *here = row(plate, mesh, i);
        for (int j = 1; j <= plate->n; j++) {
            double old = here[j];
            here[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
            change = greater(change, fabs(here[j] - old));
        }
    }
    work(POINT_WORK * plate->n * (plate->last - plate->first + 1));
    return change;
}

int main(int argc, char **argv)
{
    struct plate plate = plate_begin(&argc, &argv, SQUARE, 480, 500);
    int n = plate.n, above = plate.rank - 1, below = plate.rank + 1, iteration = 0;
    double greatest = 0;

    plate.first = 1 + n * plate.rank / plate.size;
    plate.last = n * (plate.rank + 1) / plate.size;
    double *mesh = plate_mesh(&plate);
    while (iteration < plate.iterations) {
        /* The row below as the last iteration left it, the row above as this iteration makes it. */
        if (plate.rank > 0)
            MPI_Send(row(&plate, mesh, plate.first), n + 2, MPI_DOUBLE, above, 0, MPI_COMM_WORLD);
        if (plate.rank < plate.size - 1)
            MPI_Recv(row(&plate, mesh, plate.last + 1), n + 2, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (plate.rank > 0)
            MPI_Recv(row(&plate, mesh, plate.first - 1), n + 2, MPI_DOUBLE, above, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        double change = sweep(&plate, mesh);
        if (plate.rank < plate.size - 1)
            MPI_Send(row(&plate, mesh, plate.last), n + 2, MPI_DOUBLE, below, 1, MPI_COMM_WORLD);
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        iteration++;
        if (greatest < plate.tolerance)
            break;
    }
    plate_end(&plate, mesh, iteration, greatest);
    free(mesh);
    return 0;
}
