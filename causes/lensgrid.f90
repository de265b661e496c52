! Gravitational lens mapping: the deflection at every ray of a row is the
! mass over the distance to the lens plane's centre.
program lensgrid
  implicit none
  integer, parameter :: n = 1000, rows = 4800000
  real(8) :: r2(n), defl(n), total
  integer :: i, k
  do i = 1, n
    r2(i) = 0.5d0 + mod(i * 17, 101) * 0.03d0
  end do
  total = 0.0d0
  do k = 1, rows
    call deflect(r2, defl, 1.0d0 + mod(k, 9) * 0.1d0)
    total = total + defl(mod(k, n) + 1)
  end do
  print '(a,f20.6)', 'lensgrid ', total
contains
  subroutine deflect(d, a, mass)
    real(8), intent(in) :: d(n), mass
    real(8), intent(out) :: a(n)
    integer :: j
    do j = 1, n
      a(j) = mass / (d(j) + 0.01d0)
    end do
  end subroutine
end program
