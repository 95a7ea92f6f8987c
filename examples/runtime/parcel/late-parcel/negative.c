// test: ranks=2 expect=none planted=0.200 s
// The parcel has been there for long when process 0 takes it.
#include "parcel.h"

#include <unistd.h>

int main(void)
{
    char word[8] = "here";
    if (parcel_join() != 0)
        return 1;
    if (parcel_me() == 1) {
        parcel_send(0, word, sizeof word);
    } else {
        usleep(200000);
        parcel_take(1, word, sizeof word);
    }
    parcel_leave();
    return 0;
}
