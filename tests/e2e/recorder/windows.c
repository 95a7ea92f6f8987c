/* Every kind of window, every synchronisation and every access. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, sum;

static void fences(MPI_Win win, int *memory)
{
    int value = rank + 1, got = 0, zero = 0;

    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Put(&zero, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    sum += got + memory[0] + memory[1];
    memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void locks(MPI_Win win)
{
    int value = 1, got = 0, compare = 0;
    MPI_Request request[4];
    int target = (rank + 1) % size;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Fetch_and_op(&value, &got, MPI_INT, 0, 2, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Win_unlock(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get_accumulate(&value, 1, MPI_INT, &got, 1, MPI_INT, target, 3, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_local(target, win);
    MPI_Compare_and_swap(&value, &compare, &got, MPI_INT, target, 4, win);
    MPI_Win_unlock(target, win);
    MPI_Win_lock_all(0, win);
    MPI_Rput(&value, 1, MPI_INT, target, 5, 1, MPI_INT, win, &request[0]);
    MPI_Rget(&got, 1, MPI_INT, target, 6, 1, MPI_INT, win, &request[1]);
    MPI_Raccumulate(&value, 1, MPI_INT, target, 7, 1, MPI_INT, MPI_SUM, win, &request[2]);
    MPI_Rget_accumulate(&value, 1, MPI_INT, &compare, 1, MPI_INT, target, 8, 1, MPI_INT, MPI_SUM, win,
                        &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Win_flush_local_all(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 exposes its memory to all others. */
static void epochs(MPI_Win win, int *memory)
{
    int value = rank, flag = 0, ranks[64];
    MPI_Group world, others, zero;

    for (int i = 1; i < size; i++)
        ranks[i - 1] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, size - 1, ranks, &others);
    ranks[0] = 0;
    MPI_Group_incl(world, 1, ranks, &zero);
    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            MPI_Win_post(others, 0, win);
            if (i == 0)
                MPI_Win_wait(win);
            else
                while (!flag)
                    MPI_Win_test(win, &flag);
            for (int j = 1; j < size; j++)
                sum += memory[8 + j];
        } else {
            MPI_Win_start(zero, 0, win);
            MPI_Put(&value, 1, MPI_INT, 0, 8 + rank, 1, MPI_INT, win);
            MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&zero);
    MPI_Group_free(&others);
    MPI_Group_free(&world);
}

static void all_of(MPI_Win win, int *memory)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    for (int i = 0; i < 64; i++)
        memory[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    fences(win, memory);
    locks(win);
    epochs(win, memory);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    int own[64], *memory;
    MPI_Aint address;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(own, sizeof own, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    all_of(win, own);
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    all_of(win, memory);
    MPI_Win_allocate_shared(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    memory[0] = rank;
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, own, sizeof own);
    MPI_Get_address(own, &address);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    MPI_Win_detach(win, own);
    MPI_Win_free(&win);
    printf("rank %d sum %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
