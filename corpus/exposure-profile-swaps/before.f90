! Counterparty exposure of a book of interest-rate swaps.
! Market scenarios are simulated once; at each date of each scenario every
! swap is revalued off the zero curve; results are the expected exposure
! and the 95 % potential future exposure per date.
module book_mod
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: npath = 8000, ndate = 24, ntenor = 12, nswap = 80
  type :: swap_t
     real(dp) :: notional, rate
     integer  :: last            ! date index of the last coupon
     logical  :: payer
  end type swap_t
contains

  subroutine make_book(book)
    type(swap_t), intent(out) :: book(:)
    integer :: i
    do i = 1, size(book)
       book(i)%notional = 1.0e6_dp * (1 + mod(7 * i, 10))
       book(i)%rate = 0.015_dp + 0.0008_dp * mod(i, 20)
       book(i)%last = 4 + mod(5 * i, ndate)
       book(i)%payer = mod(i, 3) /= 0
    end do
  end subroutine make_book

  ! zero rates: level and slope follow mean-reverting walks
  subroutine simulate(tenor, zero)
    real(dp), intent(in)  :: tenor(ntenor)
    real(dp), intent(out) :: zero(npath, ndate, ntenor)
    integer(8) :: s
    integer  :: p, d, k
    real(dp) :: level, slope, u(2)
    s = 20240229_8
    do p = 1, npath
       level = 0.025_dp
       slope = 0.010_dp
       do d = 1, ndate
          do k = 1, 2
             s = mod(s * 16807_8, 2147483647_8)
             u(k) = real(s, dp) / 2147483647.0_dp - 0.5_dp
          end do
          level = level + 0.1_dp * (0.025_dp - level) + 0.015_dp * u(1)
          slope = slope + 0.2_dp * (0.010_dp - slope) + 0.010_dp * u(2)
          do k = 1, ntenor
             zero(p, d, k) = level + slope * (1.0_dp - exp(-0.4_dp * tenor(k)))
          end do
       end do
    end do
  end subroutine simulate

  ! discount factor for time t off the zero curve, linear in the rate
  function discount(curve, tenor, t) result(df)
    real(dp), intent(in) :: curve(ntenor), tenor(ntenor), t
    real(dp) :: df, w
    integer  :: k
    k = 1
    do while (k < ntenor - 1 .and. tenor(k + 1) < t)
       k = k + 1
    end do
    w = min(1.0_dp, max(0.0_dp, (t - tenor(k)) / (tenor(k + 1) - tenor(k))))
    df = exp(-t * ((1.0_dp - w) * curve(k) + w * curve(k + 1)))
  end function discount

  function swap_value(sw, curve, tenor, d) result(v)
    type(swap_t), intent(in) :: sw
    real(dp), intent(in) :: curve(ntenor), tenor(ntenor)
    integer, intent(in)  :: d
    real(dp) :: v, annuity, df
    integer  :: j
    v = 0.0_dp
    if (sw%last <= d) return
    annuity = 0.0_dp
    df = 1.0_dp
    do j = d + 1, sw%last
       df = discount(curve, tenor, 0.5_dp * (j - d))
       annuity = annuity + 0.5_dp * df
    end do
    v = sw%notional * ((1.0_dp - df) - sw%rate * annuity)
    if (.not. sw%payer) v = -v
  end function swap_value
end module book_mod

program exposure
  use book_mod
  implicit none
  real(dp), allocatable :: zero(:, :, :), expo(:, :)
  real(dp) :: tenor(ntenor), ee, v, pfe
  type(swap_t) :: book(nswap)
  integer :: p, d, i

  tenor = [0.25_dp, 0.5_dp, 1.0_dp, 2.0_dp, 3.0_dp, 4.0_dp, 5.0_dp, 7.0_dp, &
       8.0_dp, 10.0_dp, 12.0_dp, 15.0_dp]
  allocate (zero(npath, ndate, ntenor), expo(npath, ndate))
  call make_book(book)
  call simulate(tenor, zero)

  do d = 1, ndate
     do p = 1, npath
        v = 0.0_dp
        do i = 1, nswap
           v = v + swap_value(book(i), zero(p, d, :), tenor, d - 1)
        end do
        expo(p, d) = max(v, 0.0_dp)
     end do
  end do

  do d = 1, ndate, 4
     ee = sum(expo(:, d)) / npath
     pfe = percentile(expo(:, d), 0.95_dp)
     write (*, '(a,i3,a,f16.4,a,f16.4)') 'date', d, '  EE', ee, '  PFE95', pfe
  end do

contains

  function percentile(x, q) result(r)
    real(dp), intent(in) :: x(:)
    real(dp), intent(in) :: q
    real(dp) :: r, a(size(x))
    integer :: i, j, gap
    a = x
    gap = size(a) / 2
    do while (gap > 0)
       do i = gap + 1, size(a)
          r = a(i)
          j = i - gap
          do while (j >= 1)
             if (a(j) <= r) exit
             a(j + gap) = a(j)
             j = j - gap
          end do
          a(j + gap) = r
       end do
       gap = gap / 2
    end do
    r = a(max(1, int(q * size(a))))
  end function percentile
end program exposure
