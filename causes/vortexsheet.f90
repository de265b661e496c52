! Vortex sheet: induced speed of the sheet elements at a probe, from the
! strength of each element and its distance.
program vortexsheet
  implicit none
  integer, parameter :: n = 800
  real(8) :: x(n), g(n), u(n), s
  integer :: i, t
  do i = 1, n
    x(i) = 0.01d0 * i
    g(i) = 1.0d0 / (1 + mod(i, 5))
  end do
  s = 0.0d0
  do t = 1, 1900000
    call induce(u, x, g, n, 1.0d-6 * t)
    s = s + u(1 + mod(t, n))
  end do
  print '(a,es20.12)', 'speed ', s
contains
  subroutine induce(v, px, str, m, probe)
    integer, intent(in) :: m
    real(8), intent(out) :: v(m)
    real(8), intent(in) :: px(m), str(m), probe
    real(8) :: d
    integer :: k
    do k = 1, m
      d = px(k) - probe
      v(k) = str(k) / sqrt(d * d + 0.02d0)
    end do
  end subroutine
end program
