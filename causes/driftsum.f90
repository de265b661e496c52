! Clock drift study: accumulates many tiny offsets of a laboratory clock
! with a running correction so that no digits are lost over the years.
program driftsum
  implicit none
  integer, parameter :: n = 3000, years = 340000
  real(8) :: off(n), s, c
  integer :: i, k
  do i = 1, n
    off(i) = 1.0d-9 * mod(i * 7919, 1013)
  end do
  s = 1.0d6
  c = 0.0d0
  do k = 1, years
    call accrue(off, n, s, c)
  end do
  print '(a,f20.9)', 'drift ', s
contains
  subroutine accrue(x, m, total, comp)
    integer, intent(in) :: m
    real(8), intent(in) :: x(m)
    real(8), intent(inout) :: total, comp
    real(8) :: y, t, a, b
    integer :: j
    a = total
    b = comp
    do j = 1, m
      y = x(j) - b
      t = a + y
      b = (t - a) - y
      a = t
    end do
    total = a
    comp = b
  end subroutine
end program
