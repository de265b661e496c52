! Alternating-direction implicit diffusion with a variable coefficient.
module adi
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine thomas(n, a, b, c, d, x)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n), b(n), c(n), d(n)
    real(dp), intent(out) :: x(n)
    real(dp) :: cp(n), m
    integer :: i
    cp(1) = c(1) / b(1)
    x(1) = d(1) / b(1)
    do i = 2, n
      m = b(i) - a(i) * cp(i - 1)
      cp(i) = c(i) / m
      x(i) = (d(i) - a(i) * x(i - 1)) / m
    end do
    do i = n - 1, 1, -1
      x(i) = x(i) - cp(i) * x(i + 1)
    end do
  end subroutine thomas

  ! implicit half step along the first index
  subroutine sweep_x(n, u, k, r)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(n, n)
    real(dp), intent(in) :: k(0:n + 1, 0:n + 1), r
    real(dp) :: a(n), b(n), c(n), x(n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        a(i) = -r * 0.5_dp * (k(i - 1, j) + k(i, j))
        c(i) = -r * 0.5_dp * (k(i + 1, j) + k(i, j))
        b(i) = 1.0_dp - a(i) - c(i)
      end do
      call thomas(n, a, b, c, u(:, j), x)
      u(:, j) = x
    end do
  end subroutine sweep_x

  ! implicit half step along the second index
  subroutine sweep_y(n, u, k, r)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(n, n)
    real(dp), intent(in) :: k(0:n + 1, 0:n + 1), r
    real(dp) :: a(n), b(n), c(n), d(n), x(n)
    integer :: i, j
    do i = 1, n
      do j = 1, n
        a(j) = -r * 0.5_dp * (k(i, j - 1) + k(i, j))
        c(j) = -r * 0.5_dp * (k(i, j + 1) + k(i, j))
        b(j) = 1.0_dp - a(j) - c(j)
        d(j) = u(i, j)
      end do
      call thomas(n, a, b, c, d, x)
      do j = 1, n
        u(i, j) = x(j)
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
