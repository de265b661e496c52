! Monthly sales report: turnover, units and largest sale by region and month,
! from a flat list of transactions.
module sales_data
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: nregion = 5, nmonth = 12

  type :: ledger
     integer :: n = 0
     integer, allocatable :: region(:), month(:), units(:)
     real(dp), allocatable :: amount(:)
  end type ledger

  type :: report
     real(dp) :: turnover(nmonth, nregion)
     real(dp) :: largest(nmonth, nregion)
     integer  :: units(nmonth, nregion)
     integer  :: sales(nmonth, nregion)
  end type report

contains

  real(dp) function uniform(state)
    integer(8), intent(inout) :: state
    state = iand(state * 1103515245_8 + 12345_8, int(z'7fffffff', 8))
    uniform = real(ishft(state, -7), dp) / 16777216.0_dp
  end function uniform

  subroutine make_ledger(led, n)
    type(ledger), intent(out) :: led
    integer, intent(in) :: n
    integer(8) :: state
    integer :: i
    state = 4711_8
    led%n = n
    allocate(led%region(n), led%month(n), led%units(n), led%amount(n))
    do i = 1, n
       led%region(i) = 1 + int(uniform(state)**2 * nregion)
       led%month(i) = 1 + int(uniform(state) * nmonth)
       led%units(i) = 1 + int(uniform(state) * 20)
       led%amount(i) = led%units(i) * (2.0_dp + 95.0_dp * uniform(state))
       if (uniform(state) < 0.02_dp) led%amount(i) = -led%amount(i)
    end do
  end subroutine make_ledger

  subroutine summarize(led, rep)
    type(ledger), intent(in) :: led
    type(report), intent(out) :: rep
    integer :: i, r, m

    rep%sales = 0
    rep%units = 0
    rep%turnover = 0.0_dp
    rep%largest = -huge(1.0_dp)
    do i = 1, led%n
       r = led%region(i)
       m = led%month(i)
       rep%sales(m, r) = rep%sales(m, r) + 1
       rep%units(m, r) = rep%units(m, r) + led%units(i)
       rep%turnover(m, r) = rep%turnover(m, r) + led%amount(i)
       rep%largest(m, r) = max(rep%largest(m, r), led%amount(i))
    end do
  end subroutine summarize

end module sales_data

program sales_report
  use sales_data
  implicit none
  type(ledger) :: led
  type(report) :: rep
  integer :: r, m
  real(dp) :: total, check

  call make_ledger(led, 4000000)
  call summarize(led, rep)

  total = 0.0_dp
  do r = 1, nregion
     print '(a,i2,a,f16.2,a,i9,a,f10.2)', 'region', r, ' turnover', sum(rep%turnover(:, r)), &
          ' units', sum(rep%units(:, r)), ' largest', maxval(rep%largest(:, r))
     total = total + sum(rep%turnover(:, r))
  end do
  check = 0.0_dp
  do m = 1, nmonth
     check = check + m * rep%turnover(m, 3) + rep%sales(m, 5) + 0.5_dp * rep%largest(m, 1)
  end do
  print '(a,f18.2,a,i9,a,f18.4)', 'total', total, ' sales', sum(rep%sales), ' check', check
end program sales_report
