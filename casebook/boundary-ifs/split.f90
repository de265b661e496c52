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

  subroutine jacobian(g, x, y, z, inverse)
    type(grid), intent(in) :: g
    real(real64), intent(in), contiguous :: x(:,:,:), y(:,:,:), z(:,:,:)
    real(real64), intent(inout), contiguous :: inverse(:,:,:)
    ! Nine rows of differences, of each coordinate in each direction.
    real(real64), dimension(size(x, 1)) :: xi, yi, zi, xj, yj, zj, xk, yk, zk
    integer :: i, j, k
    do j = 1, size(x, 2)
      do k = 1, size(x, 3)
        call along(x(:, j, k), g%per_column, xi)
        call along(y(:, j, k), g%per_column, yi)
        call along(z(:, j, k), g%per_column, zi)
        call across(x(:, :, k), j, g%per_row, xj)
        call across(y(:, :, k), j, g%per_row, yj)
        call across(z(:, :, k), j, g%per_row, zj)
        call across(x(:, j, :), k, g%per_layer, xk)
        call across(y(:, j, :), k, g%per_layer, yk)
        call across(z(:, j, :), k, g%per_layer, zk)
        do i = 1, size(x, 1)
          inverse(i, j, k) = 1 / (xj(i) * yk(i) * zi(i) + yj(i) * zk(i) * xi(i) + zj(i) * xk(i) * yi(i) &
                                - xj(i) * zk(i) * yi(i) - yj(i) * xk(i) * zi(i) - zj(i) * yk(i) * xi(i) + tiny)
        end do
      end do
    end do
  end subroutine

  ! Across the rows: one test for all points of row `j`. At a border the difference is one-sided, of second order.
  pure subroutine across(a, j, factor, to)
    real(real64), intent(in) :: a(:,:), factor
    integer, intent(in) :: j
    real(real64), intent(out), contiguous :: to(:)
    integer :: i
    if (j == 1) then
      do i = 1, size(to)
        to(i) = (-3 * a(i, 1) + 4 * a(i, 2) - a(i, 3)) * factor
      end do
    else if (j == size(a, 2)) then
      do i = 1, size(to)
        to(i) = (3 * a(i, j) - 4 * a(i, j - 1) + a(i, j - 2)) * factor
      end do
    else
      do i = 1, size(to)
        to(i) = (a(i, j + 1) - a(i, j - 1)) * factor
      end do
    end if
  end subroutine

  ! Along the row: its two end points are computed outside the loop.
  pure subroutine along(a, factor, to)
    real(real64), intent(in), contiguous :: a(:)
    real(real64), intent(in) :: factor
    real(real64), intent(out), contiguous :: to(:)
    integer :: i, n
    n = size(to)
    to(1) = (-3 * a(1) + 4 * a(2) - a(3)) * factor
    do i = 2, n - 1
      to(i) = (a(i + 1) - a(i - 1)) * factor
    end do
    to(n) = (3 * a(n) - 4 * a(n - 1) + a(n - 2)) * factor
  end subroutine

end module
