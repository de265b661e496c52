! Heat conduction in a brick with a cell-based finite-volume code that reads its mesh as
! lists of neighbours.
module mesh_data
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  type mesh
    integer :: nx, ny, nz, ncell
    integer, allocatable :: west(:), east(:), south(:), north(:), below(:), above(:)
  end type
contains
  subroutine build(m, nx, ny, nz)
    type(mesh), intent(out) :: m
    integer, intent(in) :: nx, ny, nz
    integer :: i, j, k, c
    m%nx = nx; m%ny = ny; m%nz = nz
    m%ncell = nx * ny * nz
    allocate (m%west(m%ncell), m%east(m%ncell), m%south(m%ncell))
    allocate (m%north(m%ncell), m%below(m%ncell), m%above(m%ncell))
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          c = i + nx * (j - 1 + ny * (k - 1))
          m%west(c) = merge(c - 1, c, i > 1)
          m%east(c) = merge(c + 1, c, i < nx)
          m%south(c) = merge(c - nx, c, j > 1)
          m%north(c) = merge(c + nx, c, j < ny)
          m%below(c) = merge(c - nx * ny, c, k > 1)
          m%above(c) = merge(c + nx * ny, c, k < nz)
        end do
      end do
    end do
  end subroutine

  subroutine conduct(m, t, tn, a)
    type(mesh), intent(in) :: m
    real(dp), contiguous, intent(in) :: t(:)
    real(dp), intent(in) :: a
    real(dp), contiguous, intent(inout) :: tn(:)
    integer :: i, j, k, c, row, s, n, b, u, nx, nxy
    ! the mesh is a brick: every neighbour is a fixed distance away
    nx = m%nx
    nxy = m%nx * m%ny
    do k = 1, m%nz
      b = merge(-nxy, 0, k > 1)
      u = merge(nxy, 0, k < m%nz)
      do j = 1, m%ny
        s = merge(-nx, 0, j > 1)
        n = merge(nx, 0, j < m%ny)
        row = nx * (j - 1) + nxy * (k - 1)
        c = row + 1
        tn(c) = t(c) + a * (t(c) + t(c+1) + t(c+s) + t(c+n) + t(c+b) + t(c+u) - 6.0_dp * t(c))
        do i = row + 2, row + nx - 1
          tn(i) = t(i) + a * (t(i-1) + t(i+1) + t(i+s) + t(i+n) + t(i+b) + t(i+u) - 6.0_dp * t(i))
        end do
        c = row + nx
        tn(c) = t(c) + a * (t(c-1) + t(c) + t(c+s) + t(c+n) + t(c+b) + t(c+u) - 6.0_dp * t(c))
      end do
    end do
  end subroutine
end module

program brick
  use mesh_data
  implicit none
  integer, parameter :: nx = 96, ny = 64, nz = 48, nsteps = 2200
  type(mesh) :: m
  real(dp), allocatable :: t(:), tn(:)
  integer :: c, n

  call build(m, nx, ny, nz)
  allocate (t(m%ncell), tn(m%ncell))
  do c = 1, m%ncell
    t(c) = 20.0_dp + real(mod(c * 37, 1009), dp) * 0.1_dp
  end do
  t(nx * ny * 20 + 3000:nx * ny * 20 + 3100) = 900.0_dp
  do n = 1, nsteps, 2
    call conduct(m, t, tn, 0.12_dp)
    call conduct(m, tn, t, 0.12_dp)
  end do

  print '(a,f20.10)', 'mean    ', sum(t) / m%ncell
  print '(a,f20.10)', 'maximum ', maxval(t)
  do c = 1, m%ncell, m%ncell / 6
    print '(i8,f20.10)', c, t(c)
  end do
end program
