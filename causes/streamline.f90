! Traces a tracer particle through an unstructured mesh: every cell knows
! the cell downstream of it; travel times are added up.
program streamline
  implicit none
  integer, parameter :: n = 2**25, steps = 10000000
  integer, allocatable :: down(:)
  integer :: i, c, k
  integer(8) :: t, x
  allocate(down(0:n-1))
  do i = 0, n - 1
     x = iand(int(i, 8) * 22695477_8 + 12345_8, int(n - 1, 8))
     down(i) = int(x)
  end do
  c = 0
  t = 0
  do k = 1, steps
     c = down(ieor(c, ishft(c, -9)))
     t = t + iand(c, 15)
  end do
  print '(i0,1x,i0)', t, c
end program streamline
