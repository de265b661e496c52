! Geometric ranges from a receiver to the epochs of a satellite orbit.
program gnss
  implicit none
  integer, parameter :: n = 700
  integer, parameter :: fixes = 6500000
  real(8) :: x(n), y(n), z(n), r(n), acc
  integer :: i, t
  do i = 1, n
     x(i) = 26560.0d0*cos(0.01d0*i)
     y(i) = 26560.0d0*sin(0.01d0*i)
     z(i) = 500.0d0*sin(0.003d0*i)
  end do
  acc = 0.0d0
  do t = 1, fixes
     call ranges(x, y, z, 6371.0d0 + 1.0d-4*mod(t, 13), 12.5d0, r)
     acc = acc + r(mod(t, n) + 1)
  end do
  print '(a,es20.12)', 'gnss ', acc
contains
  subroutine ranges(a, b, c, ra, rb, d)
    real(8), intent(in) :: a(n), b(n), c(n), ra, rb
    real(8), intent(out) :: d(n)
    integer :: k
    do k = 1, n
       d(k) = sqrt((a(k) - ra)**2 + (b(k) - rb)**2 + c(k)**2)
    end do
  end subroutine ranges
end program gnss
