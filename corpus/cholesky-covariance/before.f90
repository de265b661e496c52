! Gaussian process regression: Cholesky factor of a covariance matrix,
! log likelihood and posterior weights.
module chol
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine cholesky(n, a, info)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n, n)
    integer, intent(out) :: info
    integer :: i, j, k
    info = 0
    do k = 1, n
      if (a(k, k) <= 0.0_dp) then
        info = k
        return
      end if
      a(k, k) = sqrt(a(k, k))
      do i = k + 1, n
        a(i, k) = a(i, k) / a(k, k)
      end do
      do j = k + 1, n
        do i = j, n
          a(i, j) = a(i, j) - a(i, k) * a(j, k)
        end do
      end do
    end do
  end subroutine cholesky

  subroutine solve(n, a, b)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n, n)
    real(dp), intent(inout) :: b(n)
    integer :: i, j
    do j = 1, n
      b(j) = b(j) / a(j, j)
      do i = j + 1, n
        b(i) = b(i) - a(i, j) * b(j)
      end do
    end do
    do j = n, 1, -1
      do i = j + 1, n
        b(j) = b(j) - a(i, j) * b(i)
      end do
      b(j) = b(j) / a(j, j)
    end do
  end subroutine solve
end module chol

program gp
  use chol
  implicit none
  integer :: n, i, j, info
  real(dp), allocatable :: a(:, :), x(:), y(:), w(:)
  real(dp) :: logdet, fit, d
  character(len=16) :: arg
  n = 2400
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) n
  end if
  allocate (a(n, n), x(n), y(n), w(n))
  do i = 1, n
    x(i) = 0.05_dp * i + 0.02_dp * sin(37.0_dp * i)
    y(i) = sin(0.3_dp * x(i)) + 0.1_dp * cos(11.0_dp * i)
  end do
  do j = 1, n
    do i = 1, n
      d = abs(x(i) - x(j))
      a(i, j) = exp(-0.5_dp * d)
    end do
    a(j, j) = a(j, j) + 0.1_dp
  end do
  call cholesky(n, a, info)
  if (info /= 0) stop 'matrix is not positive definite'
  w = y
  call solve(n, a, w)
  logdet = 0.0_dp
  do i = 1, n
    logdet = logdet + 2.0_dp * log(a(i, i))
  end do
  fit = dot_product(y, w)
  print '(a,i0)', 'points ', n
  print '(a,es18.10)', 'log determinant ', logdet
  print '(a,es18.10)', 'data fit        ', fit
  print '(a,es18.10)', 'log likelihood  ', -0.5_dp * (fit + logdet + n * log(8.0_dp * atan(1.0_dp)))
  print '(a,3es18.10)', 'weights ', w(1), w(n / 2), w(n)
end program gp
