! Spectral elements: the nonlinear term u*u of a field on hexahedral elements,
! evaluated at the Gauss points and projected back on the nodal basis.
module element
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: np = 7, nq = 9
  real(dp) :: basis(nq, np), weight(nq)
contains

  subroutine gauss(n, x, w)
    integer, intent(in) :: n
    real(dp), intent(out) :: x(n), w(n)
    real(dp) :: p0, p1, p2, dpn, z
    integer :: i, k, it
    do i = 1, n
      z = cos(3.14159265358979324_dp*(i - 0.25_dp)/(n + 0.5_dp))
      do it = 1, 20
        p0 = 1.0_dp
        p1 = z
        do k = 2, n
          p2 = ((2*k - 1)*z*p1 - (k - 1)*p0)/k
          p0 = p1
          p1 = p2
        end do
        dpn = n*(z*p1 - p0)/(z*z - 1.0_dp)
        z = z - p1/dpn
      end do
      x(i) = z
      w(i) = 2.0_dp/((1.0_dp - z*z)*dpn*dpn)
    end do
  end subroutine gauss

  subroutine set_up()
    real(dp) :: x(nq), node(np)
    integer :: q, i, j
    call gauss(nq, x, weight)
    do i = 1, np
      node(i) = -cos(3.14159265358979324_dp*(i - 1)/(np - 1))
    end do
    basis = 1.0_dp
    do q = 1, nq
      do i = 1, np
        do j = 1, np
          if (j /= i) basis(q, i) = basis(q, i)*(x(q) - node(j))/(node(i) - node(j))
        end do
      end do
    end do
  end subroutine set_up

  subroutine square_term(u, r)
    real(dp), intent(in) :: u(np, np, np)
    real(dp), intent(out) :: r(np, np, np)
    real(dp) :: t1(nq, np, np), t2(nq, nq, np), v(nq, nq, nq)
    integer :: i, j, k, b, c
    ! sum factorisation: the tensor product is applied one direction at a time
    do k = 1, np
      do j = 1, np
        t1(:, j, k) = basis(:, 1)*u(1, j, k)
        do i = 2, np
          t1(:, j, k) = t1(:, j, k) + basis(:, i)*u(i, j, k)
        end do
      end do
    end do
    t2 = 0.0_dp
    do k = 1, np
      do j = 1, np
        do b = 1, nq
          t2(:, b, k) = t2(:, b, k) + basis(b, j)*t1(:, j, k)
        end do
      end do
    end do
    v = 0.0_dp
    do k = 1, np
      do c = 1, nq
        v(:, :, c) = v(:, :, c) + basis(c, k)*t2(:, :, k)
      end do
    end do
    do c = 1, nq
      do b = 1, nq
        v(:, b, c) = v(:, b, c)**2*weight*(weight(b)*weight(c))
      end do
    end do
    ! and the transposed operations back
    t2 = 0.0_dp
    do c = 1, nq
      do k = 1, np
        t2(:, :, k) = t2(:, :, k) + basis(c, k)*v(:, :, c)
      end do
    end do
    t1 = 0.0_dp
    do k = 1, np
      do b = 1, nq
        do j = 1, np
          t1(:, j, k) = t1(:, j, k) + basis(b, j)*t2(:, b, k)
        end do
      end do
    end do
    do k = 1, np
      do j = 1, np
        do i = 1, np
          r(i, j, k) = dot_product(basis(:, i), t1(:, j, k))
        end do
      end do
    end do
  end subroutine square_term

end module element

program sem
  use element
  implicit none
  integer, parameter :: nelem = 320, steps = 12
  real(dp) :: u(np, np, np, nelem), r(np, np, np)
  integer :: e, i, j, k, step
  call set_up()
  do e = 1, nelem
    do k = 1, np
      do j = 1, np
        do i = 1, np
          u(i, j, k, e) = sin(0.3_dp*i + 0.1_dp*e)*cos(0.2_dp*j)*(1.0_dp + 0.05_dp*k)
        end do
      end do
    end do
  end do
  do step = 1, steps
    do e = 1, nelem
      call square_term(u(:, :, :, e), r)
      u(:, :, :, e) = u(:, :, :, e) - 0.05_dp*r
    end do
    if (mod(step, 3) == 0) print '(a, i4, a, es20.12, a, es20.12)', 'step ', step, ' sum ', sum(u), &
      ' norm ', sqrt(sum(u**2))
  end do
  do e = 1, nelem, 70
    print '(a, i4, 3es20.12)', 'element ', e, u(1, 1, 1, e), u(4, 3, 2, e), u(np, np, np, e)
  end do
end program sem
