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
    real(dp) :: ch, cu, cf
    real(dp), allocatable :: tmp(:, :)
    integer :: jp, jm
    ch = dt * depth / dx
    cu = dt * g / dx
    cf = dt * f * 0.25_dp
    do j = 1, n
      jp = merge(1, j + 1, j == n)
      un(1, j) = u(1, j) + cf * (v(1, j) + v(1, jp) + v(n, j) + v(n, jp)) - cu * (h(1, j) - h(n, j))
      do i = 2, n
        un(i, j) = u(i, j) + cf * (v(i, j) + v(i, jp) + v(i - 1, j) + v(i - 1, jp)) - cu * (h(i, j) - h(i - 1, j))
      end do
    end do
    do j = 1, n
      jm = merge(n, j - 1, j == 1)
      do i = 1, n - 1
        v(i, j) = v(i, j) - cf * (u(i, j) + u(i + 1, j) + u(i, jm) + u(i + 1, jm)) - cu * (h(i, j) - h(i, jm))
      end do
      v(n, j) = v(n, j) - cf * (u(n, j) + u(1, j) + u(n, jm) + u(1, jm)) - cu * (h(n, j) - h(n, jm))
    end do
    call move_alloc(u, tmp)
    call move_alloc(un, u)
    call move_alloc(tmp, un)
    do j = 1, n
      jp = merge(1, j + 1, j == n)
      do i = 1, n - 1
        h(i, j) = h(i, j) - ch * (u(i + 1, j) - u(i, j) + v(i, jp) - v(i, j))
      end do
      h(n, j) = h(n, j) - ch * (u(1, j) - u(n, j) + v(n, jp) - v(n, j))
    end do
  end subroutine advance
end program shallow
