! Electrostatic plasma in a periodic box: particles are pushed in a given
! wave field and their charge and current are deposited on the grid (cloud in cell).
module pic
  use omp_lib
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nx = 128, ny = 96
  real(dp), parameter :: twopi = 6.283185307179586_dp
  type :: species
    integer :: n
    real(dp) :: charge
    real(dp), allocatable :: x(:), y(:), vx(:), vy(:)
  end type species
contains
  subroutine load(s, n, charge, vth, seed)
    type(species), intent(out) :: s
    integer, intent(in) :: n
    real(dp), intent(in) :: charge, vth
    integer(8), intent(in) :: seed
    integer(8) :: r
    integer :: i
    s%n = n
    s%charge = charge
    allocate(s%x(n), s%y(n), s%vx(n), s%vy(n))
    r = seed
    do i = 1, n
      s%x(i) = uniform(r)*nx
      s%y(i) = uniform(r)*ny
      s%vx(i) = vth*(uniform(r) + uniform(r) + uniform(r) - 1.5_dp)
      s%vy(i) = vth*(uniform(r) + uniform(r) + uniform(r) - 1.5_dp)
    end do
  end subroutine load

  real(dp) function uniform(r)
    integer(8), intent(inout) :: r
    r = mod(r*48271_8, 2147483647_8)
    uniform = real(r, dp)/2147483648.0_dp
  end function uniform

  subroutine wave_field(t, ex, ey)
    real(dp), intent(in) :: t
    real(dp), intent(out) :: ex(nx,ny), ey(nx,ny)
    integer :: i, j
    do j = 1, ny
      do i = 1, nx
        ex(i,j) = 0.05_dp*sin(twopi*3*(i-1)/nx - 0.4_dp*t)
        ey(i,j) = 0.03_dp*cos(twopi*2*(j-1)/ny + 0.3_dp*t)
      end do
    end do
  end subroutine wave_field

  subroutine push(s, ex, ey, dt)
    type(species), intent(inout) :: s
    real(dp), intent(in) :: ex(nx,ny), ey(nx,ny), dt
    integer :: p, i, j
    !$omp parallel do private(i, j)
    do p = 1, s%n
      i = min(int(s%x(p)), nx - 1) + 1
      j = min(int(s%y(p)), ny - 1) + 1
      s%vx(p) = s%vx(p) + dt*s%charge*ex(i,j)
      s%vy(p) = s%vy(p) + dt*s%charge*ey(i,j)
      s%x(p) = s%x(p) + dt*s%vx(p)
      s%y(p) = s%y(p) + dt*s%vy(p)
      if (s%x(p) < 0) s%x(p) = s%x(p) + nx
      if (s%x(p) >= nx) s%x(p) = s%x(p) - nx
      if (s%y(p) < 0) s%y(p) = s%y(p) + ny
      if (s%y(p) >= ny) s%y(p) = s%y(p) - ny
    end do
    !$omp end parallel do
  end subroutine push

  subroutine deposit(s, rho, jx)
    type(species), intent(in) :: s
    real(dp), intent(inout) :: rho(nx,ny), jx(nx,ny)
    integer :: p, i, j, i2, j2
    real(dp) :: fx, fy, w(4)
    !$omp parallel do private(i, j, i2, j2, fx, fy, w)
    do p = 1, s%n
      i = min(int(s%x(p)), nx - 1)
      j = min(int(s%y(p)), ny - 1)
      fx = s%x(p) - i
      fy = s%y(p) - j
      i = i + 1
      j = j + 1
      i2 = i + 1
      if (i2 > nx) i2 = 1
      j2 = j + 1
      if (j2 > ny) j2 = 1
      w(1) = s%charge*(1-fx)*(1-fy)
      w(2) = s%charge*fx*(1-fy)
      w(3) = s%charge*(1-fx)*fy
      w(4) = s%charge*fx*fy
      !$omp atomic
      rho(i,j) = rho(i,j) + w(1)
      !$omp atomic
      jx(i,j) = jx(i,j) + w(1)*s%vx(p)
      !$omp atomic
      rho(i2,j) = rho(i2,j) + w(2)
      !$omp atomic
      jx(i2,j) = jx(i2,j) + w(2)*s%vx(p)
      !$omp atomic
      rho(i,j2) = rho(i,j2) + w(3)
      !$omp atomic
      jx(i,j2) = jx(i,j2) + w(3)*s%vx(p)
      !$omp atomic
      rho(i2,j2) = rho(i2,j2) + w(4)
      !$omp atomic
      jx(i2,j2) = jx(i2,j2) + w(4)*s%vx(p)
    end do
    !$omp end parallel do
  end subroutine deposit
end module pic

program plasma
  use pic
  implicit none
  integer, parameter :: steps = 20
  type(species) :: ions, electrons
  real(dp) :: rho(nx,ny), jx(nx,ny), ex(nx,ny), ey(nx,ny), mode, total, dt
  integer :: it, i, j
  call omp_set_num_threads(2)
  dt = 0.2_dp
  call load(ions, 200000, 1.0_dp, 0.05_dp, 12345_8)
  call load(electrons, 600000, -1.0_dp/3.0_dp, 1.0_dp, 6789_8)
  total = 0
  do it = 1, steps
    call wave_field(it*dt, ex, ey)
    call push(ions, ex, ey, dt)
    call push(electrons, ex, ey, dt)
    rho = 0
    jx = 0
    call deposit(ions, rho, jx)
    call deposit(electrons, rho, jx)
    mode = 0
    do j = 1, ny
      do i = 1, nx
        mode = mode + rho(i,j)*sin(twopi*3*(i-1)/nx - 0.4_dp*it*dt)
      end do
    end do
    total = total + mode
    if (mod(it,5) == 0) print '(a,i4,a,es20.12,a,es20.12)', 'step', it, ' mode', mode, ' rho^2', sum(rho**2)
  end do
  print '(a,es20.12)', 'sum of modes', total
  print '(a,3es20.12)', 'rho samples ', rho(1,1), rho(nx/2,ny/2), rho(nx,ny)
  print '(a,es20.12)', 'jx^2        ', sum(jx**2)
  print '(a,es20.12)', 'kinetic     ', sum(electrons%vx**2 + electrons%vy**2)
end program plasma
