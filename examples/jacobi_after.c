/* Dirichlet problem on a triangular plate by Jacobi's method, after the advice: equal numbers of points for
 * all ranks, the exchange of the border rows and the convergence test go on while the inner rows are
 * computed.
 *
 * mpirun -n 4 ./jacobi_after [POINTS [ITERATIONS [TOLERANCE]]] */
#include "plate.h"

/* The last row of those with `share` of the ranks' part of all points; at least two rows for each rank. */
static int last_row(const struct plate *plate, int share)
{
    long long all = 0, points = 0;
    int i = 0, least = 2 * share, most = rows(plate) - 2 * (plate->size - share);

    for (int r = 1; r <= rows(plate); r++)
        all += width(plate, r);
    while (i < most && (i < least || points + width(plate, i + 1) / 2 < all * share / plate->size))
        points += width(plate, ++i);
    return i;
}

static void distribute(struct plate *plate)
{
    plate->first = 1 + last_row(plate, plate->rank);
    plate->last = last_row(plate, plate->rank + 1);
}

/* Starts the exchange of the border rows with the neighbours: 4 requests. */
static void start_exchange(const struct plate *plate, double *mesh, MPI_Request requests[4])
{
    int n = plate->n;
    int above = plate->rank > 0 ? plate->rank - 1 : MPI_PROC_NULL;
    int below = plate->rank < plate->size - 1 ? plate->rank + 1 : MPI_PROC_NULL;

    MPI_Irecv(row(plate, mesh, plate->first - 1), n, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row(plate, mesh, plate->last + 1), n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row(plate, mesh, plate->first), n, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row(plate, mesh, plate->last), n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[3]);
}

/* Computes the points of rows first to last anew; returns the greatest change. */
static double sweep(const struct plate *plate, double *old, double *new, int first, int last)
{
    double change = 0, points = 0;

    for (int i = first; i <= last; i++) {
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
    MPI_Request borders[4], test = MPI_REQUEST_NULL;
    MPI_Status statuses[4];
    double change = 0, tested = 0, greatest = INFINITY;
    int iteration = 0;

    distribute(&plate);
    double *old = plate_mesh(&plate), *new = plate_mesh(&plate);
    for (;;) {
        /* `old` is the result of `iteration`, whose convergence test is on its way.  One iteration more is
         * begun meanwhile, in vain at the end. */
        if (iteration < plate.iterations) {
            start_exchange(&plate, old, borders);
            change = sweep(&plate, old, new, plate.first + 1, plate.last - 1);
            MPI_Waitall(4, borders, statuses);
            change = greater(change, sweep(&plate, old, new, plate.first, plate.first));
            change = greater(change, sweep(&plate, old, new, plate.last, plate.last));
        }
        MPI_Wait(&test, MPI_STATUS_IGNORE);
        if (greatest < plate.tolerance || iteration == plate.iterations)
            break;
        tested = change;
        MPI_Iallreduce(&tested, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &test);
        double *done = new;
        new = old;
        old = done;
        iteration++;
    }
    plate_end(&plate, old, iteration, greatest);
    free(old);
    free(new);
    return 0;
}
