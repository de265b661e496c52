! f(i) = a(i) + 1/2, d(i,j) = b(j) f(i), c(k,i,j) = d(i,j) e(k).
module loops
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: products

contains

  ! All in one nest: the loops of ten and five iterations are inside, the long one outside.
  subroutine products(n, m, l, a, b, e, f, d, c)
    integer, intent(in) :: n, m, l
    real(real64), intent(in) :: a(n), b(m), e(l)
    real(real64), intent(out) :: f(n), d(n, m), c(l, n, m)
    integer :: i, j, k
    do i = 1, n
      f(i) = a(i) + 0.5_real64
      do j = 1, m
        d(i, j) = b(j) * f(i)
        do k = 1, l
          c(k, i, j) = d(i, j) * e(k)
        end do
      end do
    end do
  end subroutine

end module
