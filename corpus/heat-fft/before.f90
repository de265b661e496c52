! Pseudo-spectral heat equation with a moving source on a periodic square:
! two-dimensional complex FFTs forward and back in every time step.
module fourier
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  complex(dp), allocatable :: twiddle(:)
contains

  subroutine prepare(n)
    integer, intent(in) :: n
    integer :: k
    allocate (twiddle(0:n/2 - 1))
    do k = 0, n/2 - 1
      twiddle(k) = exp(cmplx(0.0_dp, -2.0_dp*acos(-1.0_dp)*k/n, dp))
    end do
  end subroutine prepare

  ! in-place radix-2 transform of n elements that lie inc apart
  subroutine fft(a, n, inc, inverse)
    integer, intent(in) :: n, inc
    complex(dp), intent(inout) :: a(0:(n - 1)*inc)
    logical, intent(in) :: inverse
    complex(dp) :: w, t
    integer :: i, j, k, half, stride, start
    j = 0
    do i = 0, n - 2
      if (i < j) then
        t = a(i*inc)
        a(i*inc) = a(j*inc)
        a(j*inc) = t
      end if
      k = n/2
      do while (k <= j)
        j = j - k
        k = k/2
      end do
      j = j + k
    end do
    half = 1
    do while (half < n)
      stride = n/(2*half)
      do start = 0, n - 1, 2*half
        do k = 0, half - 1
          w = twiddle(k*stride)
          if (inverse) w = conjg(w)
          i = (start + k)*inc
          j = i + half*inc
          t = cmplx(real(w)*real(a(j)) - aimag(w)*aimag(a(j)), real(w)*aimag(a(j)) + aimag(w)*real(a(j)), dp)
          a(j) = a(i) - t
          a(i) = a(i) + t
        end do
      end do
      half = 2*half
    end do
  end subroutine fft

  subroutine fft2(a, n, inverse)
    integer, intent(in) :: n
    complex(dp), intent(inout) :: a(n, n)
    logical, intent(in) :: inverse
    integer :: i
    do i = 1, n
      call fft(a(1, i), n, 1, inverse)
    end do
    do i = 1, n
      call fft(a(i, 1), n, n, inverse)
    end do
    if (inverse) a = a/real(n*n, dp)
  end subroutine fft2

end module fourier

program heat
  use fourier
  implicit none
  integer, parameter :: n = 512, steps = 12
  complex(dp), allocatable :: u(:, :)
  real(dp) :: damp(n), x, y, k
  integer :: i, j, step
  allocate (u(n, n))
  call prepare(n)
  do i = 1, n
    k = merge(i - 1, i - 1 - n, i <= n/2)
    damp(i) = exp(-1.0e-5_dp*k*k)
  end do
  u = 0.0_dp
  do step = 1, steps
    do j = 1, n
      y = (j - n/2 - 40*sin(0.5_dp*step))/20.0_dp
      do i = 1, n
        x = (i - n/2 - 40*cos(0.5_dp*step))/20.0_dp
        if (x*x + y*y < 30.0_dp) u(i, j) = u(i, j) + exp(-x*x - y*y)
      end do
    end do
    call fft2(u, n, .false.)
    do j = 1, n
      do i = 1, n
        u(i, j) = u(i, j)*damp(i)*damp(j)
      end do
    end do
    call fft2(u, n, .true.)
    if (mod(step, 4) == 0) print '(a, i3, a, f18.9, a, f14.9)', 'step ', step, ' heat ', sum(real(u)), &
      ' largest ', maxval(real(u))
  end do
  do i = 60, n, 100
    print '(a, i4, 2f14.9)', 'row ', i, real(u(i, n/2)), real(u(n/2, i))
  end do
  deallocate (u, twiddle)
end program heat
