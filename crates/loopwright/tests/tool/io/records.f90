! Formatted, unformatted and direct output.
program records
   implicit none
   integer :: k
   real(8) :: row(100)
   row = 1d0
   open (10, file='formatted', status='replace')
   do k = 1, 400
      write (10, '(i6)') k
   end do
   close (10)
   open (11, file='direct', access='direct', recl=800, status='replace')
   do k = 20, 1, -1
      write (11, rec=k) row
   end do
   close (11)
   print *, 'done'
end program
