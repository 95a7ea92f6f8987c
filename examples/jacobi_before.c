/* Dirichlet problem on a triangular plate by Jacobi's method, as one writes it first: equal numbers of rows
 * for all ranks, the border rows exchanged one message after another, a convergence test in each iteration.
 *
 * mpirun -n 4 ./jacobi_before [POINTS [ITERATIONS [TOLERANCE]]] */
#include "plate.h"

static void distribute(struct plate *plate)
{
    plate->first = 1 + rows(plate) * plate->rank / plate->size;
    plate->last = rows(plate) * (plate->rank + 1) / plate->size;
}

/* Gets the neighbours' border rows and gives them ours. */
static void exchange(const struct plate *plate, double *mesh)
{
    int n = plate->n, above = plate->rank - 1, below = plate->rank + 1;

    if (plate->rank > 0)
        MPI_Send(row(plate, mesh, plate->first), n, MPI_DOUBLE, above, 0, MPI_COMM_WORLD);
    if (plate->rank < plate->size - 1) {
        MPI_Recv(row(plate, mesh, plate->last + 1), n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Send(row(plate, mesh, plate->last), n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD);
    }
    if (plate->rank > 0)
        MPI_Recv(row(plate, mesh, plate->first - 1), n, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Computes all points of the rows anew; returns the greatest change. */
static double sweep(const struct plate *plate, double *old, double *new)
{
    double change = 0, points = 0;

    for (int i = plate->first; i <= plate->last; i++) {
        const double *above = row(plate, old, i - 1), *here = row(plate, old, i),
                     *below = row(plate, old, i + 1);
        double *out = row(plate, new, i);
        for (int j = 1; j <= width(plate, i); j++) {
            out[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
            change = greater(change, fabs(out[j] - here[j]));
        }
        points += width(plate, i);
    }
    work(POINT_WORK * points);
    return change;
}

int main(int argc, char **argv)
{
    struct plate plate = plate_begin(&argc, &argv, TRIANGLE, 2000, 200);
    double greatest = 0;
    int iteration = 0;

    distribute(&plate);
    double *old = plate_mesh(&plate), *new = plate_mesh(&plate);
    while (iteration < plate.iterations) {
        exchange(&plate, old);
        double change = sweep(&plate, old, new);
        MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        double *done = new;
        new = old;
        old = done;
        iteration++;
        if (greatest < plate.tolerance)
            break;
    }
    plate_end(&plate, old, iteration, greatest);
    free(old);
    free(new);
    return 0;
}
