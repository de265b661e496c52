! Updates the electric field of a plasma code from the magnetic field and the
! current on a long one-dimensional grid.
program plasma
  implicit none
  integer, parameter :: n = 16000000, steps = 150
  real(8), allocatable :: e(:), b(:), c(:)
  integer :: i, k
  allocate(e(n), b(n), c(n))
  do i = 1, n
    e(i) = 0.0d0
    b(i) = real(mod(i, 19), 8)
    c(i) = real(mod(i, 5), 8) * 0.1d0
  end do
  do k = 1, steps
    call push(e, b, c, 0.5d0 / real(k, 8))
    c(mod(k, n) + 1) = c(mod(k, n) + 1) + e(k + 1) * 1.0d-9
  end do
  print '(es20.12)', sum(e)
contains
  subroutine push(ef, bf, cu, dt)
    real(8), intent(inout) :: ef(n)
    real(8), intent(in) :: bf(n), cu(n), dt
    integer :: j
    do j = 2, n
      ef(j) = ef(j) + dt * (bf(j) - bf(j - 1)) - cu(j)
    end do
  end subroutine
end program
