! Orthonormalises a block of snapshot vectors by the modified Gram-Schmidt method.
module orth
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  real(dp) function inner(x, y, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n), y(n)
    real(dp) :: s
    integer :: i
    s = 0.0_dp
    do i = 1, n
      s = s + x(i) * y(i)
    end do
    inner = s
  end function

  subroutine subtract(x, y, f, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: y(n), f
    real(dp), intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = x(i) - f * y(i)
    end do
  end subroutine

  subroutine gram_schmidt(q, r, n, m)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: q(n, m)
    real(dp), intent(out) :: r(m, m)
    integer :: j, k
    r = 0.0_dp
    do j = 1, m
      r(j, j) = sqrt(inner(q(:, j), q(:, j), n))
      q(:, j) = q(:, j) / r(j, j)
      do k = j + 1, m
        r(j, k) = inner(q(:, j), q(:, k), n)
        call subtract(q(:, k), q(:, j), r(j, k), n)
      end do
    end do
  end subroutine
end module

program snapshots
  use orth
  implicit none
  integer, parameter :: n = 3000, m = 900
  real(dp), allocatable :: q(:,:), r(:,:)
  real(dp) :: err
  integer(8) :: seed
  integer :: i, j

  allocate (q(n, m), r(m, m))
  seed = 4711
  do j = 1, m
    do i = 1, n
      seed = mod(seed * 16807_8, 2147483647_8)
      q(i, j) = cos(0.001_dp * i * j) + real(seed, dp) / 2147483647.0_dp
    end do
  end do
  call gram_schmidt(q, r, n, m)

  err = 0.0_dp
  do j = 2, m, 37
    err = max(err, abs(inner(q(:, 1), q(:, j), n)))
  end do
  print '(a,l2)', 'orthogonal: ', err < 1.0e-8_dp
  do j = 1, m, 140
    print '(i5,3es18.9)', j, r(j, j), r(1, j), r(j, m)
  end do
  print '(a,es18.9)', 'sum of diagonal ', sum([(r(j, j), j = 1, m)])
end program
