! PROGRAM compilers=gfortran
!
! The same questions in Fortran: arrays with descriptors, array expressions, allocatable components.

module kernels
  implicit none
  integer, parameter :: dp = kind(1.d0)
  type grid
    integer :: n
    real(dp), allocatable :: u(:,:), v(:,:), k(:,:)
  end type
  type cell
    real(dp) :: mass, x(3)
    integer :: kind
  end type
contains
  subroutine heat(g, dt)
    type(grid), intent(inout) :: g
    real(dp), intent(in) :: dt
    integer :: i, j
    do i = 2, g%n - 1      ! LOOP name=heat_i class=nest-outer parallel=yes
      do j = 2, g%n - 1    ! LOOP name=heat_j class=strided parallel=yes
        g%v(i,j) = g%u(i,j) + dt * g%k(i,j) * (g%u(i-1,j) + g%u(i+1,j) + g%u(i,j-1) + g%u(i,j+1) - 4 * g%u(i,j))
      end do
    end do
  end subroutine
  subroutine assumed_shape(a, b, f)
    real(dp), intent(inout) :: a(:)
    real(dp), intent(in) :: b(:), f
    integer :: i
    do i = 1, size(a)      ! LOOP name=assumed_shape class=fp-map parallel=yes
      a(i) = a(i) + f * b(i)
    end do
  end subroutine
  subroutine pointers(a, b)
    real(dp), pointer, intent(in) :: a(:), b(:)
    integer :: i
    do i = 1, size(a)      ! LOOP name=pointers class=fp-map parallel=yes
      a(i) = b(i) * 2
    end do
  end subroutine
  subroutine recurrence(a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n), b(n)
    integer :: i
    do i = 2, n            ! LOOP name=recurrence class=recurrence parallel=no
      b(i) = b(i) - a(i) * b(i-1)
    end do
  end subroutine
  subroutine conditional_recurrence(a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n), b(n)
    integer :: i
    do i = 2, n            ! LOOP name=conditional_recurrence class=recurrence parallel=no
      b(i) = b(i) - a(i) * b(i-1)
      if (b(i) > 1.d0) b(i) = exp(-b(i))
    end do
  end subroutine
  subroutine thomas(a, b, c, d, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n), b(n), c(n), d(n)
    real(dp) :: w
    integer :: i
    do i = 2, n            ! LOOP name=thomas_forward class=recurrence parallel=no
      w = a(i) / b(i-1)
      b(i) = b(i) - w * c(i-1)
      d(i) = d(i) - w * d(i-1)
    end do
    do i = n - 1, 1, -1    ! LOOP name=thomas_backward class=recurrence parallel=no
      d(i) = (d(i) - c(i) * d(i+1)) / b(i)
    end do
  end subroutine
  subroutine product(c, a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: c(n,n)
    real(dp), intent(in) :: a(n,n), b(n,n)
    integer :: i, j, k
    do j = 1, n            ! LOOP name=product_j class=nest-outer parallel=yes
      do k = 1, n          ! LOOP name=product_k class=nest-outer parallel=not-independent
        do i = 1, n        ! LOOP name=product_i class=fp-map parallel=yes
          c(i,j) = c(i,j) + a(i,k) * b(k,j)
        end do
      end do
    end do
  end subroutine
  function total(a, n) result(s)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n)
    real(dp) :: s
    integer :: i
    s = 0
    do i = 1, n            ! LOOP name=total class=fp-reduction parallel=clauses
      s = s + a(i)
    end do
  end function
  function largest(a, n) result(m)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n)
    real(dp) :: m
    integer :: i
    m = a(1)
    do i = 2, n            ! LOOP name=largest class=fp-minmax parallel=clauses
      if (a(i) > m) m = a(i)
    end do
  end function
  function largest_at(a, n) result(at)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n)
    integer :: at, i
    at = 1
    do i = 2, n            ! LOOP name=largest_at class=argmax parallel=not-independent
      if (a(i) > a(at)) at = i
    end do
  end function
  function position(a, n, key) result(at)
    integer, intent(in) :: n, key, a(n)
    integer :: at, i
    at = 0
    do i = 1, n            ! LOOP name=position class=search parallel=no
      if (a(i) == key) then
        at = i
        exit
      end if
    end do
  end function
  subroutine until(a, b, n, limit)
    integer, intent(in) :: n
    real(dp), intent(in) :: limit, b(n)
    real(dp), intent(inout) :: a(n)
    integer :: i
    do i = 1, n            ! LOOP name=until class=search parallel=no
      a(i) = a(i) + b(i)
      if (b(i) > limit) exit
    end do
  end subroutine
  function bisection(low, high) result(m)
    real(dp), intent(in) :: low, high
    real(dp) :: a, b, m
    a = low
    b = high
    do while (b - a > 1.d-13) ! LOOP name=bisection class=recurrence parallel=no
      m = (a + b) / 2
      if (m * m * m - 2 > 0) then
        b = m
      else
        a = m
      end if
    end do
    m = (a + b) / 2
  end function
  subroutine wrapped(a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    real(dp) :: before
    integer :: i
    before = b(n)
    do i = 1, n            ! LOOP name=wrapped class=recurrence parallel=no
      a(i) = (b(i) + before) / 2
      before = b(i)
    end do
  end subroutine
  subroutine packed(a, b, n, m)
    integer, intent(in) :: n
    integer, intent(out) :: m
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    integer :: i
    m = 0
    do i = 1, n            ! LOOP name=packed class=recurrence parallel=no
      if (b(i) > 1) then
        m = m + 1
        a(m) = b(i)
      end if
    end do
  end subroutine
  subroutine scattered(a, b, at, n)
    integer, intent(in) :: n, at(n)
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    integer :: i
    do i = 1, n            ! LOOP name=scattered class=scatter parallel=yes
      a(at(i)) = a(at(i)) + b(i)
    end do
  end subroutine
  subroutine collided(a, b, at, n)
    integer, intent(in) :: n, at(n)
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    integer :: i
    do i = 1, n            ! LOOP name=collided class=histogram parallel=no length=none
      a(at(i)) = a(at(i)) * 0.5_dp + b(i)
    end do
  end subroutine
  subroutine cells(c, n, dt)
    integer, intent(in) :: n
    type(cell), intent(inout) :: c(n)
    real(dp), intent(in) :: dt
    integer :: i
    do i = 1, n            ! LOOP name=cells class=strided parallel=yes
      c(i)%x(1) = c(i)%x(1) + dt * c(i)%x(2)
      if (c(i)%kind == 2) c(i)%mass = c(i)%mass * 0.5_dp
    end do
  end subroutine
  subroutine columns_smoothed(a, n, m)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: a(n,m)
    integer :: i, j
    do j = 1, m            ! LOOP name=columns_smoothed_j class=nest-outer parallel=yes
      do i = 2, n          ! LOOP name=columns_smoothed_i class=recurrence parallel=no
        a(i,j) = a(i,j) + 0.5_dp * a(i-1,j)
      end do
    end do
  end subroutine
  subroutine rows_of_work(out, a, n, m)
    integer, intent(in) :: n, m
    real(dp), intent(inout) :: out(m)
    real(dp), intent(in) :: a(n,m)
    real(dp) :: work(n)
    integer :: i, j
    do j = 1, m            ! LOOP name=rows_of_work class=nest-outer parallel=clauses
      do i = 1, n          ! LOOP name=rows_of_work_filled class=fp-map parallel=yes
        work(i) = a(i,j) * a(1,j)
      end do
      out(j) = 0
      do i = 1, n          ! LOOP name=rows_of_work_summed class=fp-reduction parallel=clauses
        out(j) = out(j) + work(i) * work(n + 1 - i)
      end do
    end do
  end subroutine
  subroutine sections(a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(:,:)
    real(dp), intent(in) :: b(:,:)
    integer :: j
    do j = 1, n            ! LOOP name=sections class=nest-outer parallel=yes
      a(:,j) = b(j,:) * 2 + a(:,j)
    end do
  end subroutine
  subroutine many(o, a, b, c, d, e, f, g)
    real(dp), intent(inout) :: o(:,:)
    real(dp), intent(in) :: a(:,:), b(:,:), c(:,:), d(:,:), e(:,:), f(:,:), g(:,:)
    integer :: i, j
    do j = 2, size(o, 2) - 1   ! LOOP name=many_j class=nest-outer parallel=yes
      do i = 2, size(o, 1) - 1 ! LOOP name=many_i class=fp-map parallel=yes
        o(i,j) = a(i-1,j) * b(i,j) + c(i,j+1) * d(i,j) + e(i+1,j) * f(i,j-1) + g(i,j)
      end do
    end do
  end subroutine
  subroutine swept(u, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: u(n,n)
    integer :: i, j
    do j = 2, n            ! LOOP name=swept_j class=nest-outer parallel=no
      do i = 2, n          ! LOOP name=swept_i class=recurrence parallel=no
        u(i,j) = 0.5_dp * (u(i-1,j) + u(i,j-1))
      end do
    end do
  end subroutine
  subroutine lagged(x, n, lag)
    integer, intent(in) :: n, lag
    real(dp), intent(inout) :: x(n)
    integer :: i
    do i = lag + 1, n      ! LOOP name=lagged class=recurrence parallel=no length=none
      x(i) = x(i-lag) * 0.5_dp + 1
    end do
  end subroutine
  subroutine merged(a, b, mask, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    logical, intent(in) :: mask(n)
    integer :: i
    do i = 1, n            ! LOOP name=merged class=conditional-store parallel=yes
      if (mask(i)) then
        a(i) = b(i) * 2
      else
        a(i) = -b(i)
      end if
    end do
  end subroutine
end module

program main
  use kernels
  integer, parameter :: n = 203, m = 37
  integer, volatile :: lag
  integer :: round, i, k, at(n), twice(n), numbers(n)
  real(dp), allocatable, target :: a(:), b(:), c(:), d(:), p(:,:), q(:,:), r(:,:), y(:)
  real(dp), pointer :: pa(:), pb(:)
  logical :: mask(n)
  type(grid) :: g
  type(cell) :: cs(n)
  real(dp) :: s
  allocate(a(n), b(n), c(n), d(n), p(m,m), q(m,m), r(m,m), y(m))
  g%n = m
  allocate(g%u(m,m), g%v(m,m), g%k(m,m))
  do i = 1, n
    at(i) = mod(i * 37, n) + 1
    twice(i) = mod(i * 17, n / 2) + 1
    numbers(i) = i
    mask(i) = mod(i, 3) == 0
    a(i) = mod(i * 37, 101) / 64.d0
    b(i) = mod(i * 31, 101) / 64.d0 + 1
    cs(i) = cell(1.d0, [1.d0, 2.d0, 3.d0], mod(i, 3))
  end do
  c = a + 1
  d = b
  do i = 1, m
    p(:,i) = a(i:i+m-1)
  end do
  q = p + 1
  r = q
  g%u = p
  g%v = 0
  g%k = q
  s = 0
  do round = 1, 2
    call heat(g, 0.1d0)
    call assumed_shape(a, b, 0.5d0)
    pa => a
    pb => b
    call pointers(pa, pb)
    call recurrence(a, b, n)
    call conditional_recurrence(a, b, n)
    b = a + 2
    call thomas(c, b, a, d, n)
    call product(r, p, q, m)
    s = s + total(a, n) + largest(a, n) + largest_at(a, n) + position(numbers, n, n - 2) + bisection(0.d0, 2.d0)
    call until(a, b, n, 1.d9)
    call wrapped(a, b, n)
    call packed(a, b, n, k)
    call scattered(a, b, at, n)
    call collided(a, b, twice, n)
    call cells(cs, n, 0.1d0)
    call columns_smoothed(p, m, m)
    call rows_of_work(y, q, m, m)
    call sections(p, q, m)
    call many(r, p, q, p, q, p, q, p)
    call swept(q, m)
    lag = 2 + round
    k = lag
    call lagged(d, n, k)
    call merged(a, b, mask, n)
  end do
  print '(3f18.6,i6)', s, sum(g%v) + sum(r) + sum(q) + sum(y), sum(a) + sum(d), k
end program
