! Tiled renderer: before a tile is drawn, its depth and brightness planes are
! set to the values of the empty scene.
program tileclear
  implicit none
  integer, parameter :: n = 2048
  real(4) :: depth(n), bright(n)
  real(8) :: s
  integer :: t
  s = 0.0d0
  do t = 1, 24000000
    call clear(depth, bright, n, 1.0e4 + mod(t, 7), 0.25 * mod(t, 5))
    s = s + depth(1 + mod(t, n)) + bright(n - mod(t, n))
  end do
  print '(a,es20.12)', 'scene ', s
contains
  subroutine clear(z, b, m, far, sky)
    integer, intent(in) :: m
    real(4), intent(out) :: z(m), b(m)
    real(4), intent(in) :: far, sky
    integer :: i
    do i = 1, m
      z(i) = far
      b(i) = sky
    end do
  end subroutine
end program
