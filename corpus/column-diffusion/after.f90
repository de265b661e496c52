! Implicit vertical diffusion of heat in an ocean model: one tridiagonal
! system per water column and time step, mixing coefficients from the
! local stratification.
module mixing
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nlev = 50, nb = 16
contains

  ! blocks of nb columns, the column is the first (contiguous) index
  subroutine diffuse(ncol, dz, dt, heating, temp)
    integer, intent(in) :: ncol
    real(dp), intent(in) :: dz(nlev), dt, heating(ncol)
    real(dp), intent(inout) :: temp(nb, nlev, ncol/nb)
    real(dp) :: kappa(nb, nlev), upper(nb, nlev), rhs(nb, nlev), rdiag(nb, nlev)
    real(dp) :: n2, lower, diag, w
    integer :: b, c, k
    do b = 1, ncol/nb
      do k = 1, nlev - 1
        do c = 1, nb
          n2 = 2.0e-3_dp*(temp(c, k, b) - temp(c, k + 1, b))/(0.5_dp*(dz(k) + dz(k + 1)))
          kappa(c, k) = 1.0e-5_dp + 1.0e-2_dp/(1.0_dp + 1.0e5_dp*max(n2, 0.0_dp))
          upper(c, k) = -dt*kappa(c, k)/(dz(k)*0.5_dp*(dz(k) + dz(k + 1)))
        end do
      end do
      do c = 1, nb
        upper(c, nlev) = 0.0_dp
        rhs(c, 1) = temp(c, 1, b) + dt*heating((b - 1)*nb + c)/dz(1)
        rdiag(c, 1) = 1.0_dp/(1.0_dp - upper(c, 1))
      end do
      ! Thomas algorithm on nb systems at once
      do k = 2, nlev
        do c = 1, nb
          lower = -dt*kappa(c, k - 1)/(dz(k)*0.5_dp*(dz(k) + dz(k - 1)))
          diag = 1.0_dp - lower - upper(c, k)
          w = lower*rdiag(c, k - 1)
          rdiag(c, k) = 1.0_dp/(diag - w*upper(c, k - 1))
          rhs(c, k) = temp(c, k, b) - w*rhs(c, k - 1)
        end do
      end do
      temp(:, nlev, b) = rhs(:, nlev)*rdiag(:, nlev)
      do k = nlev - 1, 1, -1
        do c = 1, nb
          temp(c, k, b) = (rhs(c, k) - upper(c, k)*temp(c, k + 1, b))*rdiag(c, k)
        end do
      end do
    end do
  end subroutine diffuse

end module mixing

program ocean
  use mixing
  implicit none
  integer, parameter :: ncol = 4000, steps = 400
  real(dp) :: temp(nb, nlev, ncol/nb), heating(ncol), dz(nlev), z, dt
  integer :: b, c, i, k, step
  dt = 3600.0_dp
  do k = 1, nlev
    dz(k) = 5.0_dp*1.04_dp**(k - 1)
  end do
  do c = 1, ncol
    b = (c - 1)/nb + 1
    i = c - (b - 1)*nb
    z = 0.0_dp
    do k = 1, nlev
      z = z + dz(k)
      temp(i, k, b) = 3.0_dp + (10.0_dp + 8.0_dp*sin(0.013_dp*c))*exp(-z/300.0_dp)
    end do
  end do
  do step = 1, steps
    do c = 1, ncol
      heating(c) = 5.0e-5_dp*sin(0.26_dp*step + 0.01_dp*c)
    end do
    call diffuse(ncol, dz, dt, heating, temp)
    if (mod(step, 100) == 0) then
      print '(a, i4, a, f16.9, a, f16.9)', 'step ', step, ' mean surface ', sum(temp(:, 1, :))/ncol, &
        ' mean bottom ', sum(temp(:, nlev, :))/ncol
    end if
  end do
  do k = 1, nlev, 7
    print '(a, i3, 3f16.9)', 'level ', k, temp(1, k, 1), temp(nb, k, ncol/nb/2), temp(nb, k, ncol/nb)
  end do
end program ocean
