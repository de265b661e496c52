! Electrical network: currents of the branches of many small meshes from
! voltages and resistances; each mesh has only a few branches.
program network
  implicit none
  integer, parameter :: nb = 12, nm = 64, sweeps = 5000000
  double precision :: v(nb, nm), r(nb, nm), cur(nb, nm), s
  integer :: i, m, k
  do m = 1, nm
     do i = 1, nb
        v(i, m) = 1.0d0 + 0.1d0 * i
        r(i, m) = 3.0d0 + 0.07d0 * m + 0.01d0 * i
     end do
  end do
  s = 0
  do k = 1, sweeps
     do m = 1, nm
        do i = 1, nb
           cur(i, m) = v(i, m) / r(i, m)
        end do
     end do
     s = s + cur(mod(k, nb) + 1, mod(k, nm) + 1)
     v(mod(k, nb) + 1, mod(k, nm) + 1) = s * 1d-6
  end do
  print '(f18.6)', s
end program network
