! PROGRAM flags=-fno-ipa-cp,-fno-ipa-sra,-fno-ipa-pure-const,-fno-ipa-modref,-fno-inline
!
! Loops in Fortran whose accesses and dependences have closed forms; see README.md.

module kernels
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  integer, parameter :: n = 1024, m = 64
contains
  ! Array of structures as a leading dimension of 3.
  subroutine aos(out, lbv)
    real(c_double), intent(out) :: out(n)
    real(c_double), intent(in) :: lbv(3, n)
    integer :: i
    do i = 1, n ! LOOP name=aos class=strided iterations=1024 vector=safe parallel=independent
      out(i) = lbv(2,i) + lbv(3,i) ! ACCESS ~S8:8 ~L8:24 ~L8:24
    end do
  end subroutine aos

  ! The inner loop along a row of a Fortran array: the stride is a column.
  subroutine rows(out, a)
    real(c_double), intent(out) :: out(m)
    real(c_double), intent(in) :: a(m, m)
    integer :: i, j
    real(c_double) :: s
    do i = 1, m
      s = 0
      do j = 1, m ! LOOP name=rows class=fp-reduction entries=64 iterations=4096 vector=safe-with-reductions,safe parallel=with-clauses,independent
        s = s + a(i,j) ! ACCESS L8:512/8
      end do
      out(i) = s
    end do
  end subroutine rows

  subroutine gather(out, x, at)
    real(c_double), intent(out) :: out(n)
    real(c_double), intent(in) :: x(n)
    integer(c_int), intent(in) :: at(n)
    integer :: i
    do i = 1, n ! LOOP name=gather class=gather iterations=1024 vector=safe parallel=independent
      out(i) = x(at(i)) ! ACCESS S8:8 ~L4:4 L8:?
    end do
  end subroutine gather

  subroutine reversed(out, x)
    real(c_double), intent(out) :: out(n)
    real(c_double), intent(in) :: x(n)
    integer :: i
    do i = 1, n ! LOOP name=reversed class=fp-map iterations=1024 vector=safe parallel=independent
      out(i) = x(n+1-i) * 0.5d0 ! ACCESS S8:8 L8:-8
    end do
  end subroutine reversed

  ! A five-point stencil: the neighbours in j are a column of 64 elements apart.
  subroutine relax(v, u, last)
    integer, value :: last
    real(c_double), intent(out) :: v(m, m)
    real(c_double), intent(in) :: u(m, m)
    integer :: i, j
    do j = 2, last ! LOOP name=relax_j class=nest-outer iterations=62
      do i = 2, last ! LOOP name=relax class=fp-map entries=62 iterations=3844 vector=safe parallel=independent
        v(i,j) = 0.25d0 * (u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1)) ! ACCESS ~S8:8/512 ~L8:8/512
      end do
    end do
  end subroutine relax

  subroutine recurrence(x, c)
    real(c_double), intent(inout) :: x(n + 16)
    real(c_double), value :: c
    integer :: i
    do i = 1, n ! LOOP name=recurrence1 class=recurrence iterations=1024 found=RAW:1 vector=unsafe parallel=dependent
      x(i+1) = x(i) * c + 1.0d0 ! ACCESS S8:8 ?L8:8
    end do
    do i = 1, n ! LOOP name=recurrence4 class=recurrence iterations=1024 found=RAW:4 vector=safe-up-to length=4 parallel=dependent
      x(i+4) = x(i) * c + 1.0d0 ! ACCESS S8:8 ?L8:8
    end do
    do i = 1, n ! LOOP name=recurrence9 class=recurrence iterations=1024 found=RAW:9 vector=safe-up-to length=9 parallel=dependent
      x(i+9) = x(i) * c + 1.0d0 ! ACCESS S8:8 ?L8:8
    end do
  end subroutine recurrence

  subroutine anti(x)
    real(c_double), intent(inout) :: x(n + 1)
    integer :: i
    do i = 1, n ! LOOP name=anti class=fp-map iterations=1024 found=WAR:1 vector=safe parallel=dependent
      x(i) = x(i+1) * 0.5d0 ! ACCESS S8:8 L8:8
    end do
  end subroutine anti

  function total(x) result(s)
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    integer :: i
    s = 0
    do i = 1, n ! LOOP name=total class=fp-reduction iterations=1024 vector=safe-with-reductions parallel=with-clauses
      s = s + x(i) ! ACCESS ~L8:8
    end do
  end function total

  ! Every second element.
  subroutine every_second(x)
    real(c_double), intent(inout) :: x(2 * n)
    integer :: i
    do i = 1, 2 * n, 2 ! LOOP name=every_second class=strided iterations=1024 vector=safe parallel=independent
      x(i) = x(i) * 0.5d0 ! ACCESS ~S8:16 ~L8:16
    end do
  end subroutine every_second
end module kernels

program accesses
  use kernels
  implicit none
  real(c_double) :: x(n + 16), y(n), lbv(3, n), a(m, m), b(m, m), z(2 * n)
  integer(c_int) :: at(n)
  integer :: i, j
  do i = 1, n
    at(i) = mod(i * 37, n) + 1
    y(i) = i
    lbv(:, i) = i
    z(2*i-1) = i
    z(2*i) = -i
  end do
  do j = 1, m
    do i = 1, m
      a(i,j) = i + 0.5d0 * j
    end do
  end do
  x = 1
  b = 0
  call aos(x, lbv)
  call rows(y, a)
  call gather(x, y, at)
  call reversed(x, y)
  call relax(b, a, m - 1)
  call recurrence(x, 0.5d0)
  call anti(x)
  call every_second(z)
  print '(f0.3)', total(x) + sum(b) + sum(z) + sum(y)
end program accesses
