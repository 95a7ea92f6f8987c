// test: ranks=2 expect=late-parcel duration=0.200 s
// Process 1 sends 200 ms late.
#include "parcel.h"

#include <unistd.h>

int main(void)
{
    char word[8] = "here";
    if (parcel_join() != 0)
        return 1;
    if (parcel_me() == 1) {
        usleep(200000);
        parcel_send(0, word, sizeof word);
    } else {
        parcel_take(1, word, sizeof word);
    }
    parcel_leave();
    return 0;
}
