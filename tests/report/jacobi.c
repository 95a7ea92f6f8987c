/* Not compiled: the source lines that the made-up report shows. */
static void exchange(double *row, int n)
{
    MPI_Request request[2];

    /* the border of the rank above */
    MPI_Irecv(row, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
    inner_points(row, n);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* a long remark, so that the line does not fit the page */
}
