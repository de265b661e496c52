! Linearised rotating shallow-water waves on a doubly periodic grid.
program shallow
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: n = 224
  real(dp), parameter :: g = 9.81_dp, depth = 100.0_dp, f = 1.0e-4_dp, dx = 1000.0_dp, dt = 8.0_dp
  real(dp), allocatable :: h(:, :), u(:, :), v(:, :), un(:, :)
  integer :: i, j, t, steps
  real(dp) :: r2, energy
  character(len=16) :: arg

  steps = 1500
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) steps
  end if
  allocate (h(n, n), u(n, n), v(n, n), un(n, n))
  u = 0.0_dp
  v = 0.0_dp
  do j = 1, n
    do i = 1, n
      r2 = real((i - 120)**2 + (j - 100)**2, dp)
      h(i, j) = exp(-r2 / 300.0_dp) + 0.01_dp * sin(0.3_dp * i) * cos(0.2_dp * j)
    end do
  end do

  do t = 1, steps
    call advance()
  end do

  energy = 0.5_dp * (g * sum(h * h) + depth * sum(u * u + v * v))
  print '(a,i0)', 'steps ', steps
  print '(a,es20.12)', 'energy ', energy
  print '(a,es20.12)', 'mean square height ', sum(h * h) / (n * n)
  print '(a,3es20.12)', 'probe ', h(120, 100), u(10, 150), v(n, 1)
contains
  subroutine advance()
    real(dp) :: ch, cu
    ch = dt * depth / dx
    cu = dt * g / dx
    un = u + dt * f * 0.25_dp * (v + cshift(v, 1, 2) + cshift(v, -1, 1) + cshift(cshift(v, -1, 1), 1, 2)) &
         - cu * (h - cshift(h, -1, 1))
    v = v - dt * f * 0.25_dp * (u + cshift(u, 1, 1) + cshift(u, -1, 2) + cshift(cshift(u, 1, 1), -1, 2)) &
        - cu * (h - cshift(h, -1, 2))
    u = un
    h = h - ch * (cshift(u, 1, 1) - u + cshift(v, 1, 2) - v)
  end subroutine advance
end program shallow
