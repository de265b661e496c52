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

  ! exp(i k.r) is the product of three one-dimensional phase factors, which are
  ! tabulated per ion once a step; sin and cos are called 3 times per ion only.
  subroutine reciprocal_space(energy)
    real(dp), intent(out) :: energy
    complex(dp) :: ex(n,-kmax:kmax), ey(n,-kmax:kmax), ez(n,-kmax:kmax)
    real(dp) :: xyr(n), xyi(n), c(n), s(n)
    real(dp) :: kv(3), k2, ak, sc, ss, fac
    integer :: kx, ky, kz, i
    call phases(1, ex)
    call phases(2, ey)
    call phases(3, ez)
    energy = 0.0_dp
    do kx = -kmax, kmax
      do ky = -kmax, kmax
        if (kx**2 + ky**2 > kmax**2) cycle
        do i = 1, n
          xyr(i) = real(ex(i,kx))*real(ey(i,ky)) - aimag(ex(i,kx))*aimag(ey(i,ky))
          xyi(i) = real(ex(i,kx))*aimag(ey(i,ky)) + aimag(ex(i,kx))*real(ey(i,ky))
        end do
        do kz = -kmax, kmax
          if (kx**2 + ky**2 + kz**2 == 0) cycle
          if (kx**2 + ky**2 + kz**2 > kmax**2) cycle
          kv = 2.0_dp*pi/box*[real(kx,dp), real(ky,dp), real(kz,dp)]
          k2 = dot_product(kv, kv)
          ak = 2.0_dp*pi/box**3*exp(-k2/(4.0_dp*alpha**2))/k2
          sc = 0.0_dp
          ss = 0.0_dp
          do i = 1, n
            c(i) = xyr(i)*real(ez(i,kz)) - xyi(i)*aimag(ez(i,kz))
            s(i) = xyr(i)*aimag(ez(i,kz)) + xyi(i)*real(ez(i,kz))
            sc = sc + q(i)*c(i)
            ss = ss + q(i)*s(i)
          end do
          energy = energy + ak*(sc**2 + ss**2)
          do i = 1, n
            fac = 2.0_dp*ak*q(i)*(s(i)*sc - c(i)*ss)
            f(:,i) = f(:,i) + fac*kv
          end do
        end do
      end do
    end do
  end subroutine reciprocal_space

  subroutine phases(axis, e)
    integer, intent(in) :: axis
    complex(dp), intent(out) :: e(n,-kmax:kmax)
    real(dp) :: arg
    integer :: i, k
    do i = 1, n
      arg = 2.0_dp*pi/box*r(axis,i)
      e(i,0) = (1.0_dp, 0.0_dp)
      e(i,1) = cmplx(cos(arg), sin(arg), dp)
      e(i,-1) = conjg(e(i,1))
      do k = 2, kmax
        e(i,k) = e(i,k-1)*e(i,1)
        e(i,-k) = conjg(e(i,k))
      end do
    end do
  end subroutine phases
end program ewald_charges
