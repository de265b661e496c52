! Computes concentration ratios of a series of titration readings, the degree
! of dissociation and its complement for every reading.
program titration
  implicit none
  integer, parameter :: n = 1000, runs = 1000000
  real(8) :: acid(n), base(n), ratio(n), compl(n), total
  integer :: i, k
  do i = 1, n
    acid(i) = 1.0d0 + 0.001d0 * i
    base(i) = 3.0d0 - 0.001d0 * i
  end do
  total = 0.0d0
  do k = 1, runs
    call degrees(acid, base, ratio, compl, n)
    total = total + ratio(mod(k, n) + 1) - compl(mod(k * 3, n) + 1)
    acid(mod(k, n) + 1) = acid(mod(k, n) + 1) + 1.0d-6
  end do
  print '(es20.12)', total
contains
  subroutine degrees(a, b, r, c, m)
    integer, intent(in) :: m
    real(8), intent(in) :: a(m), b(m)
    real(8), intent(out) :: r(m), c(m)
    integer :: j
    do j = 1, m
      r(j) = a(j) / (a(j) + b(j))
      c(j) = b(j) / (b(j) + 1.5d0)
    end do
  end subroutine
end program
