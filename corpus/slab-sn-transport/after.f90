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

  ! One pass over the slab carries all the angles of one direction together.
  subroutine sweep_half(g, i1, i2, step, n1, q, phi)
    integer, intent(in) :: g, i1, i2, step, n1
    real(dp), intent(in) :: q(ncell)
    real(dp), intent(inout) :: phi(ncell)
    integer, parameter :: nh = nang/2
    integer :: n, i
    real(dp) :: psi_in(nh), amu(nh), w(nh), part(nh), a, psi_c, psi_out, fix
    real(dp) :: st, rst, rdx, qi
    logical :: neg
    do n = 1, nh
      amu(n) = 2*abs(mu(n1 + n - 1))
      w(n) = wt(n1 + n - 1)
      psi_in(n) = 0
    end do
    do i = i1, i2, step
      st = sigt(g, mat(i)); rst = 1/st; rdx = 1/dx(i); qi = q(i)
      do n = 1, nh
        a = amu(n)*rdx
        psi_c = (qi + a*psi_in(n))/(st + a)
        psi_out = 2*psi_c - psi_in(n)
        fix = (qi + 0.5_dp*a*psi_in(n))*rst
        neg = psi_out < 0
        psi_c = merge(fix, psi_c, neg)
        psi_in(n) = merge(0.0_dp, psi_out, neg)
        part(n) = w(n)*psi_c
      end do
      do n = 1, nh/2
        part(n) = part(n) + part(n + nh/2)
      end do
      do n = 1, nh/4
        part(n) = part(n) + part(n + nh/4)
      end do
      phi(i) = phi(i) + sum(part(1:nh/4))
    end do
  end subroutine

  subroutine sweep_group(g, q, phi)
    integer, intent(in) :: g
    real(dp), intent(in) :: q(ncell)
    real(dp), intent(out) :: phi(ncell)
    phi = 0
    ! the quadrature lists the positive cosines first
    call sweep_half(g, 1, ncell, 1, 1, q, phi)
    call sweep_half(g, ncell, 1, -1, nang/2 + 1, q, phi)
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
