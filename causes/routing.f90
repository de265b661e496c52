! Circuit board: relaxes the node voltages of a small resistor network in
! which every node has four neighbours, listed by number.
program circuit
  implicit none
  integer, parameter :: dp = kind(1d0), n = 256, sweeps = 3000000
  real(dp) :: g(n, 4), self(n), u(n), v(n), check
  integer :: nb(n, 4), i, k, s
  do i = 1, n
     self(i) = 0.2_dp + 0.001_dp * modulo(i, 50)
     do k = 1, 4
        g(i, k) = (1 - self(i)) * 0.25_dp
        nb(i, k) = modulo(i * (2 * k + 1) + 37 * k, n) + 1
     end do
     u(i) = modulo(i * 31, 101) * 0.05_dp
  end do
  check = 0
  do s = 1, sweeps
     call relax(u, v)
     call relax(v, u)
     u(1) = 5
     u(modulo(s, n) + 1) = 0
     check = check + u(n / 2)
  end do
  print '(a,f20.8)', 'voltage check ', check
contains
  subroutine relax(a, b)
    real(dp), intent(in) :: a(n)
    real(dp), intent(out) :: b(n)
    integer :: j
    do j = 1, n
       b(j) = (self(j) * a(j) + g(j, 1) * a(nb(j, 1))) &
            + (g(j, 2) * a(nb(j, 2)) + g(j, 3) * a(nb(j, 3))) &
            + g(j, 4) * a(nb(j, 4))
    end do
  end subroutine relax
end program circuit
