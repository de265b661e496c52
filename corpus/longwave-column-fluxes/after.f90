! Longwave fluxes and heating rates of atmospheric columns: bands with
! k-distribution points, four quadrature angles, no scattering.
module longwave
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nlay = 60, nband = 14, ng = 8, nang = 4
  real(dp), parameter :: mu(nang) = [0.06943184_dp, 0.33000948_dp, 0.66999052_dp, 0.93056816_dp]
  real(dp), parameter :: wt(nang) = [0.17392742_dp, 0.32607258_dp, 0.32607258_dp, 0.17392742_dp]
  real(dp) :: nu(nband), dnu(nband), kabs(ng,nband), wg(ng)
contains
  subroutine spectral_data()
    integer :: b, g
    do b = 1, nband
      nu(b) = 100.0_dp + 180.0_dp*(b - 0.5_dp)
      dnu(b) = 180.0_dp
      do g = 1, ng
        kabs(g,b) = 1.0e-3_dp*exp(0.9_dp*g)*(1 + 0.8_dp*sin(1.7_dp*b))
      end do
    end do
    do g = 1, ng
      wg(g) = (2*(ng-g) + 1)/real(ng*ng,dp)
    end do
  end subroutine

  pure function planck(v, t) result(b)
    real(dp), intent(in) :: v, t
    real(dp) :: b
    b = 1.191043e-8_dp*v**3/(exp(1.438777_dp*v/t) - 1)
  end function

  ! optical depth of a layer with pressure and temperature scaling
  pure function layer_depth(k, p, t, u) result(tau)
    real(dp), intent(in) :: k, p, t, u
    real(dp) :: tau
    tau = k*u*(p/500.0_dp)**0.7_dp*(260.0_dp/t)**1.5_dp
  end function

  subroutine column_fluxes(p, tlev, tlay, u, tsurf, up, down)
    real(dp), intent(in) :: p(nlay), tlev(0:nlay), tlay(nlay), u(nlay), tsurf
    real(dp), intent(out) :: up(0:nlay), down(0:nlay)
    integer :: b, g, m, l
    real(dp) :: rad, tr(nlay), path(nlay), k, w, bsurf
    real(dp) :: blay, sdn(nlay), sup(nlay), blev(0:nlay)
    up = 0
    down = 0
    do l = 1, nlay
      path(l) = layer_depth(1.0_dp, p(l), tlay(l), u(l))
    end do
    do b = 1, nband
      ! the sources depend on the band only
      do l = 0, nlay
        blev(l) = planck(nu(b), tlev(l))
      end do
      do l = 1, nlay
        blay = planck(nu(b), tlay(l))
        sdn(l) = 0.5_dp*(blay + blev(l-1))
        sup(l) = 0.5_dp*(blay + blev(l))
      end do
      bsurf = planck(nu(b), tsurf)
      do g = 1, ng
        do m = 1, nang
          w = 6.283185307_dp*mu(m)*wt(m)*wg(g)*dnu(b)
          k = kabs(g,b)/mu(m)
          do l = 1, nlay
            tr(l) = exp(-k*path(l))
          end do
          rad = 0
          do l = nlay, 1, -1
            rad = rad*tr(l) + sdn(l)*(1 - tr(l))
            down(l-1) = down(l-1) + w*rad
          end do
          rad = bsurf
          up(0) = up(0) + w*rad
          do l = 1, nlay
            rad = rad*tr(l) + sup(l)*(1 - tr(l))
            up(l) = up(l) + w*rad
          end do
        end do
      end do
    end do
  end subroutine
end module

program radiation
  use longwave
  implicit none
  integer, parameter :: ncol = 480
  real(dp) :: p(nlay), tlev(0:nlay), tlay(nlay), u(nlay), up(0:nlay), down(0:nlay), heat(nlay), tsurf
  real(dp) :: olr, sfc, cool
  integer :: c, l
  call spectral_data()
  olr = 0; sfc = 0; cool = 0
  do c = 1, ncol
    tsurf = 270.0_dp + 30.0_dp*sin(0.05_dp*c)
    do l = 0, nlay
      tlev(l) = max(205.0_dp + 5.0_dp*sin(0.3_dp*l), tsurf - 1.0_dp - 1.6_dp*l)
    end do
    do l = 1, nlay
      tlay(l) = 0.5_dp*(tlev(l-1) + tlev(l))
      p(l) = 1000.0_dp*exp(-(l - 0.5_dp)/14.0_dp)
      u(l) = 2.0_dp*exp(-(l - 0.5_dp)/5.0_dp)*(1 + 0.3_dp*cos(0.1_dp*c)) + 1.0e-3_dp
    end do
    call column_fluxes(p, tlev, tlay, u, tsurf, up, down)
    do l = 1, nlay
      heat(l) = (up(l-1) - down(l-1) - up(l) + down(l))/p(l)
    end do
    olr = olr + up(nlay)
    sfc = sfc + down(0)
    cool = cool + sum(heat)
  end do
  print '(a,es22.14)', 'outgoing ', olr/ncol
  print '(a,es22.14)', 'surface  ', sfc/ncol
  print '(a,es22.14)', 'heating  ', cool/ncol
  print '(a,3es22.14)', 'profile  ', up(10), down(10), heat(20)
end program
