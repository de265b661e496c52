! Linear elasticity on a block of 8-node hexahedra: element stiffness matrices
! are applied to a displacement field to obtain the internal forces.
module hex8
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  real(dp), parameter :: young = 210.0_dp, poisson = 0.3_dp
  real(dp), parameter :: xi(3,8) = reshape([ &
    -1.0_dp,-1.0_dp,-1.0_dp,  1.0_dp,-1.0_dp,-1.0_dp,  1.0_dp, 1.0_dp,-1.0_dp, -1.0_dp, 1.0_dp,-1.0_dp, &
    -1.0_dp,-1.0_dp, 1.0_dp,  1.0_dp,-1.0_dp, 1.0_dp,  1.0_dp, 1.0_dp, 1.0_dp, -1.0_dp, 1.0_dp, 1.0_dp], [3,8])
contains
  subroutine elasticity_matrix(d)
    real(dp), intent(out) :: d(6,6)
    real(dp) :: lam, mu
    integer :: i
    lam = young*poisson/((1 + poisson)*(1 - 2*poisson))
    mu = young/(2*(1 + poisson))
    d = 0
    d(1:3,1:3) = lam
    do i = 1, 3
      d(i,i) = lam + 2*mu
      d(i+3,i+3) = mu
    end do
  end subroutine

  subroutine shape_derivatives(g, dn)
    real(dp), intent(in) :: g(3)
    real(dp), intent(out) :: dn(3,8)
    integer :: a
    do a = 1, 8
      dn(1,a) = 0.125_dp*xi(1,a)*(1 + xi(2,a)*g(2))*(1 + xi(3,a)*g(3))
      dn(2,a) = 0.125_dp*xi(2,a)*(1 + xi(1,a)*g(1))*(1 + xi(3,a)*g(3))
      dn(3,a) = 0.125_dp*xi(3,a)*(1 + xi(1,a)*g(1))*(1 + xi(2,a)*g(2))
    end do
  end subroutine

  subroutine global_gradients(x, dn, grad, det)
    real(dp), intent(in) :: x(3,8), dn(3,8)
    real(dp), intent(out) :: grad(3,8), det
    real(dp) :: j(3,3), inv(3,3)
    j = matmul(dn, transpose(x))
    inv(1,1) = j(2,2)*j(3,3) - j(2,3)*j(3,2)
    inv(1,2) = j(1,3)*j(3,2) - j(1,2)*j(3,3)
    inv(1,3) = j(1,2)*j(2,3) - j(1,3)*j(2,2)
    inv(2,1) = j(2,3)*j(3,1) - j(2,1)*j(3,3)
    inv(2,2) = j(1,1)*j(3,3) - j(1,3)*j(3,1)
    inv(2,3) = j(1,3)*j(2,1) - j(1,1)*j(2,3)
    inv(3,1) = j(2,1)*j(3,2) - j(2,2)*j(3,1)
    inv(3,2) = j(1,2)*j(3,1) - j(1,1)*j(3,2)
    inv(3,3) = j(1,1)*j(2,2) - j(1,2)*j(2,1)
    det = j(1,1)*inv(1,1) + j(1,2)*inv(2,1) + j(1,3)*inv(3,1)
    grad = matmul(inv/det, dn)
  end subroutine

  subroutine strain_matrix(grad, b)
    real(dp), intent(in) :: grad(3,8)
    real(dp), intent(out) :: b(6,24)
    integer :: a, c
    b = 0
    do a = 1, 8
      c = 3*(a-1)
      b(1,c+1) = grad(1,a)
      b(2,c+2) = grad(2,a)
      b(3,c+3) = grad(3,a)
      b(4,c+1) = grad(2,a); b(4,c+2) = grad(1,a)
      b(5,c+2) = grad(3,a); b(5,c+3) = grad(2,a)
      b(6,c+1) = grad(3,a); b(6,c+3) = grad(1,a)
    end do
  end subroutine

  subroutine element_stiffness(x, d, ke)
    real(dp), intent(in) :: x(3,8), d(6,6)
    real(dp), intent(out) :: ke(24,24)
    real(dp) :: dn(3,8), grad(3,8), b(6,24), det
    integer :: q
    ke = 0
    do q = 1, 8
      call shape_derivatives(xi(:,q)/sqrt(3.0_dp), dn)
      call global_gradients(x, dn, grad, det)
      call strain_matrix(grad, b)
      ke = ke + matmul(transpose(b), matmul(d, b))*det
    end do
  end subroutine
end module

program elasticity
  use hex8
  implicit none
  integer, parameter :: n = 22
  integer :: node(0:n,0:n,0:n), conn(8), i, j, k, a, m, nn, pass
  real(dp), allocatable :: xyz(:,:), u(:,:), f(:,:)
  real(dp) :: d(6,6), ke(24,24), ue(24), fe(24)
  nn = (n+1)**3
  allocate(xyz(3,nn), u(3,nn), f(3,nn))
  m = 0
  do k = 0, n
    do j = 0, n
      do i = 0, n
        m = m + 1
        node(i,j,k) = m
        xyz(:,m) = [real(dp) :: i + 0.1_dp*sin(0.7_dp*j), j + 0.1_dp*sin(0.5_dp*k), k + 0.1_dp*cos(0.3_dp*i)]
        u(:,m) = 1.0e-3_dp*[sin(0.2_dp*i*j), cos(0.1_dp*j*k), sin(0.3_dp*k + i)]
      end do
    end do
  end do
  call elasticity_matrix(d)
  do pass = 1, 8
    f = 0
    do k = 0, n-1
      do j = 0, n-1
        do i = 0, n-1
          conn = [node(i,j,k), node(i+1,j,k), node(i+1,j+1,k), node(i,j+1,k), &
                  node(i,j,k+1), node(i+1,j,k+1), node(i+1,j+1,k+1), node(i,j+1,k+1)]
          call element_stiffness(xyz(:,conn), d, ke)
          ue = reshape(u(:,conn), [24])
          fe = matmul(ke, ue)
          do a = 1, 8
            f(:,conn(a)) = f(:,conn(a)) + fe(3*a-2:3*a)
          end do
        end do
      end do
    end do
    xyz = xyz + u
    u = u - 1.0e-4_dp*f
  end do
  print '(a,es20.12)', 'norm of forces  ', sqrt(sum(f**2))
  print '(a,es20.12)', 'strain energy   ', 0.5_dp*sum(abs(f*u))
  print '(a,3es20.12)', 'centre force    ', f(:,node(n/2,n/2,n/2))
end program
