! Moist convective adjustment of a global set of columns: unstable pairs of
! layers are mixed until the column is stable.  Columns are numbered from the
! south pole to the north pole, the season is northern summer.
module adjustment
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nlev = 40
contains

  pure real(dp) function saturation(t, p)
    real(dp), intent(in) :: t, p
    real(dp) :: es
    es = 611.2_dp*exp(17.67_dp*(t - 273.15_dp)/(t - 29.65_dp))
    saturation = 0.622_dp*es/max(p - 0.378_dp*es, 0.5_dp*p)
  end function saturation

  ! moist adiabatic lapse rate with respect to ln p
  pure real(dp) function moist_lapse(t, p)
    real(dp), intent(in) :: t, p
    real(dp) :: qs
    qs = saturation(t, p)
    moist_lapse = (287.0_dp*t + 2.5e6_dp*qs)/(1004.0_dp + 2.5e6_dp**2*qs*0.622_dp/(287.0_dp*t*t))
  end function moist_lapse

  subroutine adjust(t, p, sweeps)
    real(dp), intent(inout) :: t(nlev)
    real(dp), intent(in) :: p(nlev)
    integer, intent(out) :: sweeps
    real(dp) :: critical, excess
    logical :: stable
    integer :: k
    do sweeps = 1, 400
      stable = .true.
      do k = 1, nlev - 1
        critical = moist_lapse(0.5_dp*(t(k) + t(k + 1)), 0.5_dp*(p(k) + p(k + 1)))*log(p(k)/p(k + 1))
        excess = t(k) - t(k + 1) - critical
        if (excess > 1.0e-3_dp) then
          t(k) = t(k) - 0.5_dp*excess
          t(k + 1) = t(k + 1) + 0.5_dp*excess
          stable = .false.
        end if
      end do
      if (stable) exit
    end do
  end subroutine adjust

end module adjustment

program globe
  use adjustment
  implicit none
  integer, parameter :: ncol = 3600, steps = 4
  real(dp), allocatable :: t(:, :)
  real(dp) :: p(nlev), lat, warm
  integer, allocatable :: sweeps(:)
  integer :: c, k, step
  allocate (t(nlev, ncol), sweeps(ncol))
  do k = 1, nlev
    p(k) = 1.0e5_dp*(1.0_dp - 0.95_dp*(k - 1)/real(nlev - 1, dp))
  end do
  do c = 1, ncol
    lat = -90.0_dp + 180.0_dp*(c - 0.5_dp)/ncol
    t(:, c) = 302.0_dp - 0.010_dp*(lat - 20.0_dp)**2 - 60.0_dp*log(p(1)/p)
    where (t(:, c) < 200.0_dp) t(:, c) = 200.0_dp
  end do
  do step = 1, steps
    ! solar heating of the ground, cooling aloft
    do c = 1, ncol
      lat = -90.0_dp + 180.0_dp*(c - 0.5_dp)/ncol
      warm = max(cos((lat - 23.0_dp)*0.0174533_dp), 0.0_dp) - 0.45_dp
      t(1, c) = t(1, c) + 3.0_dp*warm
      t(2:, c) = t(2:, c) - 0.5_dp*max(cos((lat - 23.0_dp)*0.0174533_dp), 0.0_dp)
    end do
    !$omp parallel do
    do c = 1, ncol
      call adjust(t(:, c), p, sweeps(c))
    end do
    !$omp end parallel do
    print '(a, i3, a, f14.8, a, i5, a, i9)', 'step ', step, ' mean ', sum(t)/size(t), &
      ' most sweeps ', maxval(sweeps), ' all sweeps ', sum(sweeps)
  end do
  do c = 300, ncol, 600
    print '(a, i5, 4f14.8)', 'column ', c, t(1, c), t(10, c), t(20, c), t(30, c)
  end do
  deallocate (t, sweeps)
end program globe
