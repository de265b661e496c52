! Transport of a pollutant by wind and turbulent diffusion on a rectangular grid.
program pollutant
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nx = 160, ny = 120, nsteps = 7500
  real(dp) :: c(nx, ny), cn(nx, ny), u(nx, ny), v(nx, ny), src(nx, ny)
  real(dp) :: dx, dy, dt, kx, ky, life
  integer :: i, j, n

  call read_setup(dx, dy, dt, kx, ky, life)
  do j = 1, ny
    do i = 1, nx
      c(i, j) = 0.0_dp
      u(i, j) = 2.0_dp + 0.5_dp * sin(0.05_dp * j)
      v(i, j) = 0.7_dp * cos(0.04_dp * i)
      src(i, j) = 0.0_dp
    end do
  end do
  src(20, 30) = 5.0_dp
  src(45, 80) = 3.0_dp
  src(90, 60) = 8.0_dp
  cn = c

  do n = 1, nsteps
    call step(c, cn)
    call step(cn, c)
  end do

  print '(a,es18.10)', 'total mass ', sum(c) * dx * dy
  print '(a,es18.10)', 'maximum    ', maxval(c)
  do i = 20, nx - 20, 30
    print '(i5,2es18.10)', i, c(i, 60), c(i, 80)
  end do

contains

  subroutine read_setup(dx, dy, dt, kx, ky, life)
    real(dp), intent(out) :: dx, dy, dt, kx, ky, life
    character(len=60) :: line
    line = '25.0 30.0 2.0 12.0 9.0 5400.0'
    read (line, *) dx, dy, dt, kx, ky, life
  end subroutine

  subroutine step(a, b)
    real(dp), intent(in) :: a(nx, ny)
    real(dp), intent(inout) :: b(nx, ny)
    real(dp) :: adv, dif, rx, ry, kxx, kyy, rlife, rarea
    integer :: i, j
    rx = 1.0_dp / (2.0_dp * dx)
    ry = 1.0_dp / (2.0_dp * dy)
    kxx = kx / (dx * dx)
    kyy = ky / (dy * dy)
    rlife = 1.0_dp / life
    rarea = 1.0_dp / (dx * dy)
    do j = 2, ny - 1
      do i = 2, nx - 1
        adv = u(i, j) * (a(i+1, j) - a(i-1, j)) * rx &
            + v(i, j) * (a(i, j+1) - a(i, j-1)) * ry
        dif = kxx * (a(i+1, j) - 2.0_dp * a(i, j) + a(i-1, j)) &
            + kyy * (a(i, j+1) - 2.0_dp * a(i, j) + a(i, j-1))
        b(i, j) = a(i, j) + dt * (dif - adv - a(i, j) * rlife + src(i, j) * rarea)
      end do
    end do
  end subroutine
end program
