! Seismic line: marches the wave equation along a very long profile with the
! leapfrog scheme and prints the shaking at one station.
program membrane
  implicit none
  integer, parameter :: dp = kind(1d0), n = 20000000, steps = 100
  real(dp), allocatable :: u(:, :)
  real(dp) :: shaking
  integer :: i, s
  allocate (u(n, 0:1))
  do i = 1, n
     u(i, :) = modulo(i, 1000) * 0.001_dp
  end do
  shaking = 0
  do s = 1, steps
     call march(n, u(1, modulo(s, 2)), u(1, modulo(s + 1, 2)))
     shaking = shaking + u(s * 1000, 0) + u(n - s * 3000, 1)
  end do
  print '(a,f20.10)', 'shaking ', shaking
contains
  subroutine march(m, now, old)
    integer, intent(in) :: m
    real(dp), intent(in) :: now(m)
    real(dp), intent(inout) :: old(m)
    real(dp), parameter :: c = 0.25_dp
    integer :: k
    do k = 2, m - 1
       old(k) = 2 * now(k) - old(k) + c * (now(k + 1) - 2 * now(k) + now(k - 1))
    end do
  end subroutine march
end program membrane
