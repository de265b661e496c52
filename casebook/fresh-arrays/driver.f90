! Carries a tracer through a box with a steady wind and lets it diffuse, step by step, and checks that none of it is lost.
program driver
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use case_support
  use transport, only: step
  implicit none
  real(real64), allocatable :: tracer(:, :, :)
  real(real64) :: start, seconds, before, cells
  integer :: n, steps, i, j, k, at

  n = case_option('--n', 40)
  steps = case_option('--steps', 2)
  allocate (tracer(n, n, n))
  do k = 1, n
    do j = 1, n
      do i = 1, n
        tracer(i, j, k) = exp(-32.0_real64*(((i - 0.3_real64*n)/n)**2 + ((j - 0.4_real64*n)/n)**2 &
                                            + ((k - 0.5_real64*n)/n)**2))
      end do
    end do
  end do
  before = sum(tracer)

  start = case_seconds()
  do at = 1, steps
    call step(tracer, n)
  end do
  seconds = case_seconds() - start

  cells = real(n, real64)**3
  call case_print('seconds', seconds)
  call case_print('flop', 18.0_real64*cells*steps)
  call case_print('bytes', 2.0_real64*8.0_real64*cells*steps)
  call case_print('working_set', 4.0_real64*8.0_real64*cells)
  call case_print('lost', abs(sum(tracer) - before)/before)
  call case_print('largest', maxval(tracer))
  call case_print('middle', tracer(n/2, n/2, n/2))
end program
