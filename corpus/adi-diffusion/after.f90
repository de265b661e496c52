! Alternating-direction implicit diffusion with a variable coefficient.
module adi
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  ! m independent tridiagonal systems, the index of the system running fastest; d becomes the solution
  subroutine thomas_batch(m, n, a, b, c, d)
    integer, intent(in) :: m, n
    real(dp), intent(in) :: a(m, n), b(m, n)
    real(dp), intent(inout) :: c(m, n), d(m, n)
    real(dp) :: w
    integer :: i, l
    do l = 1, m
      w = 1.0_dp / b(l, 1)
      c(l, 1) = c(l, 1) * w
      d(l, 1) = d(l, 1) * w
    end do
    do i = 2, n
      do l = 1, m
        w = 1.0_dp / (b(l, i) - a(l, i) * c(l, i - 1))
        c(l, i) = c(l, i) * w
        d(l, i) = (d(l, i) - a(l, i) * d(l, i - 1)) * w
      end do
    end do
    do i = n - 1, 1, -1
      do l = 1, m
        d(l, i) = d(l, i) - c(l, i) * d(l, i + 1)
      end do
    end do
  end subroutine thomas_batch

  ! implicit half step along the first index: tiles of 16 lines, transposed
  subroutine sweep_x(n, u, k, r)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(n, n)
    real(dp), intent(in) :: k(0:n + 1, 0:n + 1), r
    integer, parameter :: w = 16
    real(dp) :: a(w * n), b(w * n), c(w * n), d(w * n)
    integer :: i, l, j0, m, p
    do j0 = 1, n, w
      m = min(w, n - j0 + 1)
      do l = 1, m
        do i = 1, n
          p = (i - 1) * m + l
          a(p) = -r * 0.5_dp * (k(i - 1, j0 + l - 1) + k(i, j0 + l - 1))
          c(p) = -r * 0.5_dp * (k(i + 1, j0 + l - 1) + k(i, j0 + l - 1))
          b(p) = 1.0_dp - a(p) - c(p)
          d(p) = u(i, j0 + l - 1)
        end do
      end do
      call thomas_batch(m, n, a, b, c, d)
      do l = 1, m
        do i = 1, n
          u(i, j0 + l - 1) = d((i - 1) * m + l)
        end do
      end do
    end do
  end subroutine sweep_x

  ! implicit half step along the second index: tiles of 16 neighbouring lines
  subroutine sweep_y(n, u, k, r)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(n, n)
    real(dp), intent(in) :: k(0:n + 1, 0:n + 1), r
    integer, parameter :: w = 16
    real(dp) :: a(w * n), b(w * n), c(w * n), d(w * n)
    integer :: i0, j, l, m, p
    do i0 = 1, n, w
      m = min(w, n - i0 + 1)
      do j = 1, n
        do l = 1, m
          p = (j - 1) * m + l
          a(p) = -r * 0.5_dp * (k(i0 + l - 1, j - 1) + k(i0 + l - 1, j))
          c(p) = -r * 0.5_dp * (k(i0 + l - 1, j + 1) + k(i0 + l - 1, j))
          b(p) = 1.0_dp - a(p) - c(p)
          d(p) = u(i0 + l - 1, j)
        end do
      end do
      call thomas_batch(m, n, a, b, c, d)
      do j = 1, n
        do l = 1, m
          u(i0 + l - 1, j) = d((j - 1) * m + l)
        end do
      end do
    end do
  end subroutine sweep_y
end module adi

program diffuse
  use adi
  implicit none
  integer :: n, i, j, t, steps
  real(dp), allocatable :: u(:, :), k(:, :)
  character(len=16) :: arg
  n = 500
  steps = 220
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) steps
  end if
  allocate (u(n, n), k(0:n + 1, 0:n + 1))
  do j = 0, n + 1
    do i = 0, n + 1
      k(i, j) = 1.0_dp + 0.8_dp * sin(0.11_dp * i) * cos(0.07_dp * j)
    end do
  end do
  do j = 1, n
    do i = 1, n
      u(i, j) = merge(1.0_dp, 0.1_dp, mod(i / 50 + j / 60, 2) == 0) + 0.001_dp * mod(i * 31 + j * 17, 101)
    end do
  end do
  do t = 1, steps
    call sweep_x(n, u, k, 2.0_dp)
    call sweep_y(n, u, k, 2.0_dp)
  end do
  print '(a,i0,a,i0)', 'n ', n, ' steps ', steps
  print '(a,es20.12)', 'sum ', sum(u)
  print '(a,es20.12)', 'sum of squares ', sum(u * u)
  print '(a,3es20.12)', 'probe ', u(1, 1), u(n / 2, n / 3), u(n, n)
end program diffuse
