! Accumulates station rainfall with a compensated running total.
program rainsum
  use iso_fortran_env, only: real64, int64
  implicit none
  integer, parameter :: n = 3000
  integer, parameter :: years = 300000
  real(real64) :: rain(n), tot
  integer(int64) :: seed
  integer :: i, y
  seed = 4711_int64
  do i = 1, n
     seed = mod(seed*16807_int64, 2147483647_int64)
     rain(i) = real(seed, real64)*1.0e-8_real64
  end do
  tot = 0.0_real64
  do y = 1, years
     tot = tot*0.5_real64 + season(rain, n)
     rain(mod(y, n) + 1) = rain(mod(y, n) + 1) + 1.0e-3_real64
  end do
  print '(a,es22.14)', 'rainsum ', tot
contains
  function season(r, m) result(s)
    integer, intent(in) :: m
    real(real64), intent(in) :: r(m)
    real(real64) :: s, c, d, t
    integer :: k
    s = 0.0_real64
    c = 0.0_real64
    do k = 1, m
       d = r(k) - c
       t = s + d
       c = (t - s) - d
       s = t
    end do
  end function season
end program rainsum
