! Advances the state of a relaxation model: every step adds a fraction of the
! forcing field to the state, for a coarse one-layer ocean.
program relax
  implicit none
  integer, parameter :: n = 32768, steps = 1200000
  real(4) :: state(n), forcing(n), f
  integer :: i, k
  do i = 1, n
    state(i) = real(mod(i, 17), 4)
    forcing(i) = real(mod(i * 7, 23), 4) - 11.0
  end do
  do k = 1, steps
    f = 1.0e-5 * real(mod(k, 3) - 1, 4)
    call advance(state, forcing, f, n)
    forcing(mod(k, n) + 1) = forcing(mod(k, n) + 1) + f * state(1)
  end do
  print '(es16.8)', sum(real(state, 8))
contains
  subroutine advance(s, g, w, m)
    integer, intent(in) :: m
    real(4), intent(inout) :: s(m)
    real(4), intent(in) :: g(m), w
    integer :: j
    do j = 1, m
      s(j) = s(j) + w * g(j)
    end do
  end subroutine
end program
