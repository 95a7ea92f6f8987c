/* Heart activity, as one writes it first: in each step the margins are exchanged side by side, rank 0
 * collects the whole mesh to compute the electrocardiogram from it, and a barrier keeps the ranks in step.
 *
 * mpirun -n 4 ./heart_before [POINTS [STEPS]] */
#include "tissue.h"

static void exchange(const struct tissue *tissue)
{
    double *u = tissue->u;
    int rows = tissue->rows, columns = tissue->columns;
    MPI_Status *none = MPI_STATUS_IGNORE;

    MPI_Sendrecv(&u[at(tissue, 1, 1)], columns, MPI_DOUBLE, tissue->up, 0, &u[at(tissue, rows + 1, 1)],
                 columns, MPI_DOUBLE, tissue->down, 0, tissue->grid, none);
    MPI_Sendrecv(&u[at(tissue, rows, 1)], columns, MPI_DOUBLE, tissue->down, 1, &u[at(tissue, 0, 1)], columns,
                 MPI_DOUBLE, tissue->up, 1, tissue->grid, none);
    MPI_Sendrecv(&u[at(tissue, 1, 1)], 1, tissue->column, tissue->left, 2, &u[at(tissue, 1, columns + 1)], 1,
                 tissue->column, tissue->right, 2, tissue->grid, none);
    MPI_Sendrecv(&u[at(tissue, 1, columns)], 1, tissue->column, tissue->right, 3, &u[at(tissue, 1, 0)], 1,
                 tissue->column, tissue->left, 3, tissue->grid, none);
}

/* The electrocardiogram of the present state, on rank 0. */
static double cardiogram(const struct tissue *tissue, double *block, double *mesh)
{
    int rows = tissue->rows, columns = tissue->columns, points = rows * columns, place[2];
    double sum = 0;

    for (int i = 0; i < rows; i++)
        memcpy(&block[i * columns], &tissue->u[at(tissue, i + 1, 1)], (size_t)columns * sizeof *block);
    MPI_Gather(block, points, MPI_DOUBLE, mesh, points, MPI_DOUBLE, 0, tissue->grid);
    if (tissue->rank > 0)
        return 0;
    for (int rank = 0; rank < tissue->size; rank++) {
        MPI_Cart_coords(tissue->grid, rank, 2, place);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++)
                sum += felt(tissue, place[0] * rows + i, place[1] * columns + j, *mesh++);
    }
    work(FELT_WORK * points * tissue->size);
    return sum;
}

int main(int argc, char **argv)
{
    struct tissue tissue = tissue_begin(&argc, &argv);
    size_t points = (size_t)tissue.rows * (size_t)tissue.columns;
    double *ecg = calloc((size_t)tissue.steps, sizeof *ecg);
    double *block = malloc(points * sizeof *block);
    double *mesh = malloc((tissue.rank == 0 ? points * (size_t)tissue.size : 1) * sizeof *mesh);

    if (!ecg || !block || !mesh)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int step = 0; step < tissue.steps; step++) {
        exchange(&tissue);
        close_sides(&tissue);
        advance(&tissue, 1, tissue.rows, 1, tissue.columns);
        double *done = tissue.next;
        tissue.next = tissue.u;
        tissue.u = done;
        ecg[step] = cardiogram(&tissue, block, mesh);
        MPI_Barrier(tissue.grid);
    }
    tissue_end(&tissue, ecg);
    free(mesh);
    free(block);
    free(ecg);
    return 0;
}
