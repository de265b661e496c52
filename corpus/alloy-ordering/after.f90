! Ordering of a binary alloy on a simple cubic lattice: Metropolis Monte Carlo
! over a staircase of temperatures, with energy and order parameter per step.
module lattice
  use iso_fortran_env, only: int64, real64
  implicit none
  integer :: n
  real(real64) :: coupling, field
  integer, allocatable :: spin(:,:,:)
  integer, allocatable :: up(:), down(:)
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
    total = spin(up(i), j, k) + spin(down(i), j, k) &
          + spin(i, up(j), k) + spin(i, down(j), k) &
          + spin(i, j, up(k)) + spin(i, j, down(k))
  end function neighbours

  ! Periodic neighbours of a coordinate, one entry per coordinate.
  subroutine make_links()
    integer :: i
    allocate (up(n), down(n))
    do i = 1, n
      up(i) = modulo(i, n) + 1
      down(i) = modulo(i - 2, n) + 1
    end do
  end subroutine make_links

  ! The energy change takes only 2 x 7 values: the acceptance probability of each
  ! is computed once per sweep.
  subroutine sweep(temperature, accepted)
    real(real64), intent(in) :: temperature
    integer(int64), intent(inout) :: accepted
    integer :: i, j, k, m, s
    real(real64) :: accept(-6:6, -1:1), de
    accept = 0.0_real64
    do s = -1, 1, 2
      do m = -6, 6, 2
        de = 2.0_real64 * s * (coupling * m + field)
        accept(m, s) = exp(-de / temperature)
      end do
    end do
    do k = 1, n
      do j = 1, n
        do i = 1, n
          s = spin(i, j, k)
          if (uniform() < accept(neighbours(i, j, k), s)) then
            spin(i, j, k) = -s
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
  call make_links()
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
