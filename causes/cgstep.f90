! Pressure solver of a flow code: the update of the solution and of the
! residual by conjugate gradients, for a mesh of moderate size.
program cgstep
  implicit none
  integer, parameter :: dp = kind(1d0), n = 327680, steps = 13000
  real(dp), allocatable :: x(:), r(:), p(:), q(:)
  real(dp) :: alpha, check
  integer :: i, s
  allocate (x(n), r(n), p(n), q(n))
  do i = 1, n
     x(i) = 0.001_dp * modulo(i, 97)
     r(i) = 0.002_dp * modulo(i, 89)
     p(i) = 0.5_dp - 0.01_dp * modulo(i, 83)
     q(i) = 0.25_dp - 0.01_dp * modulo(i, 41)
  end do
  check = 0
  do s = 1, steps
     alpha = 0.01_dp * modulo(s / 2, 5)
     if (modulo(s, 2) == 1) alpha = -alpha
     call update(n, alpha, x, r, p, q)
     check = check + x(modulo(s * 31, n) + 1) - r(modulo(s * 17, n) + 1)
  end do
  print '(a,f20.10)', 'solution check ', check
contains
  subroutine update(m, a, xs, rs, ps, qs)
    integer, intent(in) :: m
    real(dp), intent(in) :: a, ps(m), qs(m)
    real(dp), intent(inout) :: xs(m), rs(m)
    integer :: k
    do k = 1, m
       xs(k) = xs(k) + a * ps(k)
       rs(k) = rs(k) - a * qs(k)
    end do
  end subroutine update
end program cgstep
