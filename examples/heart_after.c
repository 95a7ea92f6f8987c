/* Heart activity, after the advice: the margins travel while the inner points are computed, each rank
 * computes its own part of the electrocardiogram, the parts of all steps are summed up by one reduction at
 * the end, and there is no barrier.
 *
 * mpirun -n 4 ./heart_after [POINTS [STEPS]] */
#include "tissue.h"

static void start_exchange(const struct tissue *tissue, MPI_Request requests[8])
{
    double *u = tissue->u;
    int rows = tissue->rows, columns = tissue->columns;

    MPI_Irecv(&u[at(tissue, 0, 1)], columns, MPI_DOUBLE, tissue->up, 0, tissue->grid, &requests[0]);
    MPI_Irecv(&u[at(tissue, rows + 1, 1)], columns, MPI_DOUBLE, tissue->down, 0, tissue->grid, &requests[1]);
    MPI_Irecv(&u[at(tissue, 1, 0)], 1, tissue->column, tissue->left, 0, tissue->grid, &requests[2]);
    MPI_Irecv(&u[at(tissue, 1, columns + 1)], 1, tissue->column, tissue->right, 0, tissue->grid,
              &requests[3]);
    MPI_Isend(&u[at(tissue, 1, 1)], columns, MPI_DOUBLE, tissue->up, 0, tissue->grid, &requests[4]);
    MPI_Isend(&u[at(tissue, rows, 1)], columns, MPI_DOUBLE, tissue->down, 0, tissue->grid, &requests[5]);
    MPI_Isend(&u[at(tissue, 1, 1)], 1, tissue->column, tissue->left, 0, tissue->grid, &requests[6]);
    MPI_Isend(&u[at(tissue, 1, columns)], 1, tissue->column, tissue->right, 0, tissue->grid, &requests[7]);
}

/* The points at the border of the block, which need the margin. */
static void advance_border(const struct tissue *tissue)
{
    int rows = tissue->rows, columns = tissue->columns;

    advance(tissue, 1, 1, 1, columns);
    advance(tissue, rows, rows, 1, columns);
    advance(tissue, 2, rows - 1, 1, 1);
    advance(tissue, 2, rows - 1, columns, columns);
}

/* This rank's part of the electrocardiogram. */
static double cardiogram(const struct tissue *tissue)
{
    double sum = 0;

    for (int i = 1; i <= tissue->rows; i++)
        for (int j = 1; j <= tissue->columns; j++)
            sum += felt(tissue, tissue->top + i - 1, tissue->west + j - 1, tissue->u[at(tissue, i, j)]);
    work(FELT_WORK * tissue->rows * tissue->columns);
    return sum;
}

int main(int argc, char **argv)
{
    struct tissue tissue = tissue_begin(&argc, &argv);
    double *part = calloc((size_t)tissue.steps, sizeof *part);
    double *ecg = calloc((size_t)tissue.steps, sizeof *ecg);
    MPI_Request requests[8];
    MPI_Status statuses[8];

    if (!part || !ecg)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < tissue.steps; step++) {
        start_exchange(&tissue, requests);
        advance(&tissue, 2, tissue.rows - 1, 2, tissue.columns - 1);
        MPI_Waitall(8, requests, statuses);
        close_sides(&tissue);
        advance_border(&tissue);
        double *done = tissue.next;
        tissue.next = tissue.u;
        tissue.u = done;
        part[step] = cardiogram(&tissue);
    }
    MPI_Reduce(part, ecg, tissue.steps, MPI_DOUBLE, MPI_SUM, 0, tissue.grid);
    tissue_end(&tissue, ecg);
    free(part);
    free(ecg);
    return 0;
}
