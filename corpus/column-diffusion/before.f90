! Implicit vertical diffusion of heat in an ocean model: one tridiagonal
! system per water column and time step, mixing coefficients from the
! local stratification.
module mixing
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nlev = 50
contains

  subroutine diffuse(ncol, dz, dt, heating, temp)
    integer, intent(in) :: ncol
    real(dp), intent(in) :: dz(nlev), dt, heating(ncol)
    real(dp), intent(inout) :: temp(nlev, ncol)
    real(dp) :: kappa(nlev), lower(nlev), diag(nlev), upper(nlev), rhs(nlev)
    real(dp) :: n2, w
    integer :: c, k
    do c = 1, ncol
      kappa(nlev) = 0.0_dp
      do k = 1, nlev - 1
        n2 = 2.0e-3_dp*(temp(k, c) - temp(k + 1, c))/(0.5_dp*(dz(k) + dz(k + 1)))
        kappa(k) = 1.0e-5_dp + 1.0e-2_dp/(1.0_dp + 1.0e5_dp*max(n2, 0.0_dp))
      end do
      do k = 1, nlev
        lower(k) = 0.0_dp
        upper(k) = 0.0_dp
        if (k > 1) lower(k) = -dt*kappa(k - 1)/(dz(k)*0.5_dp*(dz(k) + dz(k - 1)))
        if (k < nlev) upper(k) = -dt*kappa(k)/(dz(k)*0.5_dp*(dz(k) + dz(k + 1)))
        diag(k) = 1.0_dp - lower(k) - upper(k)
        rhs(k) = temp(k, c)
      end do
      rhs(1) = rhs(1) + dt*heating(c)/dz(1)
      ! Thomas algorithm
      do k = 2, nlev
        w = lower(k)/diag(k - 1)
        diag(k) = diag(k) - w*upper(k - 1)
        rhs(k) = rhs(k) - w*rhs(k - 1)
      end do
      temp(nlev, c) = rhs(nlev)/diag(nlev)
      do k = nlev - 1, 1, -1
        temp(k, c) = (rhs(k) - upper(k)*temp(k + 1, c))/diag(k)
      end do
    end do
  end subroutine diffuse

end module mixing

program ocean
  use mixing
  implicit none
  integer, parameter :: ncol = 4000, steps = 400
  real(dp) :: temp(nlev, ncol), heating(ncol), dz(nlev), z, dt
  integer :: c, k, step
  dt = 3600.0_dp
  do k = 1, nlev
    dz(k) = 5.0_dp*1.04_dp**(k - 1)
  end do
  do c = 1, ncol
    z = 0.0_dp
    do k = 1, nlev
      z = z + dz(k)
      temp(k, c) = 3.0_dp + (10.0_dp + 8.0_dp*sin(0.013_dp*c))*exp(-z/300.0_dp)
    end do
  end do
  do step = 1, steps
    do c = 1, ncol
      heating(c) = 5.0e-5_dp*sin(0.26_dp*step + 0.01_dp*c)
    end do
    call diffuse(ncol, dz, dt, heating, temp)
    if (mod(step, 100) == 0) then
      print '(a, i4, a, f16.9, a, f16.9)', 'step ', step, ' mean surface ', sum(temp(1, :))/ncol, &
        ' mean bottom ', sum(temp(nlev, :))/ncol
    end if
  end do
  do k = 1, nlev, 7
    print '(a, i3, 3f16.9)', 'level ', k, temp(k, 1), temp(k, ncol/2), temp(k, ncol)
  end do
end program ocean
