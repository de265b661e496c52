! Transport of a dissolved contaminant in a shallow bay: advection, diffusion
! and first-order decay on a rectangular grid, explicit in time.
module transport
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine advance(n, m, c, cnew, u, v, dx, dy, dt, kappa, halflife)
    integer, intent(in) :: n, m
    real(dp), intent(in) :: c(n, m), u(n, m), v(n, m), dx, dy, dt, kappa, halflife
    real(dp), intent(inout) :: cnew(n, m)
    integer :: i, j
    real(dp) :: dcdx, dcdy, d2x, d2y
    do j = 2, m - 1
      do i = 2, n - 1
        dcdx = (c(i + 1, j) - c(i - 1, j)) / (2.0_dp * dx)
        dcdy = (c(i, j + 1) - c(i, j - 1)) / (2.0_dp * dy)
        d2x = (c(i + 1, j) - 2.0_dp * c(i, j) + c(i - 1, j)) / dx**2
        d2y = (c(i, j + 1) - 2.0_dp * c(i, j) + c(i, j - 1)) / dy**2
        cnew(i, j) = c(i, j) + dt * (kappa * (d2x + d2y) - u(i, j) * dcdx - v(i, j) * dcdy &
                                     - 0.693147_dp * c(i, j) / halflife)
      end do
    end do
  end subroutine advance
end module transport

program bay
  use transport
  implicit none
  integer, parameter :: n = 260, m = 220, nstep = 3200
  real(dp) :: c(n, m), cnew(n, m), u(n, m), v(n, m)
  real(dp) :: dx, dy, dt, kappa, halflife
  integer :: i, j, step
  dx = 52.0_dp
  dy = 47.0_dp
  dt = 9.0_dp
  kappa = 21.0_dp
  halflife = 4.0e5_dp
  do j = 1, m
    do i = 1, n
      u(i, j) = 0.4_dp * sin(3.14159_dp * j / m)
      v(i, j) = 0.3_dp * cos(3.14159_dp * i / n)
      c(i, j) = exp(-((i - 80)**2 + (j - 60)**2) / 300.0_dp)
    end do
  end do
  cnew = c
  do step = 1, nstep, 2
    call advance(n, m, c, cnew, u, v, dx, dy, dt, kappa, halflife)
    call advance(n, m, cnew, c, u, v, dx, dy, dt, kappa, halflife)
    if (mod(step, 800) == 1) then
      print '(a,i6,a,es18.10,a,es18.10)', 'step', step, ' mass', sum(c) * dx * dy, ' peak', maxval(c)
    end if
  end do
  print '(4es18.10)', c(100, 60), c(130, 80), c(90, 120), c(200, 110)
end program bay
