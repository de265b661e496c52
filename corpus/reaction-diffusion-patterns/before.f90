! Gray-Scott reaction and diffusion on a periodic square: spots that divide.
module gray_scott
  implicit none
  integer, parameter :: dp = kind(1.0d0)

  type :: model
    integer  :: nx, ny
    real(dp) :: du, dv, feed, kill, dt
  end type model

contains

  pure function wrap(i, n) result(w)
    integer, intent(in) :: i, n
    integer :: w
    w = modulo(i - 1, n) + 1
  end function wrap

  pure function laplacian(f, i, j) result(lap)
    real(dp), intent(in) :: f(:, :)
    integer, intent(in)  :: i, j
    real(dp) :: lap
    integer  :: east, west, north, south
    east  = wrap(i + 1, size(f, 1))
    west  = wrap(i - 1, size(f, 1))
    north = wrap(j + 1, size(f, 2))
    south = wrap(j - 1, size(f, 2))
    lap = f(east, j) + f(west, j) + f(i, north) + f(i, south) - 4.0_dp * f(i, j)
  end function laplacian

  subroutine seed(m, u, v)
    type(model), intent(in) :: m
    real(dp), intent(out) :: u(:, :), v(:, :)
    integer :: i, j, k, ci, cj
    integer :: state
    u = 1.0_dp
    v = 0.0_dp
    state = 4711
    do k = 1, 24
      state = mod(state * 1103 + 12345, 65536)
      ci = mod(state, m%nx) + 1
      state = mod(state * 1103 + 12345, 65536)
      cj = mod(state, m%ny) + 1
      do j = cj - 5, cj + 5
        do i = ci - 5, ci + 5
          u(wrap(i, m%nx), wrap(j, m%ny)) = 0.5_dp
          v(wrap(i, m%nx), wrap(j, m%ny)) = 0.25_dp + 0.01_dp * mod(i + 2 * j, 3)
        end do
      end do
    end do
  end subroutine seed

  subroutine advance(m, u, v, unew, vnew)
    type(model), intent(in) :: m
    real(dp), intent(in)  :: u(:, :), v(:, :)
    real(dp), intent(out) :: unew(:, :), vnew(:, :)
    integer  :: i, j
    real(dp) :: rate
    do j = 1, m%ny
      do i = 1, m%nx
        rate = u(i, j) * v(i, j) * v(i, j)
        unew(i, j) = u(i, j) + m%dt * (m%du * laplacian(u, i, j) - rate + m%feed * (1.0_dp - u(i, j)))
        vnew(i, j) = v(i, j) + m%dt * (m%dv * laplacian(v, i, j) + rate - (m%feed + m%kill) * v(i, j))
      end do
    end do
  end subroutine advance

end module gray_scott

program patterns
  use gray_scott
  implicit none
  type(model) :: m
  real(dp), allocatable :: u(:, :), v(:, :), unew(:, :), vnew(:, :)
  integer :: step
  integer, parameter :: steps = 1000

  m = model(nx=250, ny=230, du=0.16_dp, dv=0.08_dp, feed=0.035_dp, kill=0.0625_dp, dt=1.0_dp)
  allocate (u(m%nx, m%ny), v(m%nx, m%ny), unew(m%nx, m%ny), vnew(m%nx, m%ny))
  call seed(m, u, v)

  do step = 1, steps, 2
    call advance(m, u, v, unew, vnew)
    call advance(m, unew, vnew, u, v)
    if (mod(step + 1, 250) == 0) then
      print '(a,i6,a,f18.9,a,f18.9,a,i7)', 'step', step + 1, '  u', sum(u), '  v', sum(v), &
        '  spotted', count(v > 0.2_dp)
    end if
  end do
  print '(a,3f14.10)', 'corners ', u(1, 1), u(m%nx, 1), u(m%nx, m%ny)
  print '(a,2f14.10)', 'extremes', minval(u), maxval(v)
end program patterns
