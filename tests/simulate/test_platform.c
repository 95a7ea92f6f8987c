/* The platform that is made of a node's network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "simulate/simulate.h"
#include "util/text.h"

#include <string.h>

static void nodes_cores_and_links(void **state)
{
    const struct ws_link link = {.latency_s = 2e-5, .bandwidth_Bps = 1.25e8};
    struct ws_text text = {0};

    (void)state;
    ws_platform_text(&text, 3, 8, &link);
    assert_non_null(strstr(text.bytes, "radical=\"0-2\""));
    assert_non_null(strstr(text.bytes, "core=\"8\""));
    assert_non_null(strstr(text.bytes, "bw=\"125000000Bps\" lat=\"1e-05s\""));
    assert_non_null(strstr(text.bytes, "id=\"smpi/bw-factor\" value=\"0:1\""));
    ws_text_free(&text);
}

/* 1e6 bytes took 16 ms + latency instead of 8; 100 bytes tell nothing but the latency; the order must not go back. */
static void messages_take_the_times_measured(void **state)
{
    const double sizes[] = {100, 1e6, 1e6, 4e6}, times[] = {3e-5, 2e-5 + 0.016, 1, 2e-5};
    const struct ws_link link = {2e-5, 1.25e8, sizes, times, 4};
    struct ws_text text = {0};

    (void)state;
    ws_platform_text(&text, 1, 1, &link);
    assert_non_null(strstr(text.bytes, "value=\"0:1;1000000:0.5;4000000:1\""));
    ws_text_free(&text);
}

static void nodes_are_filled_one_after_the_other(void **state)
{
    struct ws_text text = {0};

    (void)state;
    ws_platform_hosts(&text, 5, 2);
    assert_string_equal(text.bytes, "node-0\nnode-0\nnode-1\nnode-1\nnode-2\n");
    ws_text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_cores_and_links),
        cmocka_unit_test(messages_take_the_times_measured),
        cmocka_unit_test(nodes_are_filled_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
