! PROGRAM matrix=yes
!
! Fortran shapes of loops: array syntax, do loops, assumed-shape dummies, allocatables, derived types, stencils,
! where, do concurrent, intrinsic reductions, exit and cycle. Prints one checksum per kernel.
module kernels
  use, intrinsic :: iso_fortran_env, only: real32, real64, int32
  implicit none
  private
  public :: particle, triad, array_syntax, stencil_2d, summed, in_order, moved, masked, matrix_product
  public :: concurrent, found_at, single, strided, explicit_size, recurrence, integer_sum, exponential

  type :: particle
    real(real64) :: position(3)
    real(real64) :: velocity(3)
    integer(int32) :: kind
  end type particle

contains

  subroutine triad(x, y, z, s)
    real(real64), intent(inout), contiguous :: x(:)
    real(real64), intent(in), contiguous :: y(:), z(:)
    real(real64), intent(in) :: s
    integer :: i
    do i = 1, size(x) ! LOOP name=triad class=fp-map
      x(i) = y(i) + s * z(i)
    end do
  end subroutine triad

  subroutine explicit_size(n, x, y)
    integer, intent(in) :: n
    real(real64), intent(inout) :: x(n)
    real(real64), intent(in) :: y(n)
    integer :: i
    do i = 1, n ! LOOP name=explicit_size class=fp-map
      x(i) = x(i) * y(i) + 0.5_real64
    end do
  end subroutine explicit_size

  subroutine array_syntax(x, y)
    real(real64), intent(inout), contiguous :: x(:)
    real(real64), intent(in), contiguous :: y(:)
    x = 2.0_real64 * x + y ! LOOP name=array_syntax class=fp-map
  end subroutine array_syntax

  ! Assumed shape without contiguous: the stride is known at run time only.
  subroutine strided(x, y)
    real(real64), intent(inout) :: x(:)
    real(real64), intent(in) :: y(:)
    integer :: i
    do i = 1, size(x) ! LOOP name=strided class=strided
      x(i) = x(i) + 3.0_real64 * y(i)
    end do
  end subroutine strided

  subroutine single(x, y)
    real(real32), intent(inout), contiguous :: x(:)
    real(real32), intent(in), contiguous :: y(:)
    integer :: i
    do i = 1, size(x) ! LOOP name=single class=fp-map
      x(i) = x(i) * 0.5_real32 + y(i)
    end do
  end subroutine single

  subroutine stencil_2d(to, from)
    real(real64), intent(inout), contiguous :: to(:, :)
    real(real64), intent(in), contiguous :: from(:, :)
    integer :: i, j
    do j = 2, size(from, 2) - 1     ! LOOP name=stencil_2d_j class=nest-outer
      do i = 2, size(from, 1) - 1   ! LOOP name=stencil_2d_i class=fp-map
        to(i, j) = 0.25_real64 * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1))
      end do
    end do
  end subroutine stencil_2d

  function summed(x) result(s)
    real(real64), intent(in), contiguous :: x(:)
    real(real64) :: s
    s = sum(x * x) ! LOOP name=summed class=fp-reduction
  end function summed

  function in_order(x, y) result(s)
    real(real64), intent(in), contiguous :: x(:), y(:)
    real(real64) :: s
    integer :: i
    s = 0
    do i = 1, size(x) ! LOOP name=in_order class=fp-reduction
      s = s + x(i) * y(i)
    end do
  end function in_order

  function integer_sum(x) result(s)
    integer(int32), intent(in), contiguous :: x(:)
    integer(int32) :: s
    integer :: i
    s = 0
    do i = 1, size(x) ! LOOP name=integer_sum class=int-reduction
      s = s + x(i)
    end do
  end function integer_sum

  ! Array of structures.
  subroutine moved(p, dt)
    type(particle), intent(inout) :: p(:)
    real(real64), intent(in) :: dt
    integer :: i
    do i = 1, size(p) ! LOOP name=moved class=strided
      p(i)%position(1) = p(i)%position(1) + dt * p(i)%velocity(1)
      p(i)%position(2) = p(i)%position(2) + dt * p(i)%velocity(2)
      p(i)%position(3) = p(i)%position(3) + dt * p(i)%velocity(3)
    end do
  end subroutine moved

  subroutine masked(x, y)
    real(real64), intent(inout), contiguous :: x(:)
    real(real64), intent(in), contiguous :: y(:)
    where (y > 0.5_real64) x = y * 4.0_real64 ! LOOP name=masked class=conditional-store
  end subroutine masked

  subroutine matrix_product(c, a, b)
    real(real64), intent(inout), contiguous :: c(:, :)
    real(real64), intent(in), contiguous :: a(:, :), b(:, :)
    integer :: i, j, k
    do j = 1, size(c, 2)         ! LOOP name=matrix_product_j class=nest-outer
      do k = 1, size(a, 2)       ! LOOP name=matrix_product_k class=nest-outer
        do i = 1, size(c, 1)     ! LOOP name=matrix_product_i class=fp-map
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine matrix_product

  subroutine concurrent(x, y)
    real(real64), intent(inout), contiguous :: x(:)
    real(real64), intent(in), contiguous :: y(:)
    integer :: i
    do concurrent (i = 1:size(x)) ! LOOP name=concurrent class=fp-map
      x(i) = sqrt(y(i)) + 1.0_real64
    end do
  end subroutine concurrent

  subroutine recurrence(x, y)
    real(real64), intent(inout), contiguous :: x(:)
    real(real64), intent(in), contiguous :: y(:)
    integer :: i
    do i = 2, size(x) ! LOOP name=recurrence class=recurrence
      x(i) = 0.5_real64 * x(i - 1) + y(i)
    end do
  end subroutine recurrence

  subroutine exponential(x, y)
    real(real64), intent(inout), contiguous :: x(:)
    real(real64), intent(in), contiguous :: y(:)
    integer :: i
    do i = 1, size(x) ! LOOP name=exponential class=math-call
      x(i) = exp(-y(i))
    end do
  end subroutine exponential

  function found_at(x, value) result(at)
    integer(int32), intent(in), contiguous :: x(:)
    integer(int32), intent(in) :: value
    integer :: at, i
    at = 0
    do i = 1, size(x) ! LOOP name=found_at class=search
      if (x(i) == value) then
        at = i
        exit
      end if
    end do
  end function found_at
end module kernels

program arrays
  use, intrinsic :: iso_fortran_env, only: real32, real64, int32
  use kernels
  implicit none
  integer, volatile :: given = 700
  integer :: n, i, j
  real(real64), allocatable :: x(:), y(:), z(:), a(:, :), b(:, :), c(:, :)
  real(real32), allocatable :: f(:), g(:)
  integer(int32), allocatable :: k(:)
  type(particle), allocatable :: p(:)

  n = given
  allocate (x(n), y(n), z(n), f(n), g(n), k(n), p(n), a(40, 40), b(40, 40), c(40, 40))
  do i = 1, n
    y(i) = modulo(i * 37, 101) / 101.0_real64
    z(i) = modulo(i * 61, 89) / 89.0_real64
    f(i) = modulo(i * 37, 64) / 64.0_real32
    g(i) = modulo(i * 11, 32) / 32.0_real32
    k(i) = modulo(i * 37, 701)
    p(i)%position = [y(i), z(i), 1.0_real64]
    p(i)%velocity = [z(i), y(i), 0.5_real64]
    p(i)%kind = i
  end do
  x = 0
  do j = 1, 40
    do i = 1, 40
      a(i, j) = modulo(i * 5 + j * 3, 16) / 16.0_real64
      b(i, j) = modulo(i * 7 + j, 16) / 16.0_real64
    end do
  end do
  c = 0

  call triad(x, y, z, 1.5_real64)
  call show('triad', checksum(x))
  call explicit_size(n, x, y)
  call show('explicit_size', checksum(x))
  call array_syntax(x, y)
  call show('array_syntax', checksum(x))
  call strided(x(1:n:2), y(1:n:2))
  call show('strided', checksum(x))
  call single(f, g)
  call show('single', real(f(n / 2) + f(n), real64))
  call stencil_2d(c, a)
  call show('stencil_2d', sum(c))
  call show('summed', summed(y))
  call show('in_order', in_order(y, z))
  call show('integer_sum', real(integer_sum(k), real64))
  call moved(p, 0.25_real64)
  call show('moved', p(n / 2)%position(1) + p(n)%position(2))
  call masked(x, y)
  call show('masked', checksum(x))
  call matrix_product(c, a, b)
  call show('matrix_product', sum(c))
  call concurrent(x, y)
  call show('concurrent', checksum(x))
  call recurrence(x, y)
  call show('recurrence', checksum(x))
  call exponential(x, y)
  call show('exponential', checksum(x))
  call show('found_at', real(found_at(k, 350), real64))

contains

  function checksum(v) result(s)
    real(real64), intent(in) :: v(:)
    real(real64) :: s
    integer :: m
    s = 0
    do m = 1, size(v)
      s = s + v(m) * (1 + modulo(m - 1, 7))
    end do
  end function checksum

  subroutine show(name, value)
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    write (*, '(a,1x,es17.9)') name, value
  end subroutine show
end program arrays
