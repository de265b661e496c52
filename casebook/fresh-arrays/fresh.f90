! One step of an upwind scheme with diffusion, as modules of transport are usually written: the fluxes through the faces
! are arrays of the step, made when it begins and gone when it ends.
module transport
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: step
  ! Courant numbers of the wind, and the diffusion number.
  real(real64), parameter :: wind_x = 0.2_real64, wind_y = 0.1_real64, wind_z = 0.05_real64, spread = 0.02_real64

contains

  subroutine step(tracer, n)
    integer, intent(in) :: n
    real(real64), intent(inout) :: tracer(n, n, n)
    real(real64), allocatable :: east(:, :, :), north(:, :, :), up(:, :, :)
    integer :: i, j, k
    allocate (east(n, n, n), north(n, n, n), up(n, n, n))

    ! What leaves each cell through its far faces; the walls are closed.
    do k = 1, n
      do j = 1, n
        do i = 1, n - 1
          east(i, j, k) = wind_x*tracer(i, j, k) - spread*(tracer(i + 1, j, k) - tracer(i, j, k))
        end do
        east(n, j, k) = 0
      end do
    end do
    do k = 1, n
      do j = 1, n - 1
        do i = 1, n
          north(i, j, k) = wind_y*tracer(i, j, k) - spread*(tracer(i, j + 1, k) - tracer(i, j, k))
        end do
      end do
      north(:, n, k) = 0
    end do
    do k = 1, n - 1
      do j = 1, n
        do i = 1, n
          up(i, j, k) = wind_z*tracer(i, j, k) - spread*(tracer(i, j, k + 1) - tracer(i, j, k))
        end do
      end do
    end do
    up(:, :, n) = 0

    do k = 1, n
      do j = 1, n
        do i = 1, n
          tracer(i, j, k) = tracer(i, j, k) - east(i, j, k) - north(i, j, k) - up(i, j, k)
          if (i > 1) tracer(i, j, k) = tracer(i, j, k) + east(i - 1, j, k)
          if (j > 1) tracer(i, j, k) = tracer(i, j, k) + north(i, j - 1, k)
          if (k > 1) tracer(i, j, k) = tracer(i, j, k) + up(i, j, k - 1)
        end do
      end do
    end do
  end subroutine

end module
