! PROGRAM
!
! A Fortran program that runs for about a second: explicit heat conduction on a plate, hot edges, checked against
! the maximum principle. Usage: heat [STEPS, default 4000].
module conduction
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
contains
  subroutine step(to, from, r)
    real(real64), intent(inout), contiguous :: to(:, :)
    real(real64), intent(in), contiguous :: from(:, :)
    real(real64), intent(in) :: r
    integer :: i, j
    do j = 2, size(from, 2) - 1     ! LOOP name=step_j class=nest-outer
      do i = 2, size(from, 1) - 1   ! LOOP name=step_i class=fp-map
        to(i, j) = from(i, j) + r * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1) &
                                     - 4 * from(i, j))
      end do
    end do
  end subroutine step

  function total(field) result(s)
    real(real64), intent(in), contiguous :: field(:, :)
    real(real64) :: s
    integer :: i, j
    s = 0
    do j = 1, size(field, 2)     ! LOOP name=total_j class=nest-outer
      do i = 1, size(field, 1)   ! LOOP name=total_i class=fp-reduction
        s = s + field(i, j)
      end do
    end do
  end function total
end module conduction

program heat
  use, intrinsic :: iso_fortran_env, only: real64
  use conduction
  implicit none
  integer, parameter :: n = 400
  real(real64), allocatable :: a(:, :), b(:, :)
  integer :: steps, k
  character(20) :: word
  real(real64) :: s

  steps = 4000
  if (command_argument_count() >= 1) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if
  allocate (a(n, n), b(n, n))
  a = 0
  a(1, :) = 1
  a(:, 1) = 1
  b = a
  s = 0
  do k = 1, steps / 2
    call step(b, a, 0.2_real64)
    call step(a, b, 0.2_real64)
    s = s + total(a)
  end do
  if (maxval(a) > 1 .or. minval(a) < 0) error stop 'the maximum principle does not hold'
  write (*, '(a,1x,es17.9)') 'mean', total(a) / (n * n)
end program heat
