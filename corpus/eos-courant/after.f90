! Time-step control of a compressible-flow code: primitive variables, sound
! speed and the Courant limit from the conserved variables, in array syntax.
module gas
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: gamma = 1.4_dp
contains
  function courant_step(n, rho, mx, my, mz, etot, dx, cfl) result(dt)
    integer, intent(in) :: n
    real(dp), intent(in) :: rho(n), mx(n), my(n), mz(n), etot(n), dx, cfl
    real(dp) :: dt
    real(dp) :: u, v, w, kinetic, pressure, fastest
    integer :: i
    fastest = 0.0_dp
    do i = 1, n
      u = mx(i) / rho(i)
      v = my(i) / rho(i)
      w = mz(i) / rho(i)
      kinetic = 0.5_dp * (mx(i) * u + my(i) * v + mz(i) * w)
      pressure = max((gamma - 1.0_dp) * (etot(i) - kinetic), 1.0e-10_dp)
      fastest = max(fastest, max(abs(u), abs(v), abs(w)) + sqrt(gamma * pressure / rho(i)))
    end do
    dt = cfl * dx / fastest
  end function courant_step
end module gas

program blast
  use gas
  implicit none
  integer, parameter :: nx = 128, ny = 128, nz = 96, n = nx * ny * nz, nstep = 48
  real(dp), allocatable :: rho(:), mx(:), my(:), mz(:), etot(:)
  real(dp) :: dt, time, r2
  integer :: i, j, k, id, step
  allocate (rho(n), mx(n), my(n), mz(n), etot(n))
  id = 0
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        id = id + 1
        r2 = real((i - 64)**2 + (j - 60)**2 + (k - 48)**2, dp)
        rho(id) = 1.0_dp + 3.0_dp / (1.0_dp + 0.01_dp * r2)
        mx(id) = 0.02_dp * (i - 64) / (1.0_dp + 0.01_dp * r2)
        my(id) = 0.02_dp * (j - 60) / (1.0_dp + 0.01_dp * r2)
        mz(id) = 0.02_dp * (k - 48) / (1.0_dp + 0.01_dp * r2)
        etot(id) = 2.5_dp + 40.0_dp / (1.0_dp + 0.05_dp * r2)
      end do
    end do
  end do
  time = 0.0_dp
  do step = 1, nstep
    dt = courant_step(n, rho, mx, my, mz, etot, 0.01_dp, 0.4_dp)
    ! stand-in for the flux update: losses of momentum and energy
    mx = mx * (1.0_dp - 0.5_dp * dt)
    etot = etot * (1.0_dp - 2.0_dp * dt)
    time = time + dt
    if (mod(step, 12) == 0) print '(a,i4,2es20.12)', 'step', step, dt, time
  end do
  print '(3es20.12)', sum(etot) / n, sum(mx), etot(n / 2)
end program blast
