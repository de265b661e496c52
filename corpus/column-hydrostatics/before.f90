! Diagnoses mid-level pressure, geopotential and moist static energy on a
! latitude-longitude grid and applies a relaxation heating, step by step.
module columns
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: rd = 287.04_dp, cp = 1004.64_dp, lv = 2.5e6_dp, grav = 9.80616_dp
contains
  subroutine diagnose(nx, ny, nz, ps, dsig, temp, qv, phi, mse, pw)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(in) :: ps(nx, ny), dsig(nz), temp(nx, ny, nz), qv(nx, ny, nz)
    real(dp), intent(out) :: phi(nx, ny, nz), mse(nx, ny, nz), pw(nx, ny)
    integer :: i, j, k
    real(dp) :: plow, pmid, thick, dz, z, tv, water
    do i = 1, nx
      do j = 1, ny
        plow = ps(i, j)
        z = 0.0_dp
        water = 0.0_dp
        do k = 1, nz
          thick = dsig(k) * ps(i, j)
          pmid = plow - 0.5_dp * thick
          tv = temp(i, j, k) * (1.0_dp + 0.61_dp * qv(i, j, k))
          dz = rd * tv * thick / pmid
          phi(i, j, k) = z + 0.5_dp * dz
          mse(i, j, k) = cp * temp(i, j, k) + phi(i, j, k) + lv * qv(i, j, k)
          water = water + qv(i, j, k) * thick
          z = z + dz
          plow = plow - thick
        end do
        pw(i, j) = water / grav
      end do
    end do
  end subroutine diagnose
end module columns

program hydrostatics
  use columns
  implicit none
  integer, parameter :: nx = 240, ny = 120, nz = 48, nstep = 48
  real(dp), allocatable :: ps(:, :), temp(:, :, :), qv(:, :, :), phi(:, :, :), mse(:, :, :), pw(:, :)
  real(dp) :: dsig(nz), tref
  integer :: i, j, k, step
  allocate (ps(nx, ny), pw(nx, ny), temp(nx, ny, nz), qv(nx, ny, nz), phi(nx, ny, nz), mse(nx, ny, nz))
  do k = 1, nz
    dsig(k) = 0.98_dp / real(nz, dp)
  end do
  do j = 1, ny
    do i = 1, nx
      ps(i, j) = 1.0e5_dp + 800.0_dp * sin(0.05_dp * i) * cos(0.07_dp * j)
    end do
  end do
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        temp(i, j, k) = 295.0_dp - 1.7_dp * k + 3.0_dp * sin(0.03_dp * (i + 2 * j))
        qv(i, j, k) = 0.016_dp * (1.0_dp - real(k, dp) / (nz + 1))**3
      end do
    end do
  end do
  do step = 1, nstep
    call diagnose(nx, ny, nz, ps, dsig, temp, qv, phi, mse, pw)
    do k = 1, nz
      tref = 290.0_dp - 1.6_dp * k
      temp(:, :, k) = temp(:, :, k) + 0.01_dp * (tref - temp(:, :, k)) + 1.0e-8_dp * (mse(:, :, k) - 3.2e5_dp)
    end do
    if (mod(step, 12) == 0) print '(a,i4,3es22.13)', 'step', step, pw(7, 9), phi(100, 50, nz), mse(33, 44, 10)
  end do
  print '(a,3es22.13)', 'means', sum(pw) / (nx * ny), sum(phi) / size(phi), sum(mse) / size(mse)
end program hydrostatics
