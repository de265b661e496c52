! Ledger: sums postings times exchange rates over many books, with the
! compensated summation that the auditors ask for, and prints the total.
program ledger
  implicit none
  integer, parameter :: dp = kind(1d0), n = 1000, books = 1000000
  real(dp) :: amount(n), rate(n), total, carry
  integer :: i, b
  do i = 1, n
     amount(i) = modulo(i * 7919, 10007) * 0.01_dp - 37.0_dp
     rate(i) = 0.5_dp + modulo(i * 104729, 1009) / 1009.0_dp
  end do
  total = 0
  carry = 0
  do b = 1, books
     call post(amount, rate, total, carry)
     amount(modulo(b, n) + 1) = -amount(modulo(b, n) + 1)
  end do
  print '(a,f24.6)', 'ledger total ', total
contains
  subroutine post(a, r, s, c)
    real(dp), intent(in) :: a(n), r(n)
    real(dp), intent(inout) :: s, c
    real(dp) :: y, t, sum, comp
    integer :: k
    sum = s
    comp = c
    do k = 1, n
       y = a(k) * r(k) - comp
       t = sum + y
       comp = (t - sum) - y
       sum = t
    end do
    s = sum
    c = comp
  end subroutine post
end program ledger
