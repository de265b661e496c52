! Vertical mixing of temperature in an ocean basin, implicit in time.
module mixing
  implicit none
  integer, parameter :: dp = kind(1.0d0)
contains
  subroutine vertical_diffusion(t, kv, dz, flux, dt, nx, ny, nz)
    integer, intent(in) :: nx, ny, nz
    real(dp), intent(inout) :: t(nx, ny, nz)
    real(dp), intent(in) :: kv(nx, ny, nz), dz(nz), flux(nx, ny), dt
    real(dp) :: cp(nz), dpr(nz), a, b, c, den
    integer :: i, j, k

    do i = 1, nx
      do j = 1, ny
        c = -dt * kv(i, j, 1) / (dz(1) * dz(1))
        b = 1.0_dp - c
        cp(1) = c / b
        dpr(1) = (t(i, j, 1) + dt * flux(i, j) / dz(1)) / b
        do k = 2, nz
          a = -dt * kv(i, j, k-1) / (dz(k) * dz(k))
          if (k < nz) then
            c = -dt * kv(i, j, k) / (dz(k) * dz(k))
          else
            c = 0.0_dp
          end if
          b = 1.0_dp - a - c
          den = b - a * cp(k-1)
          cp(k) = c / den
          dpr(k) = (t(i, j, k) - a * dpr(k-1)) / den
        end do
        t(i, j, nz) = dpr(nz)
        do k = nz - 1, 1, -1
          t(i, j, k) = dpr(k) - cp(k) * t(i, j, k+1)
        end do
      end do
    end do
  end subroutine
end module

program ocean
  use mixing
  implicit none
  integer, parameter :: nx = 240, ny = 160, nz = 50, nsteps = 34
  real(dp), allocatable :: t(:,:,:), kv(:,:,:), flux(:,:)
  real(dp) :: dz(nz)
  integer :: i, j, k, n

  allocate (t(nx, ny, nz), kv(nx, ny, nz), flux(nx, ny))
  do k = 1, nz
    dz(k) = 5.0_dp + 0.4_dp * k
    do j = 1, ny
      do i = 1, nx
        t(i, j, k) = 4.0_dp + 18.0_dp * exp(-0.06_dp * k) + 0.01_dp * mod(i * 7 + j * 13, 50)
        kv(i, j, k) = 1.0e-3_dp * (1 + mod(i + 3 * j + 5 * k, 17))
      end do
    end do
  end do

  do n = 1, nsteps
    do j = 1, ny
      do i = 1, nx
        flux(i, j) = 1.0e-5_dp * (mod(i + j + n, 9) - 3)
      end do
    end do
    call vertical_diffusion(t, kv, dz, flux, 3600.0_dp, nx, ny, nz)
  end do

  print '(a,es20.12)', 'mean temperature ', sum(t) / size(t)
  do k = 1, nz, 10
    print '(i4,2f16.10)', k, t(1, 1, k), t(120, 53, k)
  end do
end program
