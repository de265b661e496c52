subroutine decay(a, n)
  integer :: n, i
  real(8) :: a(n)
  do i = 2, n
    a(i) = a(i-1) * 0.5d0 + 1
  end do
end subroutine
