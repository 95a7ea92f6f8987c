/* Who a process is, and how many there are. */
#ifndef WS_KB_PARCEL_SUPPORT_H
#define WS_KB_PARCEL_SUPPORT_H

#include "recorder/hot.h"

void ws_after_parcel_join(int result);
void ws_before_parcel_leave(void);

#endif
