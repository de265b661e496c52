! Calls the loops repeatedly, and prints sums of their arrays.
program driver
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use case_support
  use loops, only: products
  implicit none
  real(real64), allocatable :: a(:), b(:), e(:), f(:), d(:,:), c(:,:,:)
  real(real64) :: start, seconds, computed, weighted
  integer(int64) :: state
  integer :: n, m, l, passes, pass, i, j, k, p

  n = case_option('--n', 100)
  m = case_option('--m', 10)
  l = case_option('--l', 5)
  passes = case_option('--passes', 1)
  allocate (a(n), b(m), e(l), f(n), d(n, m), c(l, n, m))
  state = 1
  do i = 1, n
    a(i) = case_random(state)
  end do
  do j = 1, m
    b(j) = case_random(state)
  end do
  do k = 1, l
    e(k) = case_random(state)
  end do
  f = 0
  d = 0
  c = 0

  start = case_seconds()
  do pass = 0, passes - 1
    i = 1 + mod(pass, n)
    a(i) = a(i) + 2.0_real64**(-10)   ! so that every pass differs from the one before
    call products(n, m, l, a, b, e, f, d, c)
  end do
  seconds = case_seconds() - start

  weighted = 0
  p = 0
  do j = 1, m
    do i = 1, n
      do k = 1, l
        weighted = weighted + c(k, i, j) * mod(p, 101)
        p = p + 1
      end do
    end do
  end do
  computed = real(n, real64) + size(d) + size(c)
  call case_print('seconds', seconds)
  call case_print('flop', computed * passes)
  call case_print('bytes', 8 * (computed + n) * passes)
  call case_print('working_set', 8 * (computed + n))
  call case_print('sum_d', sum(d))
  call case_print('sum_c', sum(c))
  call case_print('weighted_c', weighted)
end program
