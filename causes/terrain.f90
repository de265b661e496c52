! Hill slope water model: every step the rain of the hour is added to the
! water column of each cell and the evaporation is taken away.
program terrain
  implicit none
  integer, parameter :: n = 560000
  real(4), allocatable :: water(:), rain(:), evap(:)
  integer :: i, h
  allocate(water(n), rain(n), evap(n))
  do i = 1, n
    water(i) = 1.0
    rain(i) = 0.001 * mod(i, 17)
    evap(i) = 0.002 * mod(i, 13)
  end do
  do h = 1, 38000
    call hour(water, rain, evap, n, 0.5 + 0.001 * mod(h, 10))
    rain(1 + mod(h, n)) = 0.004
  end do
  print '(a,es16.8)', 'water ', sum(dble(water))
contains
  subroutine hour(w, r, e, m, k)
    integer, intent(in) :: m
    real(4), intent(inout) :: w(m)
    real(4), intent(in) :: r(m), e(m), k
    integer :: j
    do j = 1, m
      w(j) = w(j) + (r(j) - k * e(j))
    end do
  end subroutine
end program
