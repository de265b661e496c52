! Molecular dynamics of 864 Lennard-Jones atoms in a periodic box (reduced units).
module lj
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: ncell = 6, n = 4*ncell**3
  real(dp), parameter :: density = 0.8442_dp, rcut = 2.5_dp, dt = 0.004_dp
  real(dp) :: box
  real(dp) :: r(n,3), v(n,3), f(n,3)
contains
  subroutine lattice()
    real(dp) :: a, base(3,4)
    integer :: i, j, k, m, b
    integer(8) :: seed
    box = (n/density)**(1.0_dp/3)
    a = box/ncell
    base = reshape([0.0_dp,0.0_dp,0.0_dp, 0.5_dp,0.5_dp,0.0_dp, 0.5_dp,0.0_dp,0.5_dp, 0.0_dp,0.5_dp,0.5_dp], [3,4])
    m = 0
    do i = 0, ncell-1
      do j = 0, ncell-1
        do k = 0, ncell-1
          do b = 1, 4
            m = m + 1
            r(m,:) = a*([i,j,k] + base(:,b) + 0.25_dp)
          end do
        end do
      end do
    end do
    seed = 20011
    do k = 1, 3
      do i = 1, n
        seed = mod(seed*1103515245_8 + 12345_8, 2147483648_8)
        v(i,k) = 2.5_dp*(real(seed,dp)/2147483648.0_dp - 0.5_dp)
      end do
      v(:,k) = v(:,k) - sum(v(:,k))/n
    end do
  end subroutine

  subroutine forces(epot, virial)
    real(dp), intent(out) :: epot, virial
    real(dp) :: dx, dy, dz, r2, i2, i6, ff, fxi, fyi, fzi
    integer :: i, j
    f = 0
    epot = 0
    virial = 0
    do i = 1, n-1
      fxi = 0; fyi = 0; fzi = 0
      do j = i+1, n
        dx = r(i,1) - r(j,1)
        dy = r(i,2) - r(j,2)
        dz = r(i,3) - r(j,3)
        dx = dx - box*anint(dx/box)
        dy = dy - box*anint(dy/box)
        dz = dz - box*anint(dz/box)
        r2 = dx*dx + dy*dy + dz*dz
        if (r2 < rcut*rcut) then
          i2 = 1/r2
          i6 = i2*i2*i2
          ff = 48*i2*i6*(i6 - 0.5_dp)
          epot = epot + 4*i6*(i6 - 1)
          virial = virial + ff*r2
          fxi = fxi + ff*dx
          fyi = fyi + ff*dy
          fzi = fzi + ff*dz
          f(j,1) = f(j,1) - ff*dx
          f(j,2) = f(j,2) - ff*dy
          f(j,3) = f(j,3) - ff*dz
        end if
      end do
      f(i,1) = f(i,1) + fxi
      f(i,2) = f(i,2) + fyi
      f(i,3) = f(i,3) + fzi
    end do
  end subroutine
end module

program argon
  use lj
  implicit none
  integer :: step
  real(dp) :: epot, virial, ekin
  call lattice()
  call forces(epot, virial)
  do step = 1, 250
    v = v + 0.5_dp*dt*f
    r = r + dt*v
    r = r - box*floor(r/box)
    call forces(epot, virial)
    v = v + 0.5_dp*dt*f
    ekin = 0.5_dp*sum(v**2)
    if (mod(step, 50) == 0) print '(i6,4f18.10)', step, epot/n, ekin/n, (epot+ekin)/n, &
      density*(2*ekin + virial)/(3*n)
  end do
end program
