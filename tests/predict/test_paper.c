/* The methodology's equations with its own two nodes; the right values are computed by hand below. */
#include "made_up.h"

#include "predict/model/paper.h"

#include <math.h>

/* The table of nodes: GHz, Gips, Gflops; Gbit/s and ns; ms and Mbit/s. */
#define GBIT (1e9 / 8)
static const double reference[] = {3.0e9,   11.99e9,     5.93e9,  46.9 * GBIT, 1.5e-9,   19.08 * GBIT,
                                   13.2e-9, 4.01 * GBIT, 10.4e-9, 5e-3,        52e6 / 8, 32e6 / 8};
static const double target[] = {2.0e9,   7.87e9,      2.67e9,  31.38 * GBIT, 1.6e-9,   10.4 * GBIT,
                                11.2e-9, 2.41 * GBIT, 83.7e-9, 6e-3,         49e6 / 8, 30e6 / 8};

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-9 * fabs(wanted)))
        fail_msg("%.17g is not %.17g", found, wanted);
}

/* One component at a time: all other parameters are 0. */
static struct ws_paper_time only(const double *c, enum ws_parameter parameter, double value)
{
    double h[WS_PARAMETERS] = {0};

    h[parameter] = value;
    return ws_paper_theory(c, h);
}

static void test_each_component(void **state)
{
    double h[WS_PARAMETERS] = {[WS_INSTRUCTIONS] = 1e9, [WS_INTEGER_SHARE] = 0.75, [WS_FLOAT_SHARE] = 0.25};
    (void)state;

    /* (3): 1e9 instructions: 0.75 / 11.99 + 0.25 / 5.93 s; the clock cancels */
    assert_near(ws_paper_theory(reference, h).cpu_s, 0.75 / 11.99 + 0.25 / 5.93);
    assert_near(ws_paper_theory(target, h).cpu_s, 0.75 / 7.87 + 0.25 / 2.67);
    /* (6): 2 bytes at 46.9 Gbit/s are 16 / 46.9 ns, and 1.5 ns */
    assert_near(only(reference, WS_L1_ACCESSES, 1e9).l1_s, 16 / 46.9 + 1.5);
    assert_near(only(target, WS_L1_ACCESSES, 1e9).l1_s, 16 / 31.38 + 1.6);
    /* (7): accesses to the second level and misses of the first, each */
    assert_near(only(reference, WS_L2_ACCESSES, 1e9).l2_s, 16 / 19.08 + 13.2);
    assert_near(only(reference, WS_L1_MISSES, 1e9).l2_s, 16 / 19.08 + 13.2);
    assert_near(only(target, WS_L1_MISSES, 1e9).l2_s, 16 / 10.4 + 11.2);
    /* (8) */
    assert_near(only(reference, WS_L2_MISSES, 1e9).memory_s, 16 / 4.01 + 10.4);
    assert_near(only(target, WS_L2_MISSES, 1e9).memory_s, 16 / 2.41 + 83.7);
    /* (5): a session seeks; 52 Mbit are read, 32 Mbit written in a second */
    assert_near(only(reference, WS_READ_SESSIONS, 3).disk_s, 0.015);
    assert_near(only(reference, WS_WRITE_SESSIONS, 3).disk_s, 0.015);
    assert_near(only(reference, WS_BYTES_READ, 6.5e6).disk_s, 1);
    assert_near(only(reference, WS_BYTES_WRITTEN, 4e6).disk_s, 1);
    assert_near(only(target, WS_BYTES_READ, 49e6).disk_s, 8);
}

/* A matrix product, n = 1000: seven instructions and two loads for each of n^3 terms; every sixteenth access
 * leaves the first level, every hundredth the second. */
static const double product[WS_PARAMETERS] = {7e9,     2e9, 1.25e8, 1.25e8, 2e7, 6.0 / 7,
                                              1.0 / 7, 2,   1,      1.6e7,  8e6};

static void test_the_sum_and_its_transfer(void **state)
{
    struct ws_paper_time r = ws_paper_theory(reference, product), t = ws_paper_theory(target, product);
    double reference_s = (6 / 11.99 + 1 / 5.93) + 2 * (16 / 46.9 + 1.5) + 0.25 * (16 / 19.08 + 13.2) +
                         0.02 * (16 / 4.01 + 10.4) + 0.005 * 3 + 16 / 6.5 + 8 / 4.0;
    double target_s = (6 / 7.87 + 1 / 2.67) + 2 * (16 / 31.38 + 1.6) + 0.25 * (16 / 10.4 + 11.2) +
                      0.02 * (16 / 2.41 + 83.7) + 0.006 * 3 + 16 / 6.125 + 8 / 3.75;
    (void)state;

    assert_near(r.total_s, reference_s);
    assert_near(t.total_s, target_s);
    /* (2): measured 10 s there, so as much longer here as the theory says */
    assert_near(ws_paper_transfer(10, r.total_s, t.total_s), 10 * target_s / reference_s);
    assert_near(ws_paper_transfer(r.total_s, r.total_s, t.total_s), target_s); /* a = 1 */
    assert_near(ws_paper_transfer(10, 0, 0), 0);
}

static void test_the_power_law(void **state)
{
    (void)state;
    /* a = 8, b = 2: y = 3 */
    assert_near(ws_paper_power_law(1000, 2, 2000, 16, 1500), 2 * 1.5 * 1.5 * 1.5);
    assert_near(ws_paper_power_law(1000, 2, 2000, 16, 1000), 2);
    assert_near(ws_paper_power_law(1000, 2, 2000, 16, 2000), 16);
    assert_near(ws_paper_power_law(1000, 2, 3000, 2, 1700), 2); /* the same time: y = 0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_component),
        cmocka_unit_test(test_the_sum_and_its_transfer),
        cmocka_unit_test(test_the_power_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
