! The Fortran half of mixed.cpp.
subroutine fortran_part(comm, total)
    use mpi
    implicit none
    integer, intent(in) :: comm
    integer, intent(out) :: total
    integer :: rank, error

    call MPI_Comm_rank(comm, rank, error)
    total = rank
    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, comm, error)
    call MPI_Barrier(comm, error)
end subroutine
