! k-means clustering (Lloyd's algorithm) of points in a feature space, as in
! vector quantisation of spectra.
module clustering
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains

  ! Hamerly's bounds: upper(i) >= distance to the own centre, lower(i) <=
  ! distance to every other centre; points whose bounds do not meet are skipped.
  subroutine assign_points(n, d, k, x, centre, label, changed, upper, lower)
    integer, intent(in) :: n, d, k
    real(dp), intent(in) :: x(d, n), centre(d, k)
    integer, intent(inout) :: label(n)
    integer, intent(out) :: changed
    real(dp), intent(inout) :: upper(n), lower(n)
    real(dp), parameter :: slack = 1.0_dp + 1.0e-10_dp
    real(dp) :: dist, best, second, half(k), bound
    integer :: i, j, nearest
    do j = 1, k
      half(j) = huge(best)
      do i = 1, k
        if (i /= j) half(j) = min(half(j), 0.5_dp*sqrt(sum((centre(:, i) - centre(:, j))**2)))
      end do
    end do
    changed = 0
    do i = 1, n
      if (label(i) > 0) then
        bound = max(lower(i), half(label(i)))
        if (upper(i)*slack < bound) cycle
        upper(i) = sqrt(sum((x(:, i) - centre(:, label(i)))**2))
        if (upper(i)*slack < bound) cycle
      end if
      best = huge(best)
      second = huge(best)
      nearest = 0
      do j = 1, k
        dist = sum((x(:, i) - centre(:, j))**2)
        if (dist < best) then
          second = best
          best = dist
          nearest = j
        else if (dist < second) then
          second = dist
        end if
      end do
      if (nearest /= label(i)) changed = changed + 1
      label(i) = nearest
      upper(i) = sqrt(best)
      lower(i) = sqrt(second)
    end do
  end subroutine assign_points

  ! how far the centres moved loosens the bounds
  subroutine move_bounds(n, d, k, old, centre, label, upper, lower)
    integer, intent(in) :: n, d, k, label(n)
    real(dp), intent(in) :: old(d, k), centre(d, k)
    real(dp), intent(inout) :: upper(n), lower(n)
    real(dp) :: moved(k), most
    integer :: i, j
    do j = 1, k
      moved(j) = sqrt(sum((centre(:, j) - old(:, j))**2))
    end do
    most = maxval(moved)
    do i = 1, n
      upper(i) = upper(i) + moved(label(i))
      lower(i) = lower(i) - most
    end do
  end subroutine move_bounds

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
  real(dp), allocatable :: x(:, :), upper(:), lower(:)
  real(dp) :: centre(d, k), old(d, k), mean(d, sources), inertia
  integer, allocatable :: label(:)
  integer :: i, j, m, changed, iteration
  integer(8) :: seed
  allocate (x(d, n), label(n), upper(n), lower(n))
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
    call assign_points(n, d, k, x, centre, label, changed, upper, lower)
    old = centre
    call update_centres(n, d, k, x, label, centre)
    call move_bounds(n, d, k, old, centre, label, upper, lower)
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
  deallocate (x, label, upper, lower)
contains
  real(dp) function uniform()
    seed = mod(seed*16807_8, 2147483647_8)
    uniform = real(seed, dp)/2147483647.0_dp
  end function uniform
end program kmeans
