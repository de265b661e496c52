! Autocorrelation of a long record up to a large lag, integral time scale and dominant period.
module correlate
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine autocorrelation(n, x, maxlag, r)
    integer, intent(in) :: n, maxlag
    real(dp), intent(in) :: x(n)
    real(dp), intent(out) :: r(0:maxlag)
    real(dp) :: s
    integer :: i, lag
    do lag = 0, maxlag
      s = 0.0_dp
      do i = 1, n - lag
        s = s + x(i) * x(i + lag)
      end do
      r(lag) = s / (n - lag)
    end do
  end subroutine autocorrelation
end module correlate

program timescale
  use correlate
  implicit none
  integer, parameter :: n = 300000
  integer :: maxlag, i, lag, zero, best
  integer(8) :: seed
  real(dp), allocatable :: x(:), r(:)
  real(dp) :: e, slow, mean, scale
  character(len=16) :: arg

  maxlag = 3200
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) maxlag
  end if
  allocate (x(n), r(0:maxlag))
  seed = 4711_8
  slow = 0.0_dp
  do i = 1, n
    seed = mod(seed * 1103515245_8 + 12345_8, 2147483648_8)
    e = real(seed, dp) / 2147483648.0_dp - 0.5_dp
    slow = 0.995_dp * slow + 0.1_dp * e
    x(i) = slow + 0.4_dp * sin(6.283185307179586_dp * i / 733.0_dp) + 0.2_dp * e
  end do
  mean = sum(x) / n
  x = x - mean

  call autocorrelation(n, x, maxlag, r)

  zero = maxlag
  do lag = 0, maxlag
    if (r(lag) <= 0.0_dp) then
      zero = lag
      exit
    end if
  end do
  scale = (0.5_dp * r(0) + sum(r(1:zero - 1))) / r(0)
  best = zero
  do lag = zero, maxlag
    if (r(lag) > r(best)) best = lag
  end do
  print '(a,es20.12)', 'variance ', r(0)
  print '(a,i0,a,es20.12)', 'first zero ', zero, ' integral scale ', scale
  print '(a,i0,a,es20.12)', 'period ', best, ' correlation ', r(best) / r(0)
  print '(a,3es20.12)', 'samples ', r(1), r(maxlag / 2), r(maxlag)
end program timescale
