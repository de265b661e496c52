! Computes the grid's Jacobian repeatedly, and prints the results.
program driver
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use case_support
  use jacobian_of_grid, only: grid, jacobian
  implicit none
  real(real64), allocatable :: x(:,:,:), y(:,:,:), z(:,:,:), inverse(:,:,:)
  real(real64) :: start, seconds, u, v, w, points, weighted
  type(grid) :: g
  integer :: columns, n, passes, pass, i, j, k, p

  columns = case_option('--columns', 64)
  n = case_option('--n', 16)   ! rows and layers
  passes = case_option('--passes', 1)
  if (n < 3 .or. columns < 3) then
    write (error_unit, '(a)') 'a grid needs three points in each direction'
    stop 2
  end if
  allocate (x(columns, n, n), y(columns, n, n), z(columns, n, n), inverse(columns, n, n))
  do k = 1, n
    do j = 1, n
      do i = 1, columns
        ! A box, bent a little: the determinant stays near 1.
        u = real(i - 1, real64) / columns
        v = real(j - 1, real64) / n
        w = real(k - 1, real64) / n
        x(i, j, k) = i - 1 + 0.5_real64 * sin(v + w)
        y(i, j, k) = j - 1 + 0.5_real64 * sin(u + w)
        z(i, j, k) = k - 1 + 0.5_real64 * sin(u + v)
      end do
    end do
  end do
  inverse = 0

  g = grid(0.5_real64, 0.5_real64, 0.5_real64)
  start = case_seconds()
  do pass = 0, passes - 1
    i = 1 + mod(pass, columns)
    x(i, 1, 1) = x(i, 1, 1) + 2.0_real64**(-20)   ! so that every pass differs from the one before
    call jacobian(g, x, y, z, inverse)
  end do
  seconds = case_seconds() - start

  weighted = 0
  p = 0
  do k = 1, n
    do j = 1, n
      do i = 1, columns
        weighted = weighted + inverse(i, j, k) * mod(p, 101)
        p = p + 1
      end do
    end do
  end do
  points = real(size(inverse), real64)
  call case_print('seconds', seconds)
  call case_print('flop', 37 * points * passes)   ! an inner point's
  call case_print('bytes', 4 * 8 * points * passes)
  call case_print('working_set', 4 * 8 * points)
  call case_print('sum', sum(inverse))
  call case_print('weighted', weighted)
end program
