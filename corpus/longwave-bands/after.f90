! Long-wave radiation of a column model: emissivity form of the transfer
! equation in several bands, fluxes at all half levels and heating rates.
module longwave
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nlev = 60, nband = 8
  real(dp), parameter :: diffusivity = 1.66_dp
contains

  ! depth(k): optical depth from the surface to half level k
  subroutine fluxes(depth, source, surface, up, down)
    real(dp), intent(in) :: depth(0:nlev), source(nlev), surface
    real(dp), intent(inout) :: up(0:nlev), down(0:nlev)
    real(dp) :: t(nlev), flux
    integer :: k
    ! layer transmissivities; the transmissivity of a path is their product
    do k = 1, nlev
      t(k) = exp(-diffusivity*(depth(k) - depth(k - 1)))
    end do
    flux = surface
    up(0) = up(0) + flux
    do k = 1, nlev
      flux = flux*t(k) + source(k)*(1.0_dp - t(k))
      up(k) = up(k) + flux
    end do
    flux = 0.0_dp
    do k = nlev, 1, -1
      flux = flux*t(k) + source(k)*(1.0_dp - t(k))
      down(k - 1) = down(k - 1) + flux
    end do
  end subroutine fluxes

  subroutine column(temp, vapour, ts, up, down)
    real(dp), intent(in) :: temp(nlev), vapour(nlev), ts
    real(dp), intent(out) :: up(0:nlev), down(0:nlev)
    real(dp) :: depth(0:nlev), source(nlev), share
    integer :: band, k
    up = 0.0_dp
    down = 0.0_dp
    do band = 1, nband
      share = 1.0_dp/nband
      depth(0) = 0.0_dp
      do k = 1, nlev
        depth(k) = depth(k - 1) + vapour(k)*0.4_dp**(band - 4) + 0.004_dp
        source(k) = share*5.670374e-8_dp*temp(k)**4*(1.0_dp + 0.02_dp*(band - 4.5_dp))
      end do
      call fluxes(depth, source, share*5.670374e-8_dp*ts**4, up, down)
    end do
  end subroutine column

end module longwave

program radiation
  use longwave
  implicit none
  integer, parameter :: ncol = 3000
  real(dp) :: temp(nlev), vapour(nlev), up(0:nlev), down(0:nlev), ts, olr, surface, heating(nlev)
  integer :: c, k
  olr = 0.0_dp
  surface = 0.0_dp
  heating = 0.0_dp
  do c = 1, ncol
    ts = 270.0_dp + 30.0_dp*abs(sin(0.003_dp*c))
    do k = 1, nlev
      temp(k) = max(ts - 1.3_dp*k, 205.0_dp + 0.1_dp*k)
      vapour(k) = 0.35_dp*exp(-0.12_dp*k)*exp(0.06_dp*(ts - 288.0_dp))
    end do
    call column(temp, vapour, ts, up, down)
    olr = olr + up(nlev)/ncol
    surface = surface + down(0)/ncol
    do k = 1, nlev
      heating(k) = heating(k) + (up(k - 1) - down(k - 1) - up(k) + down(k))/ncol
    end do
    if (mod(c, 1000) == 0) print '(a, i5, a, f14.8, a, f14.8)', 'column ', c, ' olr ', up(nlev), ' back ', down(0)
  end do
  print '(a, f14.8, a, f14.8)', 'mean olr ', olr, ' mean back radiation ', surface
  do k = 1, nlev, 6
    print '(a, i3, f14.8)', 'heating ', k, heating(k)
  end do
end program radiation
