! Vibrating plate: explicit time stepping of the wave equation on a plate
! with fixed rim; the old field is overwritten by the new one.
program wavefield
  implicit none
  integer, parameter :: nx = 2048, ny = 2400
  real(8), allocatable :: u(:,:), w(:,:)
  integer :: i, j, t
  allocate(u(nx, ny), w(nx, ny))
  do j = 1, ny
    do i = 1, nx
      u(i, j) = 1.0d-3 * mod(i * j, 29)
      w(i, j) = u(i, j)
    end do
  end do
  do t = 1, 170
    call step(w, u)
    call step(u, w)
  end do
  print '(a,es18.10)', 'energy ', sum(u(::16, ::16)**2)
contains
  subroutine step(old, cur)
    real(8), intent(inout) :: old(nx, ny)
    real(8), intent(in) :: cur(nx, ny)
    integer :: x, y
    do y = 2, ny - 1
      do x = 2, nx - 1
        old(x, y) = 1.6d0 * cur(x, y) - old(x, y) &
          + 0.1d0 * (cur(x - 1, y) + cur(x + 1, y) + cur(x, y - 1) + cur(x, y + 1))
      end do
    end do
  end subroutine
end program
