! The Jacobian of a bent grid: how the coordinates x, y and z change from point to point in each of three directions.
! The stored value is one over the determinant.
module jacobian_of_grid
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: grid, jacobian

  type :: grid
    real(real64) :: per_column, per_row, per_layer   ! half of one over the spacing
  end type

  real(real64), parameter :: tiny = 1e-20_real64   ! so that a degenerate cell divides by something

contains

  ! Each point tests three times whether it is at the lower border, at the upper one, or between.
  subroutine jacobian(g, x, y, z, inverse)
    type(grid), intent(in) :: g
    real(real64), intent(in), contiguous :: x(:,:,:), y(:,:,:), z(:,:,:)
    real(real64), intent(inout), contiguous :: inverse(:,:,:)
    real(real64) :: xi, yi, zi, xj, yj, zj, xk, yk, zk, determinant
    integer :: i, j, k, ip, im, jp, jm, kp, km
    do j = 1, size(x, 2)
      do k = 1, size(x, 3)
        do i = 1, size(x, 1)
          ! Neighbours and their neighbours; those outside are not used.
          ip = i + 1
          im = i - 1
          jp = j + 1
          jm = j - 1
          kp = k + 1
          km = k - 1
          if (j == 1) then
            xj = (-3 * x(i, j, k) + 4 * x(i, jp, k) - x(i, jp + 1, k)) * g%per_row
            yj = (-3 * y(i, j, k) + 4 * y(i, jp, k) - y(i, jp + 1, k)) * g%per_row
            zj = (-3 * z(i, j, k) + 4 * z(i, jp, k) - z(i, jp + 1, k)) * g%per_row
          else if (j == size(x, 2)) then
            xj = (3 * x(i, j, k) - 4 * x(i, jm, k) + x(i, jm - 1, k)) * g%per_row
            yj = (3 * y(i, j, k) - 4 * y(i, jm, k) + y(i, jm - 1, k)) * g%per_row
            zj = (3 * z(i, j, k) - 4 * z(i, jm, k) + z(i, jm - 1, k)) * g%per_row
          else
            xj = (x(i, jp, k) - x(i, jm, k)) * g%per_row
            yj = (y(i, jp, k) - y(i, jm, k)) * g%per_row
            zj = (z(i, jp, k) - z(i, jm, k)) * g%per_row
          end if
          if (k == 1) then
            xk = (-3 * x(i, j, k) + 4 * x(i, j, kp) - x(i, j, kp + 1)) * g%per_layer
            yk = (-3 * y(i, j, k) + 4 * y(i, j, kp) - y(i, j, kp + 1)) * g%per_layer
            zk = (-3 * z(i, j, k) + 4 * z(i, j, kp) - z(i, j, kp + 1)) * g%per_layer
          else if (k == size(x, 3)) then
            xk = (3 * x(i, j, k) - 4 * x(i, j, km) + x(i, j, km - 1)) * g%per_layer
            yk = (3 * y(i, j, k) - 4 * y(i, j, km) + y(i, j, km - 1)) * g%per_layer
            zk = (3 * z(i, j, k) - 4 * z(i, j, km) + z(i, j, km - 1)) * g%per_layer
          else
            xk = (x(i, j, kp) - x(i, j, km)) * g%per_layer
            yk = (y(i, j, kp) - y(i, j, km)) * g%per_layer
            zk = (z(i, j, kp) - z(i, j, km)) * g%per_layer
          end if
          if (i == 1) then
            xi = (-3 * x(i, j, k) + 4 * x(ip, j, k) - x(ip + 1, j, k)) * g%per_column
            yi = (-3 * y(i, j, k) + 4 * y(ip, j, k) - y(ip + 1, j, k)) * g%per_column
            zi = (-3 * z(i, j, k) + 4 * z(ip, j, k) - z(ip + 1, j, k)) * g%per_column
          else if (i == size(x, 1)) then
            xi = (3 * x(i, j, k) - 4 * x(im, j, k) + x(im - 1, j, k)) * g%per_column
            yi = (3 * y(i, j, k) - 4 * y(im, j, k) + y(im - 1, j, k)) * g%per_column
            zi = (3 * z(i, j, k) - 4 * z(im, j, k) + z(im - 1, j, k)) * g%per_column
          else
            xi = (x(ip, j, k) - x(im, j, k)) * g%per_column
            yi = (y(ip, j, k) - y(im, j, k)) * g%per_column
            zi = (z(ip, j, k) - z(im, j, k)) * g%per_column
          end if
          determinant = xj * yk * zi + yj * zk * xi + zj * xk * yi &
                      - xj * zk * yi - yj * xk * zi - zj * yk * xi
          inverse(i, j, k) = 1 / (determinant + tiny)
        end do
      end do
    end do
  end subroutine

end module
