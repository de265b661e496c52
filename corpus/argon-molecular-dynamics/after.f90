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
    real(dp) :: xi, yi, zi, half, ax, ay, az, r2, i2, i6, ff, fxi, fyi, fzi
    real(dp) :: dx(n), dy(n), dz(n), d2(n)
    integer :: near(n), i, j, m, c
    f = 0
    epot = 0
    virial = 0
    half = 0.5_dp*box
    do i = 1, n-1
      xi = r(i,1); yi = r(i,2); zi = r(i,3)
      ! the positions lie in the box, so the nearest image is at most one box away
      do j = i+1, n
        ax = xi - r(j,1)
        ay = yi - r(j,2)
        az = zi - r(j,3)
        ax = ax - merge(box, 0.0_dp, ax >= half) + merge(box, 0.0_dp, ax <= -half)
        ay = ay - merge(box, 0.0_dp, ay >= half) + merge(box, 0.0_dp, ay <= -half)
        az = az - merge(box, 0.0_dp, az >= half) + merge(box, 0.0_dp, az <= -half)
        dx(j) = ax; dy(j) = ay; dz(j) = az
        d2(j) = ax*ax + ay*ay + az*az
      end do
      m = 0
      do j = i+1, n
        near(m+1) = j
        m = m + merge(1, 0, d2(j) < rcut*rcut)
      end do
      fxi = 0; fyi = 0; fzi = 0
      do c = 1, m
        j = near(c)
        r2 = d2(j)
        i2 = 1/r2
        i6 = i2*i2*i2
        ff = 48*i2*i6*(i6 - 0.5_dp)
        epot = epot + 4*i6*(i6 - 1)
        virial = virial + ff*r2
        fxi = fxi + ff*dx(j)
        fyi = fyi + ff*dy(j)
        fzi = fzi + ff*dz(j)
        f(j,1) = f(j,1) - ff*dx(j)
        f(j,2) = f(j,2) - ff*dy(j)
        f(j,3) = f(j,3) - ff*dz(j)
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
