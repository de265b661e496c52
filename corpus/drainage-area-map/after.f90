! Drainage area of a synthetic catchment from a D8 flow direction map.
module terrain
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: di(8) = [ 1, 1, 0,-1,-1,-1, 0, 1]
  integer, parameter :: dj(8) = [ 0, 1, 1, 1, 0,-1,-1,-1]
contains
  real(dp) function noise(i, j, k)
    integer, intent(in) :: i, j, k
    integer(8) :: h
    h = int(i,8)*73856093_8 + int(j,8)*19349663_8 + int(k,8)*83492791_8
    h = iand(h, 2147483647_8)
    h = mod(h*48271_8 + 11_8, 2147483647_8)
    h = mod(h*48271_8 + 17_8, 2147483647_8)
    noise = real(h,dp)/2147483647.0_dp
  end function noise

  subroutine make_dem(nx, ny, z)
    integer, intent(in) :: nx, ny
    real(dp), intent(out) :: z(nx,ny)
    integer :: i, j
    real(dp) :: x, y
    do j = 1, ny
      do i = 1, nx
        x = real(i,dp)/nx
        y = real(j,dp)/ny
        z(i,j) = 400.0_dp*y + 60.0_dp*abs(x - 0.5_dp - 0.15_dp*sin(9.0_dp*y)) &
               + 12.0_dp*abs(sin(31.0_dp*x + 4.0_dp*y)) + 1.0_dp*noise(i,j,1)
      end do
    end do
  end subroutine make_dem

  subroutine flow_directions(nx, ny, z, dir)
    integer, intent(in) :: nx, ny
    real(dp), intent(in) :: z(nx,ny)
    integer, intent(out) :: dir(nx,ny)
    integer :: i, j, k, ii, jj
    real(dp) :: s, best
    do j = 1, ny
      do i = 1, nx
        dir(i,j) = 0
        best = 0.0_dp
        do k = 1, 8
          ii = i + di(k)
          jj = j + dj(k)
          if (ii < 1 .or. ii > nx .or. jj < 1 .or. jj > ny) cycle
          s = z(i,j) - z(ii,jj)
          if (mod(k,2) == 0) s = s/sqrt(2.0_dp)
          if (s > best) then
            best = s
            dir(i,j) = k
          end if
        end do
      end do
    end do
  end subroutine flow_directions

  subroutine drainage(nx, ny, dir, rain, area)
    integer, intent(in) :: nx, ny
    integer, intent(in) :: dir(nx,ny)
    real(dp), intent(in) :: rain(nx,ny)
    real(dp), intent(out) :: area(nx,ny)
    integer, allocatable :: pending(:,:)
    integer :: i, j, ci, cj, ni, nj, k
    allocate(pending(nx,ny))
    pending = 0
    do j = 1, ny
      do i = 1, nx
        k = dir(i,j)
        if (k > 0) pending(i+di(k),j+dj(k)) = pending(i+di(k),j+dj(k)) + 1
      end do
    end do
    area = rain
    ! start at every divide and go on down while the cell is complete
    do j = 1, ny
      do i = 1, nx
        if (pending(i,j) /= 0) cycle
        ci = i
        cj = j
        do
          pending(ci,cj) = -1
          k = dir(ci,cj)
          if (k == 0) exit
          ni = ci + di(k)
          nj = cj + dj(k)
          area(ni,nj) = area(ni,nj) + area(ci,cj)
          pending(ni,nj) = pending(ni,nj) - 1
          if (pending(ni,nj) > 0) exit
          ci = ni
          cj = nj
        end do
      end do
    end do
  end subroutine drainage
end module terrain

program drainage_map
  use terrain
  implicit none
  integer, parameter :: nx = 1400, ny = 1500
  real(dp), allocatable :: z(:,:), rain(:,:), area(:,:)
  integer, allocatable :: dir(:,:)
  integer :: i, j, p(2)
  allocate(z(nx,ny), rain(nx,ny), area(nx,ny), dir(nx,ny))
  call make_dem(nx, ny, z)
  do j = 1, ny
    do i = 1, nx
      rain(i,j) = 1.0_dp + 0.5_dp*noise(i, j, 2)
    end do
  end do
  call flow_directions(nx, ny, z, dir)
  call drainage(nx, ny, dir, rain, area)
  p = maxloc(area)
  print '(a,i0)', 'pits and outlets ', count(dir == 0)
  print '(a,es18.10)', 'largest area     ', maxval(area)
  print '(a,2(1x,i0))', 'largest at      ', p
  print '(a,es18.10)', 'sum of area      ', sum(area)
  print '(a,i0)', 'channel cells    ', count(area > 500.0_dp)
  print '(a,es18.10)', 'sum of log area  ', sum(log(area))
end program drainage_map
