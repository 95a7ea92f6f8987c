! Images in a ring: each hands an array on, all add up under a lock and to one sum.
program ring
    use, intrinsic :: iso_fortran_env, only: event_type, lock_type
    implicit none
    integer :: total[*], step, left, right
    real(8) :: field(100)[*], whole
    type(event_type) :: arrived[*]
    type(lock_type) :: key[*]

    left = merge(num_images(), this_image() - 1, this_image() == 1)
    right = merge(1, this_image() + 1, this_image() == num_images())
    total = 0
    sync all
    do step = 1, 50
        field(:)[right] = real(step * this_image(), 8)
        event post (arrived[right])
        event wait (arrived)
        lock (key[1])
        total[1] = total[1] + nint(field(1))
        unlock (key[1])
        sync all
    end do
    whole = sum(field)
    call co_sum(whole)
    call co_broadcast(total, source_image=1)
    sync images (*)
    print '(a,i0,a,i0,a,f0.1,a,i0)', 'image ', this_image(), ' of ', num_images(), ' sum ', whole, ' total ', total
end program
