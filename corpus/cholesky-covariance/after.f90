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
    integer, parameter :: nb = 48, mb = 256
    integer :: i, j, k, kb, ke, i0, i1, jb
    info = 0
    do kb = 1, n, nb
      ke = min(kb + nb - 1, n)
      ! factor the panel of columns kb..ke
      do k = kb, ke
        if (a(k, k) <= 0.0_dp) then
          info = k
          return
        end if
        a(k, k) = sqrt(a(k, k))
        do i = k + 1, n
          a(i, k) = a(i, k) / a(k, k)
        end do
        do j = k + 1, ke
          do i = j, n
            a(i, j) = a(i, j) - a(i, k) * a(j, k)
          end do
        end do
      end do
      ! rank-nb update of the rest of the matrix, by tiles of rows
      do i0 = ke + 1, n, mb
        i1 = min(i0 + mb - 1, n)
        do jb = ke + 1, i1 - 1, 2
          call update(n, a, max(i0, jb), i1, jb, kb, ke)
        end do
        if (mod(i1 - ke, 2) == 1) then
          do k = kb, ke
            do i = max(i0, i1), i1
              a(i, i1) = a(i, i1) - a(i, k) * a(i1, k)
            end do
          end do
        end if
      end do
    end do
  end subroutine cholesky

  ! columns j and j+1, rows i0..i1 (the one entry above the diagonal is never used)
  subroutine update(n, a, i0, i1, j, kb, ke)
    integer, intent(in) :: n, i0, i1, j, kb, ke
    real(dp), intent(inout) :: a(n, n)
    integer :: i, k
    real(dp) :: p0, p1, p2, p3, q0, q1, q2, q3
    do k = kb, ke - 3, 4
      p0 = a(j, k); p1 = a(j, k + 1); p2 = a(j, k + 2); p3 = a(j, k + 3)
      q0 = a(j + 1, k); q1 = a(j + 1, k + 1); q2 = a(j + 1, k + 2); q3 = a(j + 1, k + 3)
      do i = i0, i1
        a(i, j) = a(i, j) - a(i, k) * p0 - a(i, k + 1) * p1 - a(i, k + 2) * p2 - a(i, k + 3) * p3
        a(i, j + 1) = a(i, j + 1) - a(i, k) * q0 - a(i, k + 1) * q1 - a(i, k + 2) * q2 - a(i, k + 3) * q3
      end do
    end do
    do k = ke - mod(ke - kb + 1, 4) + 1, ke
      p0 = a(j, k)
      q0 = a(j + 1, k)
      do i = i0, i1
        a(i, j) = a(i, j) - a(i, k) * p0
        a(i, j + 1) = a(i, j + 1) - a(i, k) * q0
      end do
    end do
  end subroutine update

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
