! Free-surface update of a shallow-water ocean model on a large grid.
program ocean
  implicit none
  integer, parameter :: nx = 4200, ny = 4000
  integer, parameter :: steps = 150
  real(8), allocatable :: eta(:, :), dv(:, :)
  integer :: i, j, t
  allocate (eta(nx, ny), dv(nx, ny))
  do j = 1, ny
     do i = 1, nx
        eta(i, j) = 0.0d0
        dv(i, j) = dble(mod(i + 3*j, 29))*1.0d-3
     end do
  end do
  do t = 1, steps
     call advance(eta, dv, 0.5d0 + 0.01d0*dble(mod(t, 7)))
  end do
  print '(a,es20.12)', 'ocean ', eta(17, 33) + eta(nx, ny) + eta(nx/2, ny/2)
contains
  subroutine advance(h, d, dt)
    real(8), intent(inout) :: h(nx, ny)
    real(8), intent(in) :: d(nx, ny), dt
    integer :: a, b
    do b = 1, ny
       do a = 1, nx
          h(a, b) = h(a, b) - dt*d(a, b)
       end do
    end do
  end subroutine advance
end program ocean
