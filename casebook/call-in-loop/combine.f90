! In a file of its own: whoever compiles the loop does not see what happens here.
subroutine combine(a, ct, d, e)
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), intent(in) :: a, ct
  real(real64), intent(out) :: d, e
  e = a**2 + abs(a + ct) * (ct * abs(a - ct))
  d = a + ct
end subroutine
