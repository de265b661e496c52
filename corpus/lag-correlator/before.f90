! Searches a seismic record for repeats of known waveforms: normalised
! cross-correlation of each template with the record at every lag.
module matching
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine correlate(record, nrec, wave, nw, cc)
    integer, intent(in) :: nrec, nw
    real(dp), intent(in) :: record(nrec), wave(nw)
    real(dp), intent(out) :: cc(nrec - nw + 1)
    integer :: lag, i
    real(dp) :: cross, power, wnorm
    wnorm = sqrt(sum(wave**2))
    do lag = 1, nrec - nw + 1
      cross = 0.0_dp
      power = 0.0_dp
      do i = 1, nw
        cross = cross + wave(i) * record(lag + i - 1)
        power = power + record(lag + i - 1)**2
      end do
      cc(lag) = cross / (wnorm * sqrt(power))
    end do
  end subroutine correlate

  subroutine fill_noise(x, n, seed)
    integer, intent(in) :: n
    integer, intent(inout) :: seed
    real(dp), intent(out) :: x(n)
    integer :: i
    do i = 1, n
      seed = mod(seed * 7141 + 54773, 259200)
      x(i) = real(seed, dp) / 259200.0_dp - 0.5_dp
    end do
  end subroutine fill_noise
end module matching

program template_search
  use matching
  implicit none
  integer, parameter :: nrec = 90000, nw = 1500, ntemplate = 10
  real(dp), allocatable :: record(:), cc(:)
  real(dp) :: wave(nw)
  integer :: t, i, seed, best, first
  allocate (record(nrec), cc(nrec - nw + 1))
  seed = 4711
  call fill_noise(record, nrec, seed)
  do t = 1, ntemplate
    do i = 1, nw
      wave(i) = sin(0.01_dp * t * i) * exp(-0.002_dp * i)
    end do
    first = 5000 * t
    record(first:first + nw - 1) = record(first:first + nw - 1) + 0.4_dp * wave
  end do
  do t = 1, ntemplate
    do i = 1, nw
      wave(i) = sin(0.01_dp * t * i) * exp(-0.002_dp * i)
    end do
    call correlate(record, nrec, wave, nw, cc)
    best = maxloc(cc, dim=1)
    print '(a,i3,a,i7,a,f14.9,a,f14.9)', 'template', t, ' lag', best, ' cc', cc(best), ' mean square', &
      sum(cc**2) / size(cc) * 1000.0_dp
  end do
end program template_search
