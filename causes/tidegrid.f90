! Tidal basin model: advances the water level of all cells by the net
! inflow found in the transport step.
program tidegrid
  implicit none
  integer, parameter :: n = 786432, steps = 45000
  real(4), allocatable :: level(:), inflow(:)
  integer :: i, s
  allocate(level(n), inflow(n))
  do i = 1, n
    level(i) = 1.0 + mod(i, 13) * 0.01
    inflow(i) = mod(i, 7) * 0.1 - 0.3
  end do
  do s = 1, steps
    call advance(level, inflow, merge(0.01, -0.01, mod(s, 2) == 0))
  end do
  print '(a,f16.4)', 'tidegrid ', sum(level(1:n:97))
contains
  subroutine advance(h, q, dt)
    real(4), intent(inout) :: h(n)
    real(4), intent(in) :: q(n), dt
    integer :: k
    do k = 1, n
      h(k) = h(k) + dt * q(k)
    end do
  end subroutine
end program
