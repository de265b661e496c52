! f(i) = a(i) + 1/2, d(i,j) = b(j) f(i), c(k,i,j) = d(i,j) e(k).
module loops
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: products
  integer, parameter :: known_m = 10, known_l = 5

contains

  ! The usual trip counts are constants in a special version; other calls use the general one.
  subroutine products(n, m, l, a, b, e, f, d, c)
    integer, intent(in) :: n, m, l
    real(real64), intent(in) :: a(n), b(m), e(l)
    real(real64), intent(out) :: f(n), d(n, m), c(l, n, m)
    if (m == known_m .and. l == known_l) then
      call constant_nest(n, a, b, e, f, d, c)
    else
      call nest(n, m, l, a, b, e, f, d, c)
    end if
  end subroutine

  pure subroutine constant_nest(n, a, b, e, f, d, c)
    integer, intent(in) :: n
    real(real64), intent(in) :: a(n), b(known_m), e(known_l)
    real(real64), intent(out) :: f(n), d(n, known_m), c(known_l, n, known_m)
    integer :: i, j, k
    do i = 1, n
      f(i) = a(i) + 0.5_real64
      do j = 1, known_m
        d(i, j) = b(j) * f(i)
        do k = 1, known_l
          c(k, i, j) = d(i, j) * e(k)
        end do
      end do
    end do
  end subroutine

  pure subroutine nest(n, m, l, a, b, e, f, d, c)
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
