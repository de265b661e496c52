! PROGRAM flags=-fno-ipa-cp,-fno-ipa-sra,-fno-ipa-pure-const,-fno-inline
!
! A five-point stencil, reductions and strided sections. Usage: stencils [expect] [N] [SWEEPS].

module kernels
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
contains
  subroutine relax(new, old, n) bind(C, name="relax")
    integer(c_int), value :: n
    real(c_double), intent(out) :: new(n, n)
    real(c_double), intent(in) :: old(n, n)
    integer :: i, j
    do j = 2, n - 1 ! LOOP name=relax_j class=nest-outer
      do i = 2, n - 1 ! LOOP name=relax_i class=fp-map
        new(i, j) = 0.25d0 * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
      end do
    end do
  end subroutine relax

  function total(a, n) result(s) bind(C, name="total")
    integer(c_int), value :: n
    real(c_double), intent(in) :: a(n)
    real(c_double) :: s
    integer :: i
    s = 0
    do i = 1, n ! LOOP name=total class=fp-reduction
      s = s + a(i)
    end do
  end function total

  subroutine every_second(a, n) bind(C, name="every_second")
    integer(c_int), value :: n
    real(c_double), intent(inout) :: a(n)
    integer :: i
    do i = 1, n, 2 ! LOOP name=every_second class=strided
      a(i) = a(i) * 1.0625d0 + 0.5d0
    end do
  end subroutine every_second

  function power_sum(a, n) result(s) bind(C, name="power_sum")
    integer(c_int), value :: n
    real(c_double), intent(in) :: a(n)
    real(c_double) :: s
    s = dot_product(a(1:n), a(1:n))
  end function power_sum
end module kernels

program stencils
  use kernels
  implicit none
  character(len=32) :: word
  integer :: n, sweeps, first, k, i, j
  logical :: ask
  integer(8) :: m, r
  real(c_double), allocatable :: a(:, :), b(:, :)
  real(c_double) :: s
  first = 1
  ask = .false.
  if (command_argument_count() >= 1) then
    call get_command_argument(1, word)
    ask = word == 'expect'
    if (ask) first = 2
  end if
  n = number(first, 33)
  sweeps = number(first + 1, 4)
  m = n
  r = sweeps
  if (ask) then
    ! (n-2)^2 points per sweep, three sums and a product each; two sweeps (there and back) per turn.
    call fact('function relax calls=', 2 * r, ' f64=', 2 * r * 4 * (m - 2)**2)
    call fact('loop relax_j entries=', 2 * r, ' iterations=', 2 * r * (m - 2))
    call fact('loop relax_i entries=', 2 * r * (m - 2), ' iterations=', 2 * r * (m - 2)**2)
    call fact('function total calls=', r, ' f64=', r * m * m)
    call fact('loop total entries=', r, ' iterations=', r * m * m)
    ! ceiling(n*n / 2) elements, two FLOP each.
    call fact('function every_second calls=', r, ' f64=', r * 2 * ((m * m + 1) / 2))
    call fact('loop every_second entries=', r, ' iterations=', r * ((m * m + 1) / 2))
    call fact('function power_sum calls=', r, ' f64=', r * 2 * m * m)
    stop
  end if
  allocate (a(n, n), b(n, n))
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i * 7 + j * 3, 11)
    end do
  end do
  b = a
  s = 0
  do k = 1, sweeps
    call relax(b, a, n)
    call relax(a, b, n)
    call every_second(a, n * n)
    s = s + total(a, n * n) + power_sum(a, n * n)
  end do
  write (*, '(a, es24.16)') 'sum ', s
contains
  integer function number(at, usual)
    integer, intent(in) :: at, usual
    character(len=32) :: text
    number = usual
    if (command_argument_count() >= at) then
      call get_command_argument(at, text)
      read (text, *) number
    end if
  end function number

  subroutine fact(what, x, also, y)
    character(len=*), intent(in) :: what, also
    integer(8), intent(in) :: x, y
    write (*, '(a, i0, a, i0)') what, x, also, y
  end subroutine fact
end program stencils
