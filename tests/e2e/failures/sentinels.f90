! Every sentinel that Fortran passes by its address, through mpif.h, use mpi or use mpi_f08 (BINDING 1, 2, 3): a
! tool that hands them on as C addresses changes the results printed here.
program sentinels
#if BINDING == 3
    use mpi_f08
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name) type(MPI_Status) :: name(2)
#define SOURCE_OF(name) name%MPI_SOURCE
#else
#if BINDING == 2
    use mpi
#endif
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name) integer :: name(MPI_STATUS_SIZE, 2)
#define SOURCE_OF(name) name(MPI_SOURCE)
#endif
    implicit none
#if BINDING == 1
    include 'mpif.h'
#endif
    integer :: rank, ranks, other, i, error, indices(2), done, index, value, count
    integer, target :: numbers(4), all(8), counts(2), places(2)
    integer(kind=MPI_ADDRESS_KIND) :: address(1)
    logical :: flag
    HANDLE(MPI_Datatype) :: absolute
    HANDLE(MPI_Request) :: requests(2)
    HANDLE(MPI_Comm) :: graph, copy
    HANDLE(MPI_Info) :: info
    STATUS(outcome)

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    other = 1 - rank

    ! MPI_IN_PLACE, in every place where it may stand
    numbers = [(10 * rank + i, i=1, 4)]
    call MPI_Allreduce(MPI_IN_PLACE, numbers, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call say('allreduce', numbers)
    if (rank == 0) then
        call MPI_Reduce(MPI_IN_PLACE, numbers, 4, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, error)
    else
        call MPI_Reduce(numbers, numbers, 4, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, error)
    end if
    call say('reduce', numbers)
    all = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INTEGER, MPI_COMM_WORLD, error)
    call say('allgather', all)
    all = [(100 * rank + i, i=1, 8)]
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INTEGER, MPI_COMM_WORLD, error)
    call say('alltoall', all)
    counts = 4
    places = [0, 4]
    if (rank == 0) then
        call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        call MPI_Scatter(all, 4, MPI_INTEGER, MPI_IN_PLACE, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    else
        call MPI_Gatherv(all, 4, MPI_INTEGER, numbers, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        call MPI_Scatter(numbers, 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    end if
    call say('gatherv, scatter', all)
    call MPI_Scan(MPI_IN_PLACE, all, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call say('scan', all)
    call MPI_Iallreduce(MPI_IN_PLACE, all, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call say('iallreduce', all)

    ! MPI_BOTTOM with absolute addresses
    numbers = [(1000 * rank + i, i=1, 4)]
    call MPI_Get_address(numbers, address(1), error)
    call MPI_Type_create_hindexed(1, [4], address, MPI_INTEGER, absolute, error)
    call MPI_Type_commit(absolute, error)
    if (rank == 0) then
        call MPI_Send(MPI_BOTTOM, 1, absolute, other, 1, MPI_COMM_WORLD, error)
    else
        call MPI_Recv(MPI_BOTTOM, 1, absolute, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, 1, MPI_COMM_WORLD, error)
    call MPI_Sendrecv(MPI_BOTTOM, 1, absolute, other, 2, all, 4, MPI_INTEGER, other, 2, MPI_COMM_WORLD, outcome, error)
    call MPI_Get_count(outcome, MPI_INTEGER, count, error)
    call say('bottom', [numbers, all(1:4), SOURCE_OF(outcome), count])
    call MPI_Type_free(absolute, error)

    ! MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE
    call MPI_Irecv(numbers, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(rank, 1, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call MPI_Irecv(numbers(2), 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(rank, 1, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE, error)
    call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE, error)
    call MPI_Waitsome(2, requests, done, indices, MPI_STATUSES_IGNORE, error)
    value = merge(1, 0, done == MPI_UNDEFINED)
    call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, error)
    call MPI_Isend(rank, 1, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(1), error)
    call MPI_Probe(other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, flag, outcome, error)
    call MPI_Recv(numbers(3), 1, MPI_INTEGER, SOURCE_OF(outcome), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv_replace(numbers(3), 1, MPI_INTEGER, other, 6, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call say('ignored', [numbers(1:3), value, merge(1, 0, flag)])

    ! MPI_UNWEIGHTED, MPI_PROC_NULL, null handles, an attribute's duplicate
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [other], MPI_UNWEIGHTED, 1, [other], MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, error)
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, value, 1, MPI_INTEGER, graph, error)
    call MPI_Comm_free(graph, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    numbers(1) = -7
    call MPI_Recv(numbers, 1, MPI_INTEGER, MPI_PROC_NULL, 0, copy, outcome, error)
    call say('null', [value, numbers(1), merge(1, 0, SOURCE_OF(outcome) == MPI_PROC_NULL)])
    call MPI_Barrier(copy, error)
    call MPI_Comm_free(copy, error)
    call MPI_Info_create(info, error)
    call MPI_Info_free(info, error)
    call MPI_Finalize(error)
contains
    subroutine say(what, values)
        character(*), intent(in) :: what
        integer, intent(in) :: values(:)
        print '(a,i0,1x,a,*(1x,i0))', 'rank ', rank, what, values
    end subroutine
end program
