! Operator splitting for a spreading flame: conduction everywhere, stiff chemistry
! (implicit step by Newton's method) where it is hot enough.
module flame
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine chemistry(t, y, n, dt)
    integer, intent(in) :: n
    real(dp), intent(inout) :: t(n), y(n)
    real(dp), intent(in) :: dt
    real(dp) :: x, w, f, df, s, g
    integer :: i, it

    do i = 1, n
      if (t(i) > 0.18_dp .and. y(i) > 1.0e-4_dp) then
        x = y(i)
        do it = 1, 6
          s = t(i) + y(i) - x
          g = s * s / (0.3_dp + s)
          w = 40.0_dp * g * x / (1.0_dp + 0.2_dp * x)
          f = x - y(i) + dt * w
          df = 1.0_dp + dt * (40.0_dp * g / (1.0_dp + 0.2_dp * x)**2 &
               - 40.0_dp * x / (1.0_dp + 0.2_dp * x) * s * (0.6_dp + s) / (0.3_dp + s)**2)
          x = x - f / df
        end do
        t(i) = t(i) + y(i) - x
        y(i) = x
      end if
    end do
  end subroutine

  subroutine conduction(t, tn, nx, ny, r)
    integer, intent(in) :: nx, ny
    real(dp), intent(inout) :: t(nx, ny), tn(nx, ny)
    real(dp), intent(in) :: r
    integer :: i, j
    do j = 2, ny - 1
      do i = 2, nx - 1
        tn(i, j) = t(i, j) + r * (t(i-1, j) + t(i+1, j) + t(i, j-1) + t(i, j+1) - 4.0_dp * t(i, j))
      end do
    end do
    t(2:nx-1, 2:ny-1) = tn(2:nx-1, 2:ny-1)
  end subroutine
end module

program burn
  use flame
  implicit none
  integer, parameter :: nx = 300, ny = 240, nsteps = 700
  real(dp) :: t(nx, ny), y(nx, ny), tn(nx, ny)
  integer(8) :: seed
  integer :: i, j, n

  t = 0.0_dp
  tn = 0.0_dp
  seed = 1
  do j = 1, ny
    do i = 1, nx
      seed = mod(seed * 16807_8, 2147483647_8)
      y(i, j) = 0.8_dp + 0.2_dp * real(seed, dp) / 2147483647.0_dp
      if (mod(i, 60) < 8 .and. mod(j, 48) < 8) t(i, j) = 1.0_dp
    end do
  end do

  do n = 1, nsteps
    call conduction(t, tn, nx, ny, 0.08_dp)
    call chemistry(t, y, nx * ny, 0.002_dp)
  end do

  print '(a,f16.10)', 'mean temperature ', sum(t) / size(t)
  print '(a,f16.10)', 'fuel left        ', sum(y) / size(y)
  do i = 10, nx, 58
    print '(i5,2f16.10)', i, t(i, 100), y(i, 100)
  end do
end program
