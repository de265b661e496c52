! Ordering of a binary alloy on a simple cubic lattice: Metropolis Monte Carlo
! over a staircase of temperatures, with energy and order parameter per step.
module lattice
  use iso_fortran_env, only: int64, real64
  implicit none
  integer :: n
  real(real64) :: coupling, field
  integer, allocatable :: spin(:,:,:)
  integer(int64) :: state = 88172645463325252_int64
contains
  function uniform() result(u)
    real(real64) :: u
    state = ieor(state, ishft(state, 13))
    state = ieor(state, ishft(state, -7))
    state = ieor(state, ishft(state, 17))
    u = real(ishft(state, -11), real64) * 2.0_real64**(-53)
  end function uniform

  function neighbours(i, j, k) result(total)
    integer, intent(in) :: i, j, k
    integer :: total
    total = spin(modulo(i, n) + 1, j, k) + spin(modulo(i - 2, n) + 1, j, k) &
          + spin(i, modulo(j, n) + 1, k) + spin(i, modulo(j - 2, n) + 1, k) &
          + spin(i, j, modulo(k, n) + 1) + spin(i, j, modulo(k - 2, n) + 1)
  end function neighbours

  subroutine sweep(temperature, accepted)
    real(real64), intent(in) :: temperature
    integer(int64), intent(inout) :: accepted
    integer :: i, j, k
    real(real64) :: de
    do k = 1, n
      do j = 1, n
        do i = 1, n
          de = 2.0_real64 * spin(i, j, k) * (coupling * neighbours(i, j, k) + field)
          if (uniform() < exp(-de / temperature)) then
            spin(i, j, k) = -spin(i, j, k)
            accepted = accepted + 1
          end if
        end do
      end do
    end do
  end subroutine sweep

  subroutine measure(energy, order)
    real(real64), intent(out) :: energy, order
    integer :: i, j, k
    integer(int64) :: bonds, total
    bonds = 0
    total = 0
    do k = 1, n
      do j = 1, n
        do i = 1, n
          bonds = bonds + spin(i, j, k) * neighbours(i, j, k)
          total = total + spin(i, j, k)
        end do
      end do
    end do
    energy = (-0.5_real64 * coupling * bonds - field * total) / real(n, real64)**3
    order = total / real(n, real64)**3
  end subroutine measure
end module lattice

program alloy
  use lattice
  implicit none
  integer :: step, s, sweeps, i, j, k
  real(real64) :: temperature, energy, order
  integer(int64) :: accepted
  character(len=16) :: arg
  n = 48
  sweeps = 28
  if (command_argument_count() > 0) then
    call get_command_argument(1, arg)
    read (arg, *) n
  end if
  coupling = 1.0_real64
  field = 0.05_real64
  allocate (spin(n, n, n))
  do k = 1, n
    do j = 1, n
      do i = 1, n
        spin(i, j, k) = merge(1, -1, uniform() < 0.5_real64)
      end do
    end do
  end do
  do step = 1, 12
    temperature = 6.5_real64 - 0.35_real64 * step
    accepted = 0
    do s = 1, sweeps
      call sweep(temperature, accepted)
    end do
    call measure(energy, order)
    print '(a,f6.3,a,i10,a,f12.8,a,f12.8)', 'T=', temperature, ' accepted=', accepted, &
      ' energy=', energy, ' order=', order
  end do
end program alloy
