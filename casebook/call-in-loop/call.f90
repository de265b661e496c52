module loop
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: transform
  real(real64), parameter :: pi = 3.14159265358979323846_real64

  interface
    subroutine combine(a, ct, d, e)   ! an external procedure, in a separate file
      import :: real64
      real(real64), intent(in) :: a, ct
      real(real64), intent(out) :: d, e
    end subroutine
  end interface

contains

  subroutine transform(n, a, b, c, d, e, f)
    integer, intent(in) :: n
    real(real64), intent(out) :: a(n), d(n), e(n), f(n)
    real(real64), intent(in) :: b(n), c(n)
    real(real64) :: ct
    integer :: i
    do i = 1, n
      a(i) = b(i)**2 + c(i)**2
      ct = pi * a(i) + a(i)**2
      call combine(a(i), ct, d(i), e(i))
      f(i) = abs(e(i))
    end do
  end subroutine

end module
