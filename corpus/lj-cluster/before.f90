! Molecular dynamics of a small cluster with a Lennard-Jones potential (velocity Verlet).
module lj
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: eps = 1.0_dp, sigma = 1.0_dp
contains
  subroutine forces(n, x, f, epot)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(3, n)
    real(dp), intent(out) :: f(3, n), epot
    real(dp) :: d(3), r, g
    integer :: i, j
    f = 0.0_dp
    epot = 0.0_dp
    do i = 1, n - 1
      do j = i + 1, n
        d = x(:, i) - x(:, j)
        r = sqrt(d(1)**2 + d(2)**2 + d(3)**2)
        epot = epot + 4.0_dp * eps * ((sigma / r)**12.0_dp - (sigma / r)**6.0_dp)
        g = 24.0_dp * eps / r * (2.0_dp * (sigma / r)**12.0_dp - (sigma / r)**6.0_dp)
        f(:, i) = f(:, i) + g * d / r
        f(:, j) = f(:, j) - g * d / r
      end do
    end do
  end subroutine forces
end module lj

program cluster
  use lj
  implicit none
  integer, parameter :: side = 9, n = side**3
  real(dp), parameter :: dt = 0.002_dp
  real(dp) :: x(3, n), v(3, n), f(3, n), epot, ekin
  integer :: i, j, k, m, t, steps
  character(len=16) :: arg

  steps = 100
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) steps
  end if
  m = 0
  do k = 1, side
    do j = 1, side
      do i = 1, side
        m = m + 1
        x(:, m) = 1.1_dp * [i, j, k]
        v(:, m) = 0.3_dp * [sin(3.0_dp * m), sin(5.0_dp * m), cos(7.0_dp * m)]
      end do
    end do
  end do
  do i = 1, 3
    v(i, :) = v(i, :) - sum(v(i, :)) / n
  end do

  call forces(n, x, f, epot)
  print '(a,f18.9)', 'potential energy at start ', epot
  do t = 1, steps
    v = v + 0.5_dp * dt * f
    x = x + dt * v
    call forces(n, x, f, epot)
    v = v + 0.5_dp * dt * f
  end do
  ekin = 0.5_dp * sum(v * v)
  print '(a,i0,a,i0)', 'atoms ', n, ' steps ', steps
  print '(a,f18.9)', 'potential energy ', epot
  print '(a,f18.9)', 'kinetic energy   ', ekin
  print '(a,f18.9)', 'total energy     ', epot + ekin
  print '(a,3f18.9)', 'atom 100 at ', x(:, 100)
end program cluster
