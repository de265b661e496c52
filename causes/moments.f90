! Turbulence statistics: mixed moments of the three velocity components of
! a time series, for the anisotropy budget.
program moments
  implicit none
  integer, parameter :: n = 1024, rounds = 1200000
  double precision :: u(n), v(n), s1, s2, s3, s4, s5, s6, a, b, aa, bb, ab
  integer :: i, r
  do i = 1, n
     u(i) = sin(0.37d0 * i)
     v(i) = cos(0.61d0 * i)
  end do
  s1 = 0; s2 = 0; s3 = 0; s4 = 0; s5 = 0; s6 = 0
  do r = 1, rounds
     do i = 1, n
        a = u(i)
        b = v(i)
        aa = a * a
        bb = b * b
        ab = a * b
        s1 = s1 + aa * ab
        s2 = s2 + bb * ab
        s3 = s3 + aa * bb
        s4 = s4 + (aa * aa) * b
        s5 = s5 + (bb * bb) * a
        s6 = s6 + (aa * bb) * ab
     end do
     u(mod(r, n) + 1) = u(mod(r, n) + 1) * 0.999999d0
  end do
  print '(6(es13.5))', s1, s2, s3, s4, s5, s6
end program moments
