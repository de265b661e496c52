program ring
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, n, i, to, from, req(2), st(MPI_STATUS_SIZE,2)
  double precision :: a(1000), b(1000)
  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
  to = mod(rank+1,n); from = mod(rank+n-1,n)
  a = rank
  do i = 1, 10
    call MPI_IRECV(b, 1000, MPI_DOUBLE_PRECISION, from, 0, MPI_COMM_WORLD, req(1), ierr)
    call MPI_ISEND(a, 1000, MPI_DOUBLE_PRECISION, to, 0, MPI_COMM_WORLD, req(2), ierr)
    call MPI_WAITALL(2, req, st, ierr)
    a = b + 1
  end do
  call MPI_ALLREDUCE(a, b, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, b(1)
  call MPI_FINALIZE(ierr)
end program
