! The same calls in Fortran, through mpif.h, `use mpi` (-DUSE_MPI) and `use mpi_f08` (-DUSE_MPI_F08).
#if defined USE_MPI_F08
#define HANDLE(of) type(of)
#define STATUS type(MPI_Status)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#else
#define HANDLE(of) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#endif

module binding
#if defined USE_MPI_F08
    use mpi_f08
#elif defined USE_MPI
    use mpi
#endif
    implicit none
#if !defined USE_MPI_F08 && !defined USE_MPI
    include 'mpif.h'
#endif
    integer :: rank, ranks, next, previous, total = 0, ierror
    HANDLE(MPI_Comm) :: half
end module

program matrix
    use binding
    implicit none

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    next = modulo(rank + 1, ranks)
    previous = modulo(rank - 1, ranks)
    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, half, ierror)
    call blocking
    call non_blocking
    call persistent
    call absolute
    call collective
    call one_sided
    call MPI_Comm_free(half, ierror)
    print '(a,i0,a,i0)', 'rank ', rank, ' sum ', total
    call MPI_Finalize(ierror)

contains

    subroutine blocking
        integer :: out(3), in(3), strided(5), count
        double precision :: real_(2)
        STATUS :: state

        out = [rank, rank + 1, rank + 2]
        in = 0
        strided = [rank, 0, rank, 0, rank]
        real_ = [rank / 2d0, rank / 4d0]
        if (modulo(rank, 2) == 0) then
            call MPI_Send(out, 3, MPI_INTEGER, next, 7, MPI_COMM_WORLD, ierror)
            call MPI_Recv(real_, 2, MPI_DOUBLE_PRECISION, next, MPI_ANY_TAG, MPI_COMM_WORLD, state, ierror)
            call MPI_Get_count(state, MPI_DOUBLE_PRECISION, count, ierror)
            total = total + SOURCE_OF(state) + TAG_OF(state) + count
        else
            call MPI_Recv(in, 3, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
            call MPI_Ssend(real_, 2, MPI_DOUBLE_PRECISION, previous, 8, MPI_COMM_WORLD, ierror)
            total = total + in(3)
        end if
        call MPI_Sendrecv(out, 1, MPI_INTEGER, next, 9, in, 1, MPI_INTEGER, previous, 9, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE, ierror)
        call MPI_Sendrecv_replace(in, 2, MPI_INTEGER, next, 10, previous, MPI_ANY_TAG, MPI_COMM_WORLD, state, ierror)
        total = total + in(1) + TAG_OF(state)
        call MPI_Send(out, 1, MPI_INTEGER, MPI_PROC_NULL, 11, MPI_COMM_WORLD, ierror)
        if (modulo(rank, 2) == 0) then
            ! A section: copied, or told by a descriptor.
            call MPI_Send(strided(1:5:2), 3, MPI_INTEGER, next, 12, MPI_COMM_WORLD, ierror)
        else
            call MPI_Probe(MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, state, ierror)
            call MPI_Recv(in, 3, MPI_INTEGER, SOURCE_OF(state), 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
            total = total + in(3)
        end if
    end subroutine

    subroutine non_blocking
        integer, asynchronous :: out, in(2)
        integer :: peer
        logical :: flag
        HANDLE(MPI_Request) :: requests(2)
        STATUS :: state

        out = rank
        call MPI_Irecv(in(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Isend(out, 1, MPI_INTEGER, next, 20, MPI_COMM_WORLD, requests(2), ierror)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
        call MPI_Comm_rank(half, peer, ierror)
        peer = 1 - peer
        call MPI_Irecv(in(2), 1, MPI_INTEGER, peer, 21, half, requests(1), ierror)
        call MPI_Issend(out, 1, MPI_INTEGER, peer, 21, half, requests(2), ierror)
        call MPI_Wait(requests(1), state, ierror)
        call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierror)
        total = total + in(1) + in(2) + SOURCE_OF(state)
        call MPI_Irecv(in(1), 1, MPI_INTEGER, peer, 22, half, requests(1), ierror)
        call MPI_Isend(out, 1, MPI_INTEGER, peer, 22, half, requests(2), ierror)
        flag = .false.
        do while (.not. flag)
            call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierror)
        end do
        total = total + in(1)
    end subroutine

    subroutine persistent
        integer, asynchronous :: out, in
        integer :: i
        HANDLE(MPI_Request) :: requests(2)

        out = rank
        call MPI_Recv_init(in, 1, MPI_INTEGER, previous, 30, MPI_COMM_WORLD, requests(1), ierror)
        call MPI_Send_init(out, 1, MPI_INTEGER, next, 30, MPI_COMM_WORLD, requests(2), ierror)
        do i = 1, 3
            call MPI_Startall(2, requests, ierror)
            call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
            out = in
        end do
        call MPI_Request_free(requests(1), ierror)
        call MPI_Request_free(requests(2), ierror)
        total = total + in
    end subroutine

    subroutine absolute
        integer, target, asynchronous :: numbers(2)
        integer(MPI_ADDRESS_KIND) :: address(1)
        HANDLE(MPI_Datatype) :: kind_

        numbers = rank
        call MPI_Get_address(numbers, address(1), ierror)
        call MPI_Type_create_hindexed(1, [2], address, MPI_INTEGER, kind_, ierror)
        call MPI_Type_commit(kind_, ierror)
        if (modulo(rank, 2) == 0) then
            call MPI_Send(MPI_BOTTOM, 1, kind_, next, 40, MPI_COMM_WORLD, ierror)
        else
            call MPI_Recv(MPI_BOTTOM, 1, kind_, previous, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        end if
        call MPI_Type_free(kind_, ierror)
        total = total + numbers(2)
    end subroutine

    subroutine collective
        integer, asynchronous :: all_(4)
        integer :: other(4), one(1), two(2), counts(4), places(4)
        HANDLE(MPI_Request) :: request
        HANDLE(MPI_Comm) :: copy

        all_ = rank
        one = rank
        two = rank
        counts = 1
        places = [0, 1, 2, 3]
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
        call MPI_Bcast(two, 2, MPI_INTEGER, 1, half, ierror)
        total = total + two(2)
        if (rank == 0) then
            call MPI_Reduce(MPI_IN_PLACE, two, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
        else
            call MPI_Reduce(two, other, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
        end if
        call MPI_Allreduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_MAX, half, ierror)
        total = total + one(1)
        if (rank == 2) then
            call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_, 1, MPI_INTEGER, 2, MPI_COMM_WORLD, ierror)
        else
            call MPI_Gather(one, 1, MPI_INTEGER, other, 0, MPI_DATATYPE_NULL, 2, MPI_COMM_WORLD, ierror)
        end if
        call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call MPI_Alltoall(all_, 1, MPI_INTEGER, other, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        call MPI_Allgatherv(one, 1, MPI_INTEGER, other, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
        total = total + other(4)
        if (rank == 1) then
            call MPI_Scatter(other, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD, ierror)
        else
            call MPI_Scatter(other, 0, MPI_DATATYPE_NULL, one, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
        end if
        call MPI_Scan(one, two, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
        total = total + two(1)
        call MPI_Iallreduce(MPI_IN_PLACE, all_, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Comm_dup(half, copy, ierror)
        call MPI_Ibarrier(copy, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_Comm_free(copy, ierror)
        total = total + all_(4)
    end subroutine

    subroutine one_sided
        integer, asynchronous :: exposed(2), out
        HANDLE(MPI_Win) :: window

        exposed = 0
        out = rank
        call MPI_Win_create(exposed, 8_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierror)
        call MPI_Win_fence(0, window, ierror)
        call MPI_Put(out, 1, MPI_INTEGER, next, 1_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierror)
        call MPI_Win_fence(0, window, ierror)
        call MPI_Win_free(window, ierror)
        total = total + exposed(2)
    end subroutine

end program
