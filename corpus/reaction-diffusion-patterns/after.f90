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

  ! The arrays carry one ghost layer, so that a neighbour is always at i +- 1, j +- 1.
  subroutine fill_ghosts(m, f)
    type(model), intent(in) :: m
    real(dp), intent(inout) :: f(0:m%nx + 1, 0:m%ny + 1)
    integer :: j
    do j = 1, m%ny
      f(0, j) = f(m%nx, j)
      f(m%nx + 1, j) = f(1, j)
    end do
    f(:, 0) = f(:, m%ny)
    f(:, m%ny + 1) = f(:, 1)
  end subroutine fill_ghosts

  subroutine seed(m, u, v)
    type(model), intent(in) :: m
    real(dp), intent(out) :: u(0:m%nx + 1, 0:m%ny + 1), v(0:m%nx + 1, 0:m%ny + 1)
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
    real(dp), intent(inout) :: u(0:m%nx + 1, 0:m%ny + 1), v(0:m%nx + 1, 0:m%ny + 1)
    real(dp), intent(inout) :: unew(0:m%nx + 1, 0:m%ny + 1), vnew(0:m%nx + 1, 0:m%ny + 1)
    integer  :: i, j
    real(dp) :: rate, lapu, lapv
    call fill_ghosts(m, u)
    call fill_ghosts(m, v)
    do j = 1, m%ny
      do i = 1, m%nx
        rate = u(i, j) * v(i, j) * v(i, j)
        lapu = u(i + 1, j) + u(i - 1, j) + u(i, j + 1) + u(i, j - 1) - 4.0_dp * u(i, j)
        lapv = v(i + 1, j) + v(i - 1, j) + v(i, j + 1) + v(i, j - 1) - 4.0_dp * v(i, j)
        unew(i, j) = u(i, j) + m%dt * (m%du * lapu - rate + m%feed * (1.0_dp - u(i, j)))
        vnew(i, j) = v(i, j) + m%dt * (m%dv * lapv + rate - (m%feed + m%kill) * v(i, j))
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
  allocate (u(0:m%nx + 1, 0:m%ny + 1), v(0:m%nx + 1, 0:m%ny + 1))
  allocate (unew(0:m%nx + 1, 0:m%ny + 1), vnew(0:m%nx + 1, 0:m%ny + 1))
  call seed(m, u, v)

  do step = 1, steps, 2
    call advance(m, u, v, unew, vnew)
    call advance(m, unew, vnew, u, v)
    if (mod(step + 1, 250) == 0) then
      print '(a,i6,a,f18.9,a,f18.9,a,i7)', 'step', step + 1, '  u', sum(u(1:m%nx, 1:m%ny)), &
        '  v', sum(v(1:m%nx, 1:m%ny)), &
        '  spotted', count(v(1:m%nx, 1:m%ny) > 0.2_dp)
    end if
  end do
  print '(a,3f14.10)', 'corners ', u(1, 1), u(m%nx, 1), u(m%nx, m%ny)
  print '(a,2f14.10)', 'extremes', minval(u(1:m%nx, 1:m%ny)), maxval(v(1:m%nx, 1:m%ny))
end program patterns
