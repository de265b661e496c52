! Calls the loop repeatedly, and prints sums of its arrays.
program driver
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use case_support
  use loop, only: transform
  implicit none
  real(real64), allocatable :: a(:), b(:), c(:), d(:), e(:), f(:)
  real(real64) :: start, seconds
  integer(int64) :: state
  integer :: n, passes, pass, i

  n = case_option('--n', 500)
  passes = case_option('--passes', 1)
  allocate (a(n), b(n), c(n), d(n), e(n), f(n))
  state = 1
  do i = 1, n
    b(i) = case_random(state) - 0.5_real64
    c(i) = case_random(state) - 0.5_real64
  end do
  a = 0
  d = 0
  e = 0
  f = 0

  start = case_seconds()
  do pass = 0, passes - 1
    i = 1 + mod(pass, n)
    b(i) = b(i) + 2.0_real64**(-10)   ! so that every pass differs from the one before
    call transform(n, a, b, c, d, e, f)
  end do
  seconds = case_seconds() - start

  call case_print('seconds', seconds)
  call case_print('flop', 12.0_real64 * n * passes)
  call case_print('bytes', 6.0_real64 * 8.0_real64 * n * passes)
  call case_print('working_set', 6.0_real64 * 8.0_real64 * n)
  call case_print('sum_a', sum(a))
  call case_print('sum_d', sum(d))
  call case_print('sum_e', sum(e))
  call case_print('sum_f', sum(f))
end program
