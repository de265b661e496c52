! Search-direction update of an iterative Stokes solver, repeated with the
! step lengths of successive iterations.
module iter
  implicit none
contains
  subroutine direction(p, r, beta, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: p(n)
    real(8), intent(in) :: r(n), beta
    integer :: i
    do i = 1, n
       p(i) = r(i) + beta*p(i)
    end do
  end subroutine direction
end module iter

program stokes
  use iter
  implicit none
  integer, parameter :: n = 440000
  integer, parameter :: its = 18000
  real(8), allocatable :: p(:), r(:)
  integer :: k
  allocate (p(n), r(n))
  do k = 1, n
     p(k) = 0.0d0
     r(k) = dble(mod(k, 97)) - 48.0d0
  end do
  do k = 1, its
     r(mod(k, n) + 1) = r(mod(k, n) + 1) + 1.0d0
     call direction(p, r, 0.3d0 + 0.1d0*dble(mod(k, 5)), n)
  end do
  print '(a,es20.12)', 'stokes ', sum(p)
end program stokes
