! Electrostatic potential, field and field gradient of a Gaussian charge
! distribution on a grid of points (s-type primitive pairs, Boys functions F0..F2).
module esp
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: pi = 3.141592653589793_dp
  type primitive_pair
    real(dp) :: p, coef, centre(3)
  end type
  ! F_m on a grid of step 1/16, for a Taylor expansion around the nearest grid point
  integer, parameter :: mtab = 8, ntab = 561
  real(dp) :: table(0:mtab,0:ntab)
contains
  ! F_0(t) .. F_m(t) by the series
  subroutine boys_series(m, t, f)
    integer, intent(in) :: m
    real(dp), intent(in) :: t
    real(dp), intent(out) :: f(0:m)
    real(dp) :: term, total, et
    integer :: i, k
    et = exp(-t)
    if (t > 35.0_dp) then
      f(0) = 0.5_dp*sqrt(pi/t)
      do k = 1, m
        f(k) = ((2*k-1)*f(k-1) - et)/(2*t)
      end do
      return
    end if
    term = 1.0_dp/(2*m + 1)
    total = term
    i = 0
    do while (term > 1.0e-16_dp*total)
      i = i + 1
      term = term*2*t/(2*m + 2*i + 1)
      total = total + term
    end do
    f(m) = et*total
    do k = m-1, 0, -1
      f(k) = (2*t*f(k+1) + et)/(2*k + 1)
    end do
  end subroutine

  subroutine boys_setup()
    integer :: i
    do i = 0, ntab
      call boys_series(mtab, i/16.0_dp, table(:,i))
    end do
  end subroutine

  ! F_0(t) .. F_2(t)
  subroutine boys(t, f)
    real(dp), intent(in) :: t
    real(dp), intent(out) :: f(0:2)
    real(dp), parameter :: c6 = 1/6.0_dp, c24 = 1/24.0_dp, c120 = 1/120.0_dp, c720 = 1/720.0_dp
    real(dp) :: x
    integer :: g
    if (t > 35.0_dp) then
      call boys_series(2, t, f)
      return
    end if
    g = int(16*t + 0.5_dp)
    x = g/16.0_dp - t
    f(2) = table(2,g) + x*(table(3,g) + x*(table(4,g)*0.5_dp + x*(table(5,g)*c6 &
         + x*(table(6,g)*c24 + x*(table(7,g)*c120 + x*table(8,g)*c720)))))
    f(0) = table(0,g) + x*(table(1,g) + x*(table(2,g)*0.5_dp + x*(table(3,g)*c6 &
         + x*(table(4,g)*c24 + x*(table(5,g)*c120 + x*table(6,g)*c720)))))
    f(1) = table(1,g) + x*(table(2,g) + x*(table(3,g)*0.5_dp + x*(table(4,g)*c6 &
         + x*(table(5,g)*c24 + x*(table(6,g)*c120 + x*table(7,g)*c720)))))
  end subroutine

  subroutine add_point(pairs, r, v, e, q)
    type(primitive_pair), intent(in) :: pairs(:)
    real(dp), intent(in) :: r(3)
    real(dp), intent(out) :: v, e(3), q(3,3)
    real(dp) :: d(3), f(0:2), pre, p
    integer :: i, a, b
    v = 0; e = 0; q = 0
    do i = 1, size(pairs)
      p = pairs(i)%p
      d = r - pairs(i)%centre
      call boys(p*(d(1)**2 + d(2)**2 + d(3)**2), f)
      pre = pairs(i)%coef*2*pi/p
      v = v + pre*f(0)
      do a = 1, 3
        e(a) = e(a) + pre*2*p*d(a)*f(1)
        do b = 1, 3
          q(b,a) = q(b,a) + pre*4*p*p*d(a)*d(b)*f(2)
        end do
        q(a,a) = q(a,a) - pre*2*p*f(1)
      end do
    end do
  end subroutine
end module

program esp_grid
  use esp
  implicit none
  integer, parameter :: natom = 12, nexp = 3
  real(dp), parameter :: alpha(nexp) = [3.42525_dp, 0.623914_dp, 0.168855_dp]
  real(dp), parameter :: c(nexp) = [0.154329_dp, 0.535328_dp, 0.444635_dp]
  type(primitive_pair), allocatable :: pairs(:)
  real(dp) :: xyz(3,natom), d2, p, v, e(3), q(3,3), vsum, esum, qsum, r(3)
  integer :: i, j, a, b, n, ix, iy, iz
  do i = 1, natom
    xyz(:,i) = [2.2_dp*cos(0.9_dp*i), 2.2_dp*sin(0.9_dp*i), 0.6_dp*i - 3.0_dp]
  end do
  allocate(pairs(natom*natom*nexp*nexp))
  n = 0
  do i = 1, natom
    do j = 1, natom
      d2 = sum((xyz(:,i) - xyz(:,j))**2)
      do a = 1, nexp
        do b = 1, nexp
          p = alpha(a) + alpha(b)
          if (alpha(a)*alpha(b)/p*d2 > 20) cycle
          n = n + 1
          pairs(n)%p = p
          pairs(n)%coef = c(a)*c(b)*exp(-alpha(a)*alpha(b)/p*d2)/(1 + abs(i-j))
          pairs(n)%centre = (alpha(a)*xyz(:,i) + alpha(b)*xyz(:,j))/p
        end do
      end do
    end do
  end do
  call boys_setup()
  vsum = 0; esum = 0; qsum = 0
  do iz = 1, 17
    do iy = 1, 17
      do ix = 1, 17
        r = 0.5_dp*[ix-9, iy-9, iz-9]
        call add_point(pairs(:n), r, v, e, q)
        vsum = vsum + v
        esum = esum + sqrt(sum(e**2))
        qsum = qsum + sqrt(sum(q**2))
      end do
    end do
  end do
  print '(a,i8)', 'pairs     ', n
  print '(a,es20.12)', 'potential ', vsum
  print '(a,es20.12)', 'field     ', esum
  print '(a,es20.12)', 'gradient  ', qsum
  print '(a,3es20.12)', 'corner    ', v, e(1), q(1,2)
end program
