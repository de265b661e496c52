! Directional experimental variogram of a soil survey: semivariances by lag
! class for four azimuths, each with an angular tolerance.
module variography
   implicit none
   integer, parameter :: dp = kind(1.0d0)
   real(dp), parameter :: pi = 3.14159265358979323846_dp

   type :: survey
      integer :: n
      real(dp), allocatable :: east(:), north(:), grade(:)
   end type survey

   type :: variogram
      integer :: ndir, nlag
      real(dp) :: lag, tolerance
      real(dp), allocatable :: azimuth(:)
      real(dp), allocatable :: gamma(:, :), distance(:, :)
      integer, allocatable :: pairs(:, :)
   end type variogram

contains

   real(dp) function uniform(state)
      integer(8), intent(inout) :: state
      state = mod(state*16807_8, 2147483647_8)
      uniform = real(state, dp)/2147483647.0_dp
   end function uniform

   subroutine make_survey(s, n)
      type(survey), intent(out) :: s
      integer, intent(in) :: n
      integer(8) :: state
      integer :: i
      state = 20240611_8
      s%n = n
      allocate (s%east(n), s%north(n), s%grade(n))
      do i = 1, n
         s%east(i) = 2000.0_dp*uniform(state)
         s%north(i) = 1500.0_dp*uniform(state)
         s%grade(i) = 3.0_dp + sin(s%east(i)/180.0_dp) + 0.7_dp*cos(s%north(i)/95.0_dp) &
                      + 0.4_dp*(uniform(state) - 0.5_dp)
      end do
   end subroutine make_survey

   subroutine init_variogram(v, ndir, nlag, lag, tolerance)
      type(variogram), intent(out) :: v
      integer, intent(in) :: ndir, nlag
      real(dp), intent(in) :: lag, tolerance
      integer :: k
      v%ndir = ndir
      v%nlag = nlag
      v%lag = lag
      v%tolerance = tolerance
      allocate (v%azimuth(ndir), v%gamma(nlag, ndir), v%distance(nlag, ndir), v%pairs(nlag, ndir))
      v%azimuth = [(180.0_dp*(k - 1)/ndir, k=1, ndir)]
      v%gamma = 0.0_dp
      v%distance = 0.0_dp
      v%pairs = 0
   end subroutine init_variogram

   subroutine accumulate_pairs(s, v)
      type(survey), intent(in) :: s
      type(variogram), intent(inout) :: v
      integer :: i, j, k, l
      real(dp) :: de, dn, h, h2, along, cos2, reach2
      real(dp) :: ue(v%ndir), un(v%ndir)
      ! Unit vectors of the azimuths: the angle between pair and azimuth is within
      ! the tolerance where the squared cosine is at least that of the tolerance
      ue = sin(v%azimuth*pi/180.0_dp)
      un = cos(v%azimuth*pi/180.0_dp)
      cos2 = cos(v%tolerance*pi/180.0_dp)**2
      reach2 = (v%lag*v%nlag)**2
      do i = 1, s%n - 1
         do j = i + 1, s%n
            de = s%east(j) - s%east(i)
            dn = s%north(j) - s%north(i)
            h2 = de**2 + dn**2
            if (h2 >= reach2) cycle
            do k = 1, v%ndir
               along = de*ue(k) + dn*un(k)
               if (along**2 >= cos2*h2) then
                  h = sqrt(h2)
                  l = int(h/v%lag) + 1
                  if (l <= v%nlag) then
                     v%gamma(l, k) = v%gamma(l, k) + 0.5_dp*(s%grade(j) - s%grade(i))**2
                     v%distance(l, k) = v%distance(l, k) + h
                     v%pairs(l, k) = v%pairs(l, k) + 1
                  end if
               end if
            end do
         end do
      end do
      where (v%pairs > 0)
         v%gamma = v%gamma/v%pairs
         v%distance = v%distance/v%pairs
      end where
   end subroutine accumulate_pairs

end module variography

program directional_variogram
   use variography
   implicit none
   type(survey) :: s
   type(variogram) :: v
   integer :: k, l

   call make_survey(s, 6400)
   call init_variogram(v, 4, 30, 50.0_dp, 20.0_dp)
   call accumulate_pairs(s, v)

   do k = 1, v%ndir
      print '(a,f6.1,a,i10)', 'azimuth ', v%azimuth(k), '  pairs ', sum(v%pairs(:, k))
      do l = 1, v%nlag, 7
         print '(i4,i9,f14.8,f14.8)', l, v%pairs(l, k), v%distance(l, k), v%gamma(l, k)
      end do
   end do
end program directional_variogram
