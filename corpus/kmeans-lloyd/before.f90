! k-means clustering (Lloyd's algorithm) of points in a feature space, as in
! vector quantisation of spectra.
module clustering
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains

  subroutine assign_points(n, d, k, x, centre, label, changed)
    integer, intent(in) :: n, d, k
    real(dp), intent(in) :: x(d, n), centre(d, k)
    integer, intent(inout) :: label(n)
    integer, intent(out) :: changed
    real(dp) :: dist, best
    integer :: i, j, nearest
    changed = 0
    do i = 1, n
      best = huge(best)
      nearest = 0
      do j = 1, k
        dist = sum((x(:, i) - centre(:, j))**2)
        if (dist < best) then
          best = dist
          nearest = j
        end if
      end do
      if (nearest /= label(i)) changed = changed + 1
      label(i) = nearest
    end do
  end subroutine assign_points

  subroutine update_centres(n, d, k, x, label, centre)
    integer, intent(in) :: n, d, k, label(n)
    real(dp), intent(in) :: x(d, n)
    real(dp), intent(inout) :: centre(d, k)
    real(dp) :: total(d, k)
    integer :: members(k), i, j
    total = 0.0_dp
    members = 0
    do i = 1, n
      total(:, label(i)) = total(:, label(i)) + x(:, i)
      members(label(i)) = members(label(i)) + 1
    end do
    do j = 1, k
      if (members(j) > 0) centre(:, j) = total(:, j)/members(j)
    end do
  end subroutine update_centres

end module clustering

program kmeans
  use clustering
  implicit none
  integer, parameter :: n = 60000, d = 12, k = 40, sources = 32, most = 80
  real(dp), allocatable :: x(:, :)
  real(dp) :: centre(d, k), mean(d, sources), inertia
  integer, allocatable :: label(:)
  integer :: i, j, m, changed, iteration
  integer(8) :: seed
  allocate (x(d, n), label(n))
  seed = 31415
  do j = 1, sources
    do m = 1, d
      mean(m, j) = 10.0_dp*uniform()
    end do
  end do
  do i = 1, n
    j = 1 + int(sources*uniform())
    do m = 1, d
      x(m, i) = mean(m, j) + 3.0_dp*(uniform() + uniform() + uniform() - 1.5_dp)
    end do
  end do
  do j = 1, k
    centre(:, j) = x(:, j*(n/k))
  end do
  label = 0
  do iteration = 1, most
    call assign_points(n, d, k, x, centre, label, changed)
    call update_centres(n, d, k, x, label, centre)
    if (mod(iteration, 10) == 0) print '(a, i4, a, i7)', 'iteration ', iteration, ' changed ', changed
    if (changed == 0) exit
  end do
  inertia = 0.0_dp
  do i = 1, n
    inertia = inertia + sum((x(:, i) - centre(:, label(i)))**2)
  end do
  print '(a, f18.8)', 'inertia ', inertia
  do j = 1, k, 5
    print '(a, i3, a, i6, 3f12.8)', 'cluster ', j, ' size ', count(label == j), centre(1:3, j)
  end do
  deallocate (x, label)
contains
  real(dp) function uniform()
    seed = mod(seed*16807_8, 2147483647_8)
    uniform = real(seed, dp)/2147483647.0_dp
  end function uniform
end program kmeans
