! Ewald summation (real and reciprocal space) for a small ionic melt:
! a few steps of energy and forces with a crude drift of the ions.
program ewald_charges
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: n = 512, kmax = 9, nsteps = 16
  real(dp), parameter :: pi = 3.14159265358979323846_dp
  real(dp) :: r(3,n), f(3,n), q(n), box, alpha
  real(dp) :: e_real, e_rec, e_self
  integer :: step

  call init_ions()
  do step = 1, nsteps
    f = 0.0_dp
    call real_space(e_real)
    call reciprocal_space(e_rec)
    e_self = -alpha/sqrt(pi)*sum(q**2)
    print '(a,i3,3es22.13)', 'step', step, e_real, e_rec, e_real + e_rec + e_self
    r = r + 2.0e-3_dp*f
  end do
  print '(a,3es20.11)', 'force on 1 ', f(:,1)
  print '(a,es20.11)', 'sum |f|^2  ', sum(f**2)

contains

  subroutine init_ions()
    integer :: ix, iy, iz, m
    real(dp) :: a, h
    m = 0
    a = 1.4_dp
    box = 8*a
    alpha = 5.0_dp/box
    do iz = 0, 7
      do iy = 0, 7
        do ix = 0, 7
          m = m + 1
          h = real(mod(m*7919, 1009), dp)/1009.0_dp
          r(:,m) = a*[real(ix,dp), real(iy,dp), real(iz,dp)] &
                   + 0.3_dp*[sin(17*h), cos(23*h), sin(31*h+1)]
          q(m) = merge(1.0_dp, -1.0_dp, mod(ix+iy+iz,2) == 0)
        end do
      end do
    end do
  end subroutine init_ions

  subroutine real_space(energy)
    real(dp), intent(out) :: energy
    real(dp) :: d(3), r2, rr, rc2, fac, ec
    integer :: i, j
    energy = 0.0_dp
    rc2 = (0.5_dp*box)**2
    do i = 1, n-1
      do j = i+1, n
        d = r(:,i) - r(:,j)
        d = d - box*anint(d/box)
        r2 = d(1)**2 + d(2)**2 + d(3)**2
        if (r2 > rc2) cycle
        rr = sqrt(r2)
        ec = q(i)*q(j)*erfc(alpha*rr)/rr
        energy = energy + ec
        fac = (ec + q(i)*q(j)*2.0_dp*alpha/sqrt(pi)*exp(-alpha**2*r2))/r2
        f(:,i) = f(:,i) + fac*d
        f(:,j) = f(:,j) - fac*d
      end do
    end do
  end subroutine real_space

  subroutine reciprocal_space(energy)
    real(dp), intent(out) :: energy
    real(dp) :: kv(3), k2, ak, sc, ss, fac, phase(n)
    integer :: kx, ky, kz, i
    energy = 0.0_dp
    do kx = -kmax, kmax
      do ky = -kmax, kmax
        do kz = -kmax, kmax
          if (kx**2 + ky**2 + kz**2 == 0) cycle
          if (kx**2 + ky**2 + kz**2 > kmax**2) cycle
          kv = 2.0_dp*pi/box*[real(kx,dp), real(ky,dp), real(kz,dp)]
          k2 = dot_product(kv, kv)
          ak = 2.0_dp*pi/box**3*exp(-k2/(4.0_dp*alpha**2))/k2
          sc = 0.0_dp
          ss = 0.0_dp
          do i = 1, n
            phase(i) = dot_product(kv, r(:,i))
            sc = sc + q(i)*cos(phase(i))
            ss = ss + q(i)*sin(phase(i))
          end do
          energy = energy + ak*(sc**2 + ss**2)
          do i = 1, n
            fac = 2.0_dp*ak*q(i)*(sin(phase(i))*sc - cos(phase(i))*ss)
            f(:,i) = f(:,i) + fac*kv
          end do
        end do
      end do
    end do
  end subroutine reciprocal_space
end program ewald_charges
