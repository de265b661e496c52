! Molecular dynamics bookkeeping: adds the energies of all particles with
! compensation so that drift over many steps stays visible.
program energysum
  implicit none
  integer, parameter :: n = 2048, steps = 520000
  real(8) :: e(n), total, comp, drift
  integer :: i, s
  do i = 1, n
    e(i) = 1.0d0 / (3.0d0 + mod(i * 37, 211)) - 0.01d0
  end do
  drift = 0.0d0
  do s = 1, steps
    e(mod(s, n) + 1) = e(mod(s, n) + 1) + 1.0d-9
    call tally(e, total, comp)
    drift = drift + total * 1.0d-6
  end do
  print '(a,f20.10)', 'energysum ', drift
contains
  subroutine tally(a, sum, c)
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: sum, c
    real(8) :: y, t
    integer :: k
    sum = 0.0d0
    c = 0.0d0
    do k = 1, n
      y = a(k) - c
      t = sum + y
      c = (t - sum) - y
      sum = t
    end do
  end subroutine
end program
