/* The recorder is not linked with the runtime's library, so what it asks of it is looked up. */
#include "support.h"

void ws_after_parcel_join(int result)
{
    int (*me)(void) = (int (*)(void))ws_next("parcel_me");
    int (*count)(void) = (int (*)(void))ws_next("parcel_count");

    if (result == 0)
        ws_recorder_join((uint32_t)me(), (uint32_t)count(), "Parcel");
}

void ws_before_parcel_leave(void)
{
    ws_recorder_finish();
}
