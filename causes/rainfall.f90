! Accumulates the rainfall of a network of gauges with compensated summation,
! so that yearly totals do not depend on the order of the small amounts.
program rainfall
  implicit none
  integer, parameter :: n = 3000, years = 330000
  real(8) :: gauge(n), total, comp
  integer :: i, k
  integer(8) :: s
  s = 4711
  do i = 1, n
    s = mod(s * 16807_8, 2147483647_8)
    gauge(i) = real(s, 8) / 2147483647.0d0
  end do
  total = 0.0d0
  comp = 0.0d0
  do k = 1, years
    call accumulate(gauge, n, total, comp)
  end do
  print '(es22.15)', total
contains
  subroutine accumulate(g, m, t, c)
    integer, intent(in) :: m
    real(8), intent(in) :: g(m)
    real(8), intent(inout) :: t, c
    real(8) :: y, z
    integer :: j
    do j = 1, m
      y = g(j) - c
      z = t + y
      c = (z - t) - y
      t = z
    end do
  end subroutine
end program
