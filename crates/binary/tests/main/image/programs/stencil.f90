! Modules and contained procedures.
module heat
  implicit none
contains
  subroutine step(u, v, n)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n, n)
    real(8), intent(out) :: v(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        v(i, j) = 0.25d0 * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1))
      end do
    end do
  end subroutine step
end module heat

program main
  use heat
  implicit none
  integer, parameter :: n = 32
  real(8) :: u(n, n), v(n, n)
  u = 1.0d0
  v = 0.0d0
  call step(u, v, n)
  print *, sum(v)
contains
  subroutine report(x)
    real(8), intent(in) :: x
    print *, x
  end subroutine report
end program main
