! Vertical turbulent mixing in a global atmosphere: one implicit diffusion solve per
! column and tracer, with diffusivities that follow from wind shear and stability.
module state
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nlon = 300, nlat = 150, nlev = 50, nsteps = 16
  real(dp), parameter :: dt = 600.0_dp
  real(dp) :: theta(nlon, nlat, nlev)   ! potential temperature
  real(dp) :: qv(nlon, nlat, nlev)      ! humidity
  real(dp) :: u(nlon, nlat, nlev)       ! wind
  real(dp) :: dz(nlev), zh(nlev)
end module state

module mixing
  use state
  implicit none
contains

  ! exchange coefficients on the lower faces of the layers of one column
  subroutine diffusivity(i, j, kd)
    integer, intent(in) :: i, j
    real(dp), intent(out) :: kd(nlev)
    integer :: k
    real(dp) :: h, shear2, ri, len
    kd(1) = 0.0_dp
    do k = 2, nlev
      h = 0.5_dp*(dz(k) + dz(k-1))
      shear2 = ((u(i,j,k) - u(i,j,k-1))/h)**2 + 1.0e-6_dp
      ri = 9.81_dp*(theta(i,j,k) - theta(i,j,k-1))/(300.0_dp*h*shear2)
      len = 0.4_dp*zh(k)/(1.0_dp + 0.4_dp*zh(k)/150.0_dp)
      kd(k) = 0.1_dp + len*len*0.01_dp/(1.0_dp + 5.0_dp*max(ri, 0.0_dp))
    end do
  end subroutine diffusivity

  ! (I - dt d/dz K d/dz) x_new = x, Thomas algorithm
  subroutine solve_column(x, i, j, kd)
    real(dp), intent(inout) :: x(nlon, nlat, nlev)
    integer, intent(in) :: i, j
    real(dp), intent(in) :: kd(nlev)
    real(dp) :: c(nlev), lo, up, den
    integer :: k
    do k = 1, nlev
      lo = 0.0_dp
      up = 0.0_dp
      if (k > 1) lo = dt*kd(k)/(dz(k)*0.5_dp*(dz(k) + dz(k-1)))
      if (k < nlev) up = dt*kd(k+1)/(dz(k)*0.5_dp*(dz(k) + dz(k+1)))
      if (k == 1) then
        den = 1.0_dp/(1.0_dp + up)
        x(i,j,k) = x(i,j,k)*den
      else
        den = 1.0_dp/(1.0_dp + lo + up - lo*c(k-1))
        x(i,j,k) = (x(i,j,k) + lo*x(i,j,k-1))*den
      end if
      c(k) = up*den
    end do
    do k = nlev - 1, 1, -1
      x(i,j,k) = x(i,j,k) + c(k)*x(i,j,k+1)
    end do
  end subroutine solve_column

  subroutine mix_all()
    real(dp) :: kd(nlev)
    integer :: i, j
    do j = 1, nlat
      do i = 1, nlon
        call diffusivity(i, j, kd)
        call solve_column(theta, i, j, kd)
        call solve_column(qv, i, j, kd)
        call solve_column(u, i, j, kd)
      end do
    end do
  end subroutine mix_all
end module mixing

program boundary_layer
  use state
  use mixing
  implicit none
  integer :: i, j, k, step
  real(dp) :: z, s
  z = 0.0_dp
  do k = 1, nlev
    dz(k) = 20.0_dp*1.05_dp**k
    zh(k) = z
    z = z + dz(k)
  end do
  do k = 1, nlev
    do j = 1, nlat
      do i = 1, nlon
        s = real(mod(i*37 + j*101 + k*17, 256), dp)/256.0_dp
        theta(i,j,k) = 290.0_dp + 0.004_dp*zh(k) + s
        qv(i,j,k) = 0.015_dp/(1.0_dp + zh(k)/2000.0_dp)*(0.8_dp + 0.2_dp*s)
        u(i,j,k) = 10.0_dp*zh(k)/(zh(k) + 300.0_dp) + 2.0_dp*s
      end do
    end do
  end do
  do step = 1, nsteps
    call mix_all()
    ! heating and evaporation at the surface
    theta(:,:,1) = theta(:,:,1) + 0.05_dp
    qv(:,:,1) = qv(:,:,1) + 1.0e-5_dp
  end do
  print '(a,es20.12)', 'mean theta ', sum(theta)/size(theta)
  print '(a,es20.12)', 'mean qv    ', sum(qv)/size(qv)
  print '(a,es20.12)', 'mean u     ', sum(u)/size(u)
  do k = 1, nlev, 12
    print '(i4,3es20.12)', k, theta(17,33,k), qv(150,75,k), u(299,149,k)
  end do
end program boundary_layer
