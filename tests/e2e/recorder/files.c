/* Every way to read and write a file, by itself and together, at once and in halves; the files are beside the program.
 * Prints a checksum. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 4 };
static int rank, size, sum;
static int out[N], in[N];

static void add(void)
{
    for (int i = 0; i < N; i++) {
        sum += in[i];
        in[i] = 0;
        out[i] = rank + i;
    }
}

/* One after the other: what the shared pointer gives to whom is decided by chance else. */
static void in_turn(void (*work)(MPI_File file, int write), MPI_File file, int write)
{
    for (int i = 0; i < size; i++) {
        if (i == rank)
            work(file, write);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void shared(MPI_File file, int write)
{
    MPI_Request request;

    if (write) {
        MPI_File_write_shared(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_iwrite_shared(file, out, N, MPI_INT, &request);
    } else {
        MPI_File_read_shared(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
        add();
        MPI_File_iread_shared(file, in, N, MPI_INT, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add();
}

static void writes(MPI_File file)
{
    MPI_Offset at = rank * N * 4;
    MPI_Request request[4];
    MPI_Status status;

    MPI_File_write(file, out, N, MPI_INT, &status);
    MPI_File_write_at(file, at, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, at, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_iwrite(file, out, N, MPI_INT, &request[0]);
    MPI_Wait(&request[0], &status);
    MPI_File_iwrite_at(file, at, out, N, MPI_INT, &request[0]);
    MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
    MPI_File_iwrite_at_all(file, at, out, N, MPI_INT, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_iwrite_all(file, out, N, MPI_INT, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(file, at, out, N, MPI_INT);
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_write_all_begin(file, out, N, MPI_INT);
    MPI_File_write_all_end(file, out, &status);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_write_ordered(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_ordered_begin(file, out, N, MPI_INT);
    MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);
    in_turn(shared, file, 1);
}

static void reads(MPI_File file)
{
    MPI_Offset at = rank * N * 4;
    MPI_Request request;
    MPI_Status status;
    int count;

    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_read(file, in, N, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    sum += count;
    add();
    MPI_File_read_at(file, at, in, N, MPI_INT, MPI_STATUS_IGNORE);
    add();
    MPI_File_read_at(file, 1 << 20, in, N, MPI_INT, MPI_STATUS_IGNORE); /* behind the end: nothing */
    add();
    MPI_File_read_at_all(file, at, in, N, MPI_INT, MPI_STATUS_IGNORE);
    add();
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_read_all(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
    add();
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_iread(file, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add();
    MPI_File_iread_at(file, at, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add();
    MPI_File_iread_at_all(file, at, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add();
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_iread_all(file, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    add();
    MPI_File_read_at_all_begin(file, at, in, N, MPI_INT);
    MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
    add();
    MPI_File_seek(file, at, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, in, N, MPI_INT);
    MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
    add();
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
    add();
    MPI_File_read_ordered_begin(file, in, N, MPI_INT);
    MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
    add();
    in_turn(shared, file, 0);
}

int main(int argc, char **argv)
{
    char path[4096];
    MPI_File file, own;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    add();
    snprintf(path, sizeof path, "%s.together", argv[0]);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    MPI_File_preallocate(file, 256);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_Info_create(&info);
    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
    MPI_File_set_atomicity(file, 0);
    writes(file);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    reads(file);
    MPI_File_close(&file);
    snprintf(path, sizeof path, "%s.own.%d", argv[0], rank);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &own);
    MPI_File_write_all(own, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&own);
    printf("rank %d sum %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
