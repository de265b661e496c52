! Time stepping of a spatially resolved chemistry field: the rates are
! added to the concentrations, step by step with a varying step size.
program relax
  implicit none
  integer, parameter :: n = 1000000, steps = 14000
  real, allocatable :: conc(:), rate(:)
  real :: dt
  integer :: i, k
  allocate(conc(n), rate(n))
  do i = 1, n
     conc(i) = 1.0
     rate(i) = real(mod(i, 97)) * 1e-3
  end do
  do k = 1, steps
     dt = 1e-3 * real(mod(k, 7))
     conc(mod(k, n) + 1) = 1.0
     do i = 1, n
        conc(i) = conc(i) + dt * rate(i)
     end do
  end do
  print '(f14.5)', sum(conc(1:n:1000))
end program relax
