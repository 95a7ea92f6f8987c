/* Two places: messages that place 1 takes by probing, puts, and remote additions, by the library of tests/e2e/x10. */
#include <stdint.h>
#include <stdlib.h>

#include "x10rt.h"

#include "cost.h"

static x10rt_msg_type message_type, put_type;
static uint32_t here;
static volatile int got;
static char data[4096];
static uint32_t bytes;

static void take(const x10rt_msg_params *p)
{
    (void)p;
    got++;
}

static void take_put(const x10rt_msg_params *p, uint32_t length)
{
    (void)p;
    (void)length;
    got++;
}

static void meet(void)
{
    volatile int met = 0;

    x10rt_barrier(0, here, x10rt_one_setter, (void *)&met);
    while (!met)
        x10rt_blocking_probe();
}

static void take_all(void)
{
    while (got < CALLS)
        x10rt_blocking_probe();
    got = 0;
}

static void messages(void)
{
    x10rt_msg_params p = {1, message_type, data, bytes};

    for (int i = 0; here == 0 && i < CALLS; i++)
        x10rt_send_msg(&p);
    if (here == 1)
        take_all();
    meet();
}

static void puts_(void)
{
    x10rt_msg_params p = {1, put_type, data, 8};

    for (int i = 0; here == 0 && i < CALLS; i++)
        x10rt_send_put(&p, data, data, bytes);
    if (here == 1)
        take_all();
    meet();
}

int main(int argc, char **argv)
{
    x10rt_init(&argc, &argv);
    message_type = x10rt_register_msg_receiver(take, NULL, NULL, NULL, NULL);
    put_type = x10rt_register_put_receiver(take_put, NULL);
    x10rt_registration_complete();
    here = x10rt_here();
    meet();
    bytes = 32;
    measure("send_msg,32_B", messages, here == 0);
    bytes = 4096;
    measure("send_put,4_KiB", puts_, here == 0);
    fflush(stdout);
    x10rt_finalize();
    return 0;
}
