! f(i) = a(i) + 1/2, d(i,j) = b(j) f(i), c(k,i,j) = d(i,j) e(k).
module loops
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: products

contains

  ! A nest for each array, with the long loop inside.
  subroutine products(n, m, l, a, b, e, f, d, c)
    integer, intent(in) :: n, m, l
    real(real64), intent(in) :: a(n), b(m), e(l)
    real(real64), intent(out) :: f(n), d(n, m), c(l, n, m)
    integer :: i, j, k
    do i = 1, n
      f(i) = a(i) + 0.5_real64
    end do
    do j = 1, m
      do i = 1, n
        d(i, j) = b(j) * f(i)
      end do
    end do
    do j = 1, m
      do k = 1, l
        do i = 1, n
          c(k, i, j) = d(i, j) * e(k)
        end do
      end do
    end do
  end subroutine

end module
