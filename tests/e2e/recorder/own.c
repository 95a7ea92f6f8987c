/* Functions in which some MPIs communicate with themselves, as ROMIO does to open a file of its own. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char representation[MPI_MAX_DATAREP_STRING];
    MPI_Datatype element, type;
    MPI_Offset offset = -1, at;
    MPI_Group group;
    MPI_File file;
    MPI_Info info;
    int rank, flag;
    const char *path = getenv("OWN_FILE");

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(file, &offset);
    MPI_File_get_size(file, &at);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_get_view(file, &at, &element, &type, representation);
    MPI_File_get_group(file, &group);
    MPI_Group_free(&group);
    MPI_File_get_info(file, &info);
    MPI_Info_free(&info);
    MPI_File_get_atomicity(file, &flag);
    MPI_File_get_byte_offset(file, 0, &at);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete(path, MPI_INFO_NULL);
    printf("rank %d offset %d\n", rank, (int)offset);
    MPI_Finalize();
    return 0;
}
