/* The part that Java calls: place 0 sends each other place two messages, and gets one back. */
#include "x10rt.h"

#include <stdio.h>

int run_managed(int argc, char **argv);

static volatile int arrived;

static void take(const x10rt_msg_params *p)
{
    (void)p;
    arrived++;
}

static void wait_until(int wanted)
{
    while (arrived < wanted)
        x10rt_blocking_probe();
}

int run_managed(int argc, char **argv)
{
    x10rt_msg_type type;
    char text[50] = "managed";

    if (x10rt_init(&argc, &argv) != 0)
        return 1;
    type = x10rt_register_msg_receiver(take, NULL, NULL, NULL, NULL);
    x10rt_registration_complete();
    if (x10rt_here() == 0) {
        for (uint32_t k = 1; k < x10rt_nplaces(); k++)
            for (int i = 0; i < 2; i++)
                x10rt_send_msg(&(x10rt_msg_params){k, type, text, 50});
        wait_until((int)x10rt_nplaces() - 1);
    } else {
        wait_until(2);
        x10rt_send_msg(&(x10rt_msg_params){0, type, text, 7});
    }
    printf("managed %u\n", x10rt_here());
    fflush(stdout);
    x10rt_finalize();
    return 0;
}
