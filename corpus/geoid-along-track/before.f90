! Geoid undulation along a satellite ground track from spherical harmonic
! coefficients of the gravity field.
module gravity_field
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nmax = 180
  real(dp), allocatable :: cnm(:,:), snm(:,:), anm(:,:), bnm(:,:), dm(:)
contains
  subroutine init_field()
    integer :: n, m
    integer(8) :: seed
    real(dp) :: scale
    allocate(cnm(0:nmax,0:nmax), snm(0:nmax,0:nmax))
    allocate(anm(0:nmax,0:nmax), bnm(0:nmax,0:nmax), dm(0:nmax))
    cnm = 0; snm = 0; anm = 0; bnm = 0
    seed = 12345_8
    do m = 0, nmax
      do n = max(2, m), nmax
        scale = 1.0d-5 / real(n, dp)**2
        cnm(n,m) = scale * uniform(seed)
        if (m > 0) snm(n,m) = scale * uniform(seed)
      end do
    end do
    dm(0) = 1.0_dp
    do m = 1, nmax
      dm(m) = sqrt((2.0_dp*m + 1.0_dp) / (2.0_dp*m))
      if (m == 1) dm(m) = sqrt(3.0_dp)
    end do
    do m = 0, nmax
      do n = m + 1, nmax
        anm(n,m) = sqrt((2.0_dp*n-1)*(2.0_dp*n+1) / (real(n-m,dp)*real(n+m,dp)))
        if (n > m + 1) bnm(n,m) = sqrt((2.0_dp*n+1)*real(n+m-1,dp)*real(n-m-1,dp) &
             / (real(n-m,dp)*real(n+m,dp)*(2.0_dp*n-3)))
      end do
    end do
  end subroutine init_field

  real(dp) function uniform(seed)
    integer(8), intent(inout) :: seed
    seed = mod(seed*16807_8, 2147483647_8)
    uniform = 2.0_dp * real(seed, dp) / 2147483647.0_dp - 1.0_dp
  end function uniform

  ! undulation in metres at one point; q = a/r
  real(dp) function undulation(lat, lon, q)
    real(dp), intent(in) :: lat, lon, q
    integer :: n, m
    real(dp) :: t, u, pmm, p, p1, p2, sc, ss, total
    t = q * sin(lat)
    u = q * cos(lat)
    total = 0
    pmm = q
    do m = 0, nmax
      if (m > 0) pmm = pmm * dm(m) * u
      p1 = pmm
      p2 = 0
      sc = cnm(m,m) * p1
      ss = snm(m,m) * p1
      do n = m + 1, nmax
        p = anm(n,m) * t * p1 - bnm(n,m) * q * q * p2
        sc = sc + cnm(n,m) * p
        ss = ss + snm(n,m) * p
        p2 = p1
        p1 = p
      end do
      total = total + sc * cos(m*lon) + ss * sin(m*lon)
    end do
    undulation = 6378136.3_dp * total
  end function undulation
end module gravity_field

program geoid_along_track
  use gravity_field
  implicit none
  integer, parameter :: npts = 40000
  real(dp), allocatable :: lat(:), lon(:), q(:), height(:)
  real(dp) :: arg, mean
  integer :: i
  allocate(lat(npts), lon(npts), q(npts), height(npts))
  call init_field()
  do i = 1, npts
    arg = 0.0031_dp * i
    lat(i) = asin(sin(1.152_dp) * sin(arg))
    lon(i) = modulo(atan2(cos(1.152_dp)*sin(arg), cos(arg)) - 0.00021_dp*i, 6.283185307179586_dp)
    q(i) = 1.0_dp - 0.0004_dp * (1.0_dp + 0.5_dp*sin(0.0007_dp*i))
  end do
  do i = 1, npts
    height(i) = undulation(lat(i), lon(i), q(i))
  end do
  mean = sum(height) / npts
  print '(a,es22.14)', 'mean undulation ', mean
  print '(a,es22.14)', 'rms             ', sqrt(sum((height-mean)**2) / npts)
  print '(a,3es22.14)', 'samples         ', height(1), height(npts/2), height(npts)
end program geoid_along_track
