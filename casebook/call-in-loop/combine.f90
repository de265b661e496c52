! In a separate file: the compiler of the loop does not see this code.
subroutine combine(a, ct, d, e)
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), intent(in) :: a, ct
  real(real64), intent(out) :: d, e
  e = a**2 + abs(a + ct) * (ct * abs(a - ct))
  d = a + ct
end subroutine
