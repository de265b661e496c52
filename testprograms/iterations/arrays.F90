! Loops of many shapes in Fortran, for holding iterations as written against the truth.
!
! `IT` marks the loop that begins on its line: built with -DTRUTH it counts the iterations that the source does, and the program
! prints `line iterations` for each marked line. Array expressions have no place for it: a comment `N=` gives the iterations of all runs.
#ifdef TRUTH
#define IT ; call note(__LINE__)
#else
#define IT
#endif
module truth
  implicit none
  integer(8) :: counted(1000) = 0
contains
  subroutine note(line)
    integer, intent(in) :: line
    counted(line) = counted(line) + 1
  end subroutine
end module

module loops
  use truth
  implicit none
  integer, parameter :: dp = kind(1d0)
contains
  function total(a, n) result(s)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n)
    real(dp) :: s
    integer :: i
    s = 0
    do i = 1, n IT
      s = s + a(i)
    end do
  end function
  function dot(a, b, n) result(s)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n), b(n)
    real(dp) :: s
    integer :: i
    s = 0
    do i = 1, n IT
      s = s + a(i) * b(i)
    end do
  end function
  function integers(a, n) result(s)
    integer, intent(in) :: n, a(n)
    integer :: s, i
    s = 0
    do i = 1, n IT
      s = s + a(i)
    end do
  end function
  function largest(a, n) result(s)
    integer, intent(in) :: n
    real, intent(in) :: a(n)
    real :: s
    integer :: i
    s = a(1)
    do i = 2, n IT
      if (a(i) > s) s = a(i)
    end do
  end function
  subroutine axpy(y, x, a, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n), a
    real(dp), intent(inout) :: y(n)
    integer :: i
    do i = 1, n IT
      y(i) = y(i) + a * x(i)
    end do
  end subroutine
  subroutine axpy_constant(y, x, a)
    real(dp), intent(in) :: x(1000), a
    real(dp), intent(inout) :: y(1000)
    integer :: i
    do i = 1, 1000 IT
      y(i) = y(i) + a * x(i)
    end do
  end subroutine
  subroutine axpy_single(y, x, a)
    real, intent(in) :: x(1001), a
    real, intent(inout) :: y(1001)
    integer :: i
    do i = 1, 1001 IT
      y(i) = y(i) + a * x(i)
    end do
  end subroutine
  subroutine assumed_shape(y, x)
    real(dp), intent(in) :: x(:)
    real(dp), intent(inout) :: y(:)
    integer :: i
    do i = 1, size(y) IT
      y(i) = y(i) * 2 + x(i)
    end do
  end subroutine
  subroutine fill(y, v, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: v
    real(dp), intent(out) :: y(n)
    integer :: i
    do i = 1, n IT
      y(i) = v
    end do
  end subroutine
  subroutine fill_constant(y, v)
    real, intent(in) :: v
    real, intent(out) :: y(960)
    integer :: i
    do i = 1, 960 IT
      y(i) = v
    end do
  end subroutine
  subroutine copy(y, x, n)
    integer, intent(in) :: n
    integer, intent(in) :: x(n)
    integer, intent(out) :: y(n)
    integer :: i
    do i = 1, n IT
      y(i) = x(i)
    end do
  end subroutine
  subroutine strided(y, x, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(3, n)
    real(dp), intent(out) :: y(n)
    integer :: i
    do i = 1, n IT
      y(i) = x(1, i) * x(2, i)
    end do
  end subroutine
  subroutine step_two(y, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: y(n)
    integer :: i
    do i = 1, n, 2 IT
      y(i) = y(i) * 1.5d0
    end do
  end subroutine
  subroutine downward(y, n)
    integer, intent(in) :: n
    real, intent(inout) :: y(n)
    integer :: i
    do i = n, 1, -1 IT
      y(i) = y(i) + 1
    end do
  end subroutine
  subroutine gather(y, x, ip, n)
    integer, intent(in) :: n, ip(n)
    real(dp), intent(in) :: x(*)
    real(dp), intent(out) :: y(n)
    integer :: i
    do i = 1, n IT
      y(i) = x(ip(i)) * 2
    end do
  end subroutine
  subroutine scatter(y, x, ip, n)
    integer, intent(in) :: n, ip(n)
    real, intent(in) :: x(n)
    real, intent(inout) :: y(*)
    integer :: i
    do i = 1, n IT
      y(ip(i)) = x(i)
    end do
  end subroutine
  subroutine jacobi(b, a)
    real(dp), intent(in) :: a(400)
    real(dp), intent(out) :: b(400)
    integer :: i
    do i = 2, 399 IT
      b(i) = (a(i - 1) + a(i) + a(i + 1)) * 0.3333d0
    end do
  end subroutine
  subroutine recurrence(a, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    integer :: i
    do i = 2, n IT
      a(i) = a(i) + a(i - 1) * 0.5d0
    end do
  end subroutine
  subroutine mixed(d, f, k, n)
    integer, intent(in) :: n, k(n)
    real, intent(in) :: f(n)
    real(dp), intent(inout) :: d(n)
    integer :: i
    do i = 1, n IT
      d(i) = d(i) * f(i) + k(i)
    end do
  end subroutine
  subroutine conditional(a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    integer :: i
    do i = 1, n IT
      if (b(i) > 0.5d0) then
        a(i) = a(i) + b(i)
      end if
    end do
  end subroutine
  function search(a, x, n) result(at)
    integer, intent(in) :: n, a(n), x
    integer :: at, i
    at = 0
    do i = 1, n IT
      if (a(i) == x) then
        at = i
        exit
      end if
    end do
  end function
  subroutine complex_scale(z, a, n)
    integer, intent(in) :: n
    complex(dp), intent(inout) :: z(n)
    real(dp), intent(in) :: a
    integer :: i
    do i = 1, n IT
      z(i) = z(i) * a
    end do
  end subroutine
  function complex_sum(z) result(s)
    complex(dp), intent(in) :: z(400)
    complex(dp) :: s
    integer :: i
    s = 0
    do i = 1, 400 IT
      s = s + z(i)
    end do
  end function
  subroutine complex_product(z, w)
    complex, intent(inout) :: z(400)
    complex, intent(in) :: w(400)
    integer :: i
    do i = 1, 400 IT
      z(i) = z(i) * w(i)
    end do
  end subroutine
  subroutine matrix_vector(y, a, x, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n, n), x(n)
    real(dp), intent(inout) :: y(n)
    integer :: i, j
    do j = 1, n IT
      do i = 1, n IT
        y(i) = y(i) + a(i, j) * x(j)
      end do
    end do
  end subroutine
  subroutine product3(c, a, b)
    real(dp), intent(in) :: a(40, 40), b(40, 40)
    real(dp), intent(inout) :: c(40, 40)
    integer :: i, j, k
    do i = 1, 40 IT
      do j = 1, 40 IT
        do k = 1, 40 IT
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine
  subroutine heat(b, a, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n, n)
    real(dp), intent(inout) :: b(n, n)
    integer :: i, j
    do j = 2, n - 1 IT
      do i = 2, n - 1 IT
        b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
  end subroutine
  subroutine wrong_order(b, a, n)
    integer, intent(in) :: n
    real(dp), intent(in) :: a(n, n)
    real(dp), intent(inout) :: b(n, n)
    integer :: i, j
    do i = 1, n IT
      do j = 1, n IT
        b(i, j) = a(i, j) * 2
      end do
    end do
  end subroutine
  subroutine short_inner(a, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(3, n)
    integer :: i, k
    do i = 1, n IT
      do k = 1, 3 IT
        a(k, i) = a(k, i) * 2
      end do
    end do
  end subroutine
  subroutine long_inner(a, x, n)
    integer, intent(in) :: n
    real, intent(inout) :: a(8, n)
    real, intent(in) :: x(8)
    integer :: i, k
    do i = 1, n IT
      do k = 1, 8 IT
        a(k, i) = a(k, i) + x(k)
      end do
    end do
  end subroutine
  subroutine two_statements(a, b, c, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n), b(n)
    real(dp), intent(in) :: c(n)
    integer :: i
    do i = 1, n IT
      a(i) = c(i) * 2
      b(i) = b(i) + a(i)
    end do
  end subroutine
  subroutine expression(a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n)
    real(dp), intent(in) :: b(n)
    a = a + b * 2 !N=2040
  end subroutine
  subroutine expression2(a, b, n)
    integer, intent(in) :: n
    real(dp), intent(inout) :: a(n, n)
    real(dp), intent(in) :: b(n, n)
    a(:, 2) = b(:, 3) * a(:, 1) !N=123
  end subroutine
  function loop_while(x, n) result(k)
    real(dp), intent(in) :: x
    integer, intent(in) :: n
    real(dp) :: y
    integer :: k
    y = x
    k = 0
    do while (k < n) IT
      y = y * 0.5d0 + 1
      k = k + 1
    end do
    if (y < 0) k = 0
  end function
end module

program main
  use loops
  implicit none
  real(dp) :: a(2000), b(2000), c(2000), m(48, 48), p(48, 48), q(48, 48), s
  real :: f(2000), g(2000)
  integer :: k(2000), l(2000), i, r, n
  complex(dp) :: z(1100)
  complex :: w(400), v(400)
  do i = 1, 2000
    a(i) = mod(i * 7, 11) * 0.1d0
    b(i) = a(i)
    c(i) = a(i)
    f(i) = real(a(i))
    g(i) = f(i)
    k(i) = mod(i * 7, 999) + 1
    l(i) = k(i)
  end do
  m = 1
  p = 2
  q = 3
  z = (1, 2)
  w = (1, 0.5)
  v = (0.5, 1)
  s = 0
  do r = 1, 3
    n = 1003
    if (r == 2) n = 1000
    if (r == 3) n = 37
    s = s + total(a, n) + dot(a, b, n) + integers(k, n) + largest(f, n)
    call axpy(b, a, 0.5d0, n)
    call axpy_constant(b, a, 0.5d0)
    call axpy_single(g, f, 0.5)
    call assumed_shape(b(1:n), a(1:n))
    call assumed_shape(b(1:2*n-1:2), a(1:n))
    call fill(c, s, n)
    call fill_constant(g, 2.5)
    call copy(l, k, n)
    call strided(c, a, n / 2)
    call step_two(b, n)
    call downward(g, n)
    call gather(c, a, k, n)
    call scatter(g, f, k, n)
    call jacobi(c, a)
    call recurrence(c, n)
    call mixed(c, f, k, n)
    call conditional(c, a, n)
    l(n - 5) = 55555
    s = s + search(l, 55555, n)
    l(n - 5) = 1
    call complex_scale(z, 0.5d0, n)
    s = s + real(complex_sum(z))
    call complex_product(w, v)
    call matrix_vector(c, reshape(m, [2304]), a, 41)
    call product3(p(1:40, 1:40), m(1:40, 1:40), q(1:40, 1:40))
    call heat(q, m, 48)
    call wrong_order(q, m, 48)
    call short_inner(b, n / 2)
    call long_inner(g, f, n / 8)
    call two_statements(a, b, c, n)
    call expression(b, a, n)
    call expression2(m(1:41, 1:41), p(1:41, 1:41), 41)
    s = s + loop_while(s, n)
  end do
#ifdef TRUTH
  do i = 1, 1000
    if (counted(i) > 0) print '(i0,1x,i0)', i, counted(i)
  end do
#endif
  if (s == 0.12345d0) print *, s, b(3), c(3), g(3)
end program
