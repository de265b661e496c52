! Two-dimensional electrostatic particle-in-cell: particles move in a given
! field on a periodic grid and deposit their charge with bilinear weights.
module pic
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: ng = 1024
contains
  subroutine push(np, x, y, vx, vy, ex, ey, rho, dt)
    integer, intent(in) :: np
    real(dp), intent(inout) :: x(np), y(np), vx(np), vy(np), rho(ng, ng)
    real(dp), intent(in) :: ex(ng, ng), ey(ng, ng), dt
    integer :: p, i, j, i1, j1
    real(dp) :: fx, fy, w00, w10, w01, w11
    do p = 1, np
      i = int(x(p)) + 1
      j = int(y(p)) + 1
      i1 = merge(1, i + 1, i == ng)
      j1 = merge(1, j + 1, j == ng)
      fx = x(p) - (i - 1)
      fy = y(p) - (j - 1)
      w11 = fx * fy
      w10 = fx - w11
      w01 = fy - w11
      w00 = 1.0_dp - fx - w01
      vx(p) = vx(p) + dt * (w00 * ex(i, j) + w10 * ex(i1, j) + w01 * ex(i, j1) + w11 * ex(i1, j1))
      vy(p) = vy(p) + dt * (w00 * ey(i, j) + w10 * ey(i1, j) + w01 * ey(i, j1) + w11 * ey(i1, j1))
      rho(i, j) = rho(i, j) + w00
      rho(i1, j) = rho(i1, j) + w10
      rho(i, j1) = rho(i, j1) + w01
      rho(i1, j1) = rho(i1, j1) + w11
      x(p) = x(p) + dt * vx(p)
      y(p) = y(p) + dt * vy(p)
      if (x(p) < 0.0_dp) x(p) = x(p) + ng
      if (x(p) >= ng) x(p) = x(p) - ng
      if (y(p) < 0.0_dp) y(p) = y(p) + ng
      if (y(p) >= ng) y(p) = y(p) - ng
    end do
  end subroutine push

  ! Reorders the particles by the tile of cells that they are in (counting sort).
  subroutine sort_by_tile(np, x, y, vx, vy)
    integer, intent(in) :: np
    real(dp), intent(inout) :: x(np), y(np), vx(np), vy(np)
    integer, parameter :: tile = 16, nt = ng / tile
    integer :: first(0:nt * nt), key, p, total, n
    integer, allocatable :: place(:)
    real(dp), allocatable :: tmp(:)
    allocate (place(np), tmp(np))
    first = 0
    do p = 1, np
      key = int(x(p)) / tile + nt * (int(y(p)) / tile)
      place(p) = key
      first(key) = first(key) + 1
    end do
    total = 1
    do key = 0, nt * nt - 1
      n = first(key)
      first(key) = total
      total = total + n
    end do
    do p = 1, np
      key = place(p)
      place(p) = first(key)
      first(key) = first(key) + 1
    end do
    call permute(x)
    call permute(y)
    call permute(vx)
    call permute(vy)
  contains
    subroutine permute(a)
      real(dp), intent(inout) :: a(np)
      integer :: q
      do q = 1, np
        tmp(place(q)) = a(q)
      end do
      a = tmp
    end subroutine permute
  end subroutine sort_by_tile
end module pic

program plasma
  use pic
  implicit none
  integer, parameter :: np = 1200000, nstep = 20
  real(dp), allocatable :: x(:), y(:), vx(:), vy(:), ex(:, :), ey(:, :), rho(:, :)
  real(dp) :: energy
  integer :: i, j, p, step
  integer(8) :: seed
  allocate (x(np), y(np), vx(np), vy(np), ex(ng, ng), ey(ng, ng), rho(ng, ng))
  do j = 1, ng
    do i = 1, ng
      ex(i, j) = 0.02_dp * sin(6.283185_dp * i / ng) * cos(12.56637_dp * j / ng)
      ey(i, j) = 0.02_dp * cos(6.283185_dp * i / ng) * sin(12.56637_dp * j / ng)
    end do
  end do
  seed = 20240607_8
  do p = 1, np
    x(p) = draw() * ng
    y(p) = draw() * ng
    vx(p) = draw() - 0.5_dp
    vy(p) = draw() - 0.5_dp
  end do
  do step = 1, nstep
    if (mod(step, 10) == 1) call sort_by_tile(np, x, y, vx, vy)
    rho = 0.0_dp
    call push(np, x, y, vx, vy, ex, ey, rho, 0.5_dp)
    if (mod(step, 5) == 0) then
      energy = 0.5_dp * (sum(vx**2) + sum(vy**2))
      print '(a,i4,a,es17.9,a,es17.9,a,f14.8)', 'step', step, ' energy', energy, ' rho2', sum(rho**2), &
        ' probe', rho(512, 300)
    end if
  end do
contains
  real(dp) function draw()
    seed = mod(seed * 48271_8, 2147483647_8)
    draw = real(seed, dp) / 2147483647.0_dp
  end function draw
end program plasma
