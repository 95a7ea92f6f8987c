/* Each process passes parcels around the ring, leaves something on its neighbour's shelf and looks at the one
 * after that. */
#include "parcel.h"

#include <stdio.h>

int main(void)
{
    char bytes[100] = "parcel";
    long shelf = 0;

    if (parcel_join() != 0)
        return 1;
    int me = parcel_me(), count = parcel_count(), next = (me + 1) % count;
    for (int round = 0; round < 3; round++) {
        parcel_send(next, bytes, sizeof bytes);
        parcel_take((me + count - 1) % count, bytes, sizeof bytes);
    }
    parcel_put(next, 0, &me, sizeof me);
    parcel_get(next, 8, &shelf, sizeof shelf);
    printf("done %d\n", me);
    fflush(stdout);
    parcel_leave();
    return 0;
}
