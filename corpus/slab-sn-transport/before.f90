! Multigroup discrete-ordinates (SN) transport in a heterogeneous slab,
! fixed source, isotropic scattering, diamond difference with negative-flux fixup.
module slab
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: ncell = 9000, nang = 32, ngrp = 7, nmat = 3
  real(dp) :: dx(ncell), sigt(ngrp, nmat), sigs(ngrp, ngrp, nmat), qext(ngrp, nmat)
  integer  :: mat(ncell)
  real(dp) :: mu(nang), wt(nang)
contains

  subroutine gauss_legendre(n, x, w)
    integer, intent(in) :: n
    real(dp), intent(out) :: x(n), w(n)
    integer :: i, k, it
    real(dp) :: z, p0, p1, p2, dpz
    do i = 1, n
      z = cos(acos(-1.0_dp)*(i - 0.25_dp)/(n + 0.5_dp))
      do it = 1, 50
        p0 = 1; p1 = z
        do k = 2, n
          p2 = ((2*k - 1)*z*p1 - (k - 1)*p0)/k
          p0 = p1; p1 = p2
        end do
        dpz = n*(z*p1 - p0)/(z*z - 1)
        z = z - p1/dpz
      end do
      x(i) = z
      w(i) = 2/((1 - z*z)*dpz*dpz)
    end do
  end subroutine

  subroutine setup()
    integer :: i, g, h, m
    do i = 1, ncell
      dx(i) = 0.004_dp + 0.002_dp*mod(i, 3)
      mat(i) = 1 + mod((i - 1)/200, nmat)
    end do
    do m = 1, nmat
      do g = 1, ngrp
        sigt(g, m) = 0.4_dp + 0.25_dp*g + 0.3_dp*m
        qext(g, m) = merge(1.0_dp/g, 0.0_dp, m == 1)
        do h = 1, ngrp
          sigs(h, g, m) = 0.0_dp
          if (h == g) sigs(h, g, m) = 0.70_dp*sigt(g, m)
          if (h == g + 1) sigs(h, g, m) = 0.20_dp*sigt(g, m)
        end do
      end do
    end do
    call gauss_legendre(nang, mu, wt)
  end subroutine

  subroutine sweep_group(g, q, phi)
    integer, intent(in) :: g
    real(dp), intent(in) :: q(ncell)
    real(dp), intent(out) :: phi(ncell)
    integer :: n, i, ii
    real(dp) :: psi_in, psi_out, psi_c, a
    phi = 0
    do n = 1, nang
      psi_in = 0
      do ii = 1, ncell
        i = merge(ii, ncell + 1 - ii, mu(n) > 0)
        a = 2*abs(mu(n))/dx(i)
        psi_c = (q(i) + a*psi_in)/(sigt(g, mat(i)) + a)
        psi_out = 2*psi_c - psi_in
        if (psi_out < 0) then
          psi_out = 0
          psi_c = (q(i) + 0.5_dp*a*psi_in)/sigt(g, mat(i))
        end if
        phi(i) = phi(i) + wt(n)*psi_c
        psi_in = psi_out
      end do
    end do
  end subroutine
end module

program sn
  use slab
  implicit none
  real(dp) :: phi(ncell, ngrp), old(ncell), q(ncell), err
  integer :: g, h, i, it, total
  call setup()
  phi = 0
  total = 0
  do g = 1, ngrp
    do it = 1, 200
      old = phi(:, g)
      do i = 1, ncell
        q(i) = qext(g, mat(i))
        do h = 1, g
          q(i) = q(i) + sigs(g, h, mat(i))*phi(i, h)
        end do
        q(i) = 0.5_dp*q(i)
      end do
      call sweep_group(g, q, phi(:, g))
      total = total + 1
      err = maxval(abs(phi(:, g) - old)/(abs(phi(:, g)) + 1.0e-30_dp))
      if (err < 1.0e-12_dp) exit
    end do
  end do
  print '(a,i6)', 'sweeps ', total
  do g = 1, ngrp
    print '(a,i2,3es20.11)', 'group', g, sum(phi(:, g)*dx), phi(ncell/2, g), phi(ncell, g)
  end do
end program
