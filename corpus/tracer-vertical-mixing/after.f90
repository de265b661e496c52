! Implicit vertical mixing of temperature, salinity and a passive tracer
! in a z-level ocean, with Richardson-number dependent diffusivity.
module grid_mod
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nx = 192, ny = 128, nz = 48, ntr = 3
  real(dp), parameter :: dt = 3600.0_dp, grav = 9.81_dp, rho0 = 1025.0_dp
  real(dp) :: dz(nz), dzw(nz-1)
  real(dp), allocatable :: trc(:,:,:,:), u(:,:,:), v(:,:,:), kv(:,:,:)
  integer, allocatable :: kbot(:,:)
contains

  subroutine setup()
    integer :: i, j, k
    real(dp) :: x, y, z
    allocate(trc(nx,ny,nz,ntr), u(nx,ny,nz), v(nx,ny,nz), kv(nx,ny,nz), kbot(nx,ny))
    do k = 1, nz
      dz(k) = 10.0_dp*1.06_dp**(k-1)
    end do
    do k = 1, nz-1
      dzw(k) = 0.5_dp*(dz(k) + dz(k+1))
    end do
    z = 0.0_dp
    do k = 1, nz
      z = z + dz(k)
      do j = 1, ny
        do i = 1, nx
          x = real(i,dp)/nx
          y = real(j,dp)/ny
          trc(i,j,k,1) = 2.0_dp + 24.0_dp*exp(-z/700.0_dp)*(1.0_dp - 0.7_dp*y) + 0.2_dp*sin(9*x+k)
          trc(i,j,k,2) = 34.5_dp + 0.8_dp*sin(6*y)*exp(-z/500.0_dp)
          trc(i,j,k,3) = merge(1.0_dp, 0.0_dp, k <= 3)*(1.0_dp + cos(11*x)*sin(5*y))
          u(i,j,k) = 0.6_dp*exp(-z/250.0_dp)*sin(7*y)
          v(i,j,k) = 0.3_dp*exp(-z/150.0_dp)*cos(8*x)
        end do
      end do
    end do
    do j = 1, ny
      do i = 1, nx
        kbot(i,j) = nz - mod(i*7 + j*13, 9)
      end do
    end do
  end subroutine setup

  subroutine diffusivity()
    integer :: i, j, k
    real(dp) :: n2, s2, ri
    do k = 1, nz-1
      do j = 1, ny
        do i = 1, nx
          n2 = grav*(2.0e-4_dp*(trc(i,j,k,1) - trc(i,j,k+1,1)) &
               - 7.6e-4_dp*(trc(i,j,k,2) - trc(i,j,k+1,2)))/dzw(k)
          s2 = ((u(i,j,k) - u(i,j,k+1))**2 + (v(i,j,k) - v(i,j,k+1))**2)/dzw(k)**2 + 1.0e-10_dp
          ri = max(n2/s2, 0.0_dp)
          kv(i,j,k) = 1.0e-5_dp + 5.0e-2_dp/(1.0_dp + 5.0_dp*ri)**2
        end do
      end do
    end do
    kv(:,:,nz) = 0.0_dp
  end subroutine diffusivity
end module grid_mod

module mixing_mod
  use grid_mod
  implicit none
contains

  ! All columns of one latitude row together: i is the inner, contiguous loop.
  subroutine mix_row(j, t, flux, cp)
    integer, intent(in) :: j
    real(dp), intent(inout) :: t(nx,ny,nz)
    real(dp), intent(in) :: flux
    real(dp), intent(inout) :: cp(nx,nz)
    real(dp) :: lower, upper, den
    integer :: i, k
    do i = 1, nx
      t(i,j,1) = t(i,j,1) + dt*flux/dz(1)
      upper = dt*kv(i,j,1)/(dz(1)*dzw(1))
      den = 1.0_dp + upper
      cp(i,1) = -upper/den
      t(i,j,1) = t(i,j,1)/den
    end do
    do k = 2, nz
      do i = 1, nx
        ! kv is zero at and below the bottom, so cells below it are not changed
        lower = dt*kv(i,j,k-1)/(dz(k)*dzw(k-1))
        upper = dt*kv(i,j,k)/(dz(k)*dzw(min(k,nz-1)))
        den = 1.0_dp + lower + upper + lower*cp(i,k-1)
        cp(i,k) = -upper/den
        t(i,j,k) = (t(i,j,k) + lower*t(i,j,k-1))/den
      end do
    end do
    do k = nz-1, 1, -1
      do i = 1, nx
        t(i,j,k) = t(i,j,k) - cp(i,k)*t(i,j,k+1)
      end do
    end do
  end subroutine mix_row

  subroutine vertical_mixing(step)
    integer, intent(in) :: step
    integer :: i, j, k, n
    real(dp) :: flux(ntr), cp(nx,nz)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          if (k >= kbot(i,j)) kv(i,j,k) = 0.0_dp
        end do
      end do
    end do
    do j = 1, ny
      flux = [1.0e-5_dp*cos(0.3_dp*step), 1.0e-8_dp*real(j,dp)/ny, 0.0_dp]
      do n = 1, ntr
        call mix_row(j, trc(:,:,:,n), flux(n), cp)
      end do
    end do
  end subroutine vertical_mixing
end module mixing_mod

program ocean
  use grid_mod
  use mixing_mod
  implicit none
  integer :: step, n, k
  real(dp) :: inv
  call setup()
  do step = 1, 20
    call diffusivity()
    call vertical_mixing(step)
  end do
  do n = 1, ntr
    inv = 0.0_dp
    do k = 1, nz
      inv = inv + dz(k)*sum(trc(:,:,k,n))
    end do
    print '(a,i2,es22.14,2f16.10)', 'tracer', n, inv, trc(17,23,1,n), trc(100,90,5,n)
  end do
end program ocean
