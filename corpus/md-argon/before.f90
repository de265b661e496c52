! Molecular dynamics of liquid argon in reduced Lennard-Jones units:
! truncated and shifted potential, periodic box, velocity Verlet.
module argon
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: cutoff = 2.5_dp
contains

  subroutine place(n, box, r, v)
    integer, intent(in) :: n
    real(dp), intent(in) :: box
    real(dp), intent(out) :: r(3, n), v(3, n)
    integer :: side, i, k
    integer(8) :: seed
    side = ceiling(real(n, dp)**(1.0_dp/3.0_dp) - 1.0e-9_dp)
    seed = 4711
    do i = 1, n
      r(1, i) = box/side*(mod(i - 1, side) + 0.5_dp)
      r(2, i) = box/side*(mod((i - 1)/side, side) + 0.5_dp)
      r(3, i) = box/side*((i - 1)/(side*side) + 0.5_dp)
      do k = 1, 3
        seed = mod(seed*16807_8, 2147483647_8)
        v(k, i) = 3.0_dp*(real(seed, dp)/2147483647.0_dp - 0.5_dp)
      end do
    end do
    do k = 1, 3
      v(k, :) = v(k, :) - sum(v(k, :))/n
    end do
  end subroutine place

  subroutine forces(n, box, r, f, potential, virial)
    integer, intent(in) :: n
    real(dp), intent(in) :: box, r(3, n)
    real(dp), intent(out) :: f(3, n), potential, virial
    real(dp) :: d(3), d2, s2, s6, shift, g
    integer :: i, j, k
    s6 = 1.0_dp/cutoff**6
    shift = 4.0_dp*s6*(s6 - 1.0_dp)
    f = 0.0_dp
    potential = 0.0_dp
    virial = 0.0_dp
    do i = 1, n - 1
      do j = i + 1, n
        do k = 1, 3
          d(k) = r(k, i) - r(k, j)
          if (d(k) > 0.5_dp*box) d(k) = d(k) - box
          if (d(k) < -0.5_dp*box) d(k) = d(k) + box
        end do
        d2 = d(1)**2 + d(2)**2 + d(3)**2
        if (d2 < cutoff**2) then
          s2 = 1.0_dp/d2
          s6 = s2**3
          potential = potential + 4.0_dp*s6*(s6 - 1.0_dp) - shift
          g = 24.0_dp*s6*(2.0_dp*s6 - 1.0_dp)
          virial = virial + g
          f(:, i) = f(:, i) + g*s2*d
          f(:, j) = f(:, j) - g*s2*d
        end if
      end do
    end do
  end subroutine forces

end module argon

program md
  use argon
  implicit none
  integer, parameter :: n = 1331, steps = 300
  real(dp), parameter :: density = 0.8_dp, dt = 0.004_dp
  real(dp) :: r(3, n), v(3, n), f(3, n), box, potential, virial, kinetic
  integer :: step
  box = (n/density)**(1.0_dp/3.0_dp)
  call place(n, box, r, v)
  call forces(n, box, r, f, potential, virial)
  do step = 1, steps
    v = v + 0.5_dp*dt*f
    r = r + dt*v
    where (r < 0.0_dp) r = r + box
    where (r >= box) r = r - box
    call forces(n, box, r, f, potential, virial)
    v = v + 0.5_dp*dt*f
    if (mod(step, 50) == 0) then
      kinetic = 0.5_dp*sum(v**2)
      print '(a, i4, 4(a, f14.7))', 'step ', step, ' potential ', potential/n, ' kinetic ', kinetic/n, &
        ' total ', (potential + kinetic)/n, ' pressure ', density*(2*kinetic + virial)/(3*n)
    end if
  end do
end program md
