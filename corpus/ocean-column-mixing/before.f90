! Implicit vertical mixing of temperature and salinity in a global ocean model.
module ocean_grid
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nx = 360, ny = 120, nz = 40
  real(dp), parameter :: dt = 3600.0_dp
  real(dp), allocatable :: temp(:,:,:), salt(:,:,:), kappa(:,:,:)
  integer, allocatable :: kmt(:,:)
  real(dp) :: dz(nz), dzw(nz)
contains
  subroutine setup()
    integer :: i, j, k
    real(dp) :: lat, lon, depth
    allocate(temp(nx,ny,nz), salt(nx,ny,nz), kappa(nx,ny,nz), kmt(nx,ny))
    do k = 1, nz
      dz(k) = 10.0_dp + 6.0_dp*(k-1)
    end do
    do k = 1, nz-1
      dzw(k) = 0.5_dp*(dz(k) + dz(k+1))
    end do
    dzw(nz) = dz(nz)
    do j = 1, ny
      do i = 1, nx
        lon = 6.283185307179586_dp*(i-1)/nx
        lat = -1.2_dp + 2.4_dp*(j-1)/(ny-1)
        kmt(i,j) = 4 + int((nz-4)*(0.5_dp + 0.5_dp*sin(3*lon)*cos(2*lat)) + 0.5_dp)
        kmt(i,j) = min(kmt(i,j), nz)
        depth = 0
        do k = 1, nz
          depth = depth + dz(k)
          temp(i,j,k) = 2.0_dp + 26.0_dp*cos(lat)**2*exp(-depth/800.0_dp)
          salt(i,j,k) = 34.7_dp + 0.8_dp*sin(2*lon+lat)*exp(-depth/500.0_dp)
        end do
      end do
    end do
  end subroutine

  subroutine richardson_mixing()
    integer :: i, j, k
    real(dp) :: n2
    do k = 1, nz-1
      do j = 1, ny
        do i = 1, nx
          n2 = 2.0e-3_dp*(temp(i,j,k) - temp(i,j,k+1))/dzw(k) &
             - 7.6e-3_dp*(salt(i,j,k) - salt(i,j,k+1))/dzw(k)
          kappa(i,j,k) = merge(1.0e-5_dp + 5.0e-3_dp/(1 + 5.0e5_dp*max(n2,0.0_dp)), 0.1_dp, n2 > 0)
        end do
      end do
    end do
    kappa(:,:,nz) = 0
  end subroutine

  subroutine mix_vertical()
    integer :: i, j, k, n
    real(dp) :: a, b, c, m, up, dn
    real(dp) :: gam(nz)
    do j = 1, ny
      do i = 1, nx
        n = kmt(i,j)
        up = 0
        do k = 1, n
          dn = 0
          if (k < n) dn = dt*kappa(i,j,k)/dzw(k)
          a = -up/dz(k)
          c = -dn/dz(k)
          b = 1 - a - c
          if (k == 1) then
            m = 1/b
            temp(i,j,k) = temp(i,j,k)*m
            salt(i,j,k) = salt(i,j,k)*m
          else
            m = 1/(b - a*gam(k-1))
            temp(i,j,k) = (temp(i,j,k) - a*temp(i,j,k-1))*m
            salt(i,j,k) = (salt(i,j,k) - a*salt(i,j,k-1))*m
          end if
          gam(k) = c*m
          up = dn
        end do
        do k = n-1, 1, -1
          temp(i,j,k) = temp(i,j,k) - gam(k)*temp(i,j,k+1)
          salt(i,j,k) = salt(i,j,k) - gam(k)*salt(i,j,k+1)
        end do
      end do
    end do
  end subroutine

  subroutine surface_forcing(step)
    integer, intent(in) :: step
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        temp(i,j,1) = temp(i,j,1) + 0.02_dp*sin(0.3_dp*step + 0.01_dp*i)
        salt(i,j,1) = salt(i,j,1) + 0.002_dp*cos(0.2_dp*step + 0.02_dp*j)
      end do
    end do
  end subroutine
end module

program ocean
  use ocean_grid
  implicit none
  integer :: step
  call setup()
  do step = 1, 80
    call surface_forcing(step)
    if (mod(step, 20) == 1) call richardson_mixing()
    call mix_vertical()
  end do
  print '(a,es22.14)', 'heat ', sum(temp)
  print '(a,es22.14)', 'salt ', sum(salt)
  print '(a,3es22.14)', 'column ', temp(100,60,1), temp(100,60,5), temp(200,30,12)
end program
