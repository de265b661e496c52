! Terrain viewer: scales the surface normals of a height field to unit length
! before the light is computed.
program normals
  implicit none
  integer, parameter :: dp = kind(1d0), n = 256, frames = 3600000
  real(dp) :: x(n), y(n), z(n), nx(n), ny(n), nz(n), light
  integer :: i, f
  do i = 1, n
     x(i) = modulo(i * 31, 101) * 0.02_dp - 1
     y(i) = modulo(i * 17, 103) * 0.02_dp - 1
     z(i) = 1 + modulo(i, 7) * 0.1_dp
  end do
  light = 0
  do f = 1, frames
     call unit()
     i = modulo(f, n) + 1
     light = light + 0.6_dp * nx(i) + 0.48_dp * ny(i) + 0.64_dp * nz(i)
     x(i) = -x(i)
  end do
  print '(a,f20.8)', 'light ', light
contains
  subroutine unit()
    real(dp) :: length
    integer :: k
    do k = 1, n
       length = sqrt(x(k)**2 + y(k)**2 + z(k)**2)
       nx(k) = x(k) / length
       ny(k) = y(k) / length
       nz(k) = z(k) / length
    end do
  end subroutine unit
end program normals
