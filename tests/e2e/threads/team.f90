! MPI_THREAD_MULTIPLE with OpenMP, two ranks of three threads.  Each thread exchanges messages with its like on the
! other rank; those of rank 0's thread 1 come 20 ms late.
program team
    use mpi_f08
    use omp_lib
    implicit none
    integer, parameter :: threads = 3, turns = 10
    integer :: rank, provided, sums(0:threads - 1) = 0

    call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
    if (provided < MPI_THREAD_MULTIPLE) call MPI_Abort(MPI_COMM_WORLD, 77)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    !$omp parallel num_threads(threads)
    call work(omp_get_thread_num())
    !$omp end parallel
    print '(a,i0,a,3(1x,i0))', 'rank ', rank, ' sums', sums
    call MPI_Finalize()

contains

    subroutine work(me)
        integer, intent(in) :: me
        integer :: turn, value

        do turn = 1, turns
            if (rank == 0) then
                if (me == 1) call be_late
                call MPI_Send(turn, 1, MPI_INTEGER, 1, me, MPI_COMM_WORLD)
            else
                call MPI_Recv(value, 1, MPI_INTEGER, 0, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
                sums(me) = sums(me) + value
            end if
        end do
    end subroutine

    subroutine be_late
        real(8) :: until

        until = MPI_Wtime() + 0.02d0
        do while (MPI_Wtime() < until)
        end do
    end subroutine
end program
