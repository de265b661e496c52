! What every Fortran program of the casebook shares: its arguments, its clock and the lines that it prints.
! The lines are those of case.h.
module case_support
  use, intrinsic :: iso_fortran_env, only: int64, real64, error_unit
  implicit none
  private
  public :: case_option, case_seconds, case_print, case_random

contains

  ! The number after `name` on the command line, else `usual`.
  integer function case_option(name, usual) result(value)
    character(*), intent(in) :: name
    integer, intent(in) :: usual
    character(64) :: argument
    integer :: i, status
    value = usual
    do i = 1, command_argument_count()
      call get_command_argument(i, argument)
      if (argument /= name) cycle
      call get_command_argument(i + 1, argument)
      read (argument, *, iostat=status) value
      if (status /= 0 .or. value < 0) then
        write (error_unit, '(3a)') 'argument ', name, ' needs a number from 0 on'
        stop 2
      end if
    end do
  end function

  ! Seconds since some moment in the past.
  real(real64) function case_seconds() result(seconds)
    integer(int64) :: count, rate
    call system_clock(count, rate)
    seconds = real(count, real64) / real(rate, real64)
  end function

  ! A line of results, with all the digits of a double.
  subroutine case_print(name, value)
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    print '(2a,es25.17e3)', name, ' =', value
  end subroutine

  ! A number in [0, 1), the same sequence as case.h's.
  real(real64) function case_random(state) result(value)
    integer(int64), intent(inout) :: state
    integer(int64) :: x, high
    x = state
    if (x == 0) x = ieor(ishft(int(z'9e3779b9', int64), 32), int(z'7f4a7c15', int64))
    x = ieor(x, ishft(x, -12))
    x = ieor(x, ishft(x, 25))
    x = ieor(x, ishft(x, -27))
    state = x
    high = ishft(wrapped_product(x), -11)
    value = real(high, real64) * 2.0_real64**(-53)
  end function

  ! x times the generator's multiplier modulo 2^64, by halves: the standard does not say what an overflow gives.
  integer(int64) function wrapped_product(x) result(product)
    integer(int64), intent(in) :: x
    integer(int64), parameter :: low_half = int(z'ffffffff', int64)
    integer(int64), parameter :: multiplier_high = int(z'2545f491', int64), multiplier_low = int(z'4f6cdd1d', int64)
    integer(int64) :: cross, low, quarter, xh, xl
    xl = iand(x, low_half)
    xh = ishft(x, -32)
    ! xl * multiplier_low has up to 63 bits: the multiplier's low half is below 2^31.
    low = xl * multiplier_low
    cross = iand(xl * multiplier_high, low_half)
    quarter = iand(xh * iand(multiplier_low, int(z'ffff', int64)), low_half)
    quarter = iand(quarter + ishft(iand(xh * ishft(multiplier_low, -16), int(z'ffff', int64)), 16), low_half)
    cross = iand(cross + quarter + ishft(low, -32), low_half)
    product = ior(ishft(cross, 32), iand(low, low_half))
  end function

end module
