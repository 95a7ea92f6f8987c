#include "predict/model/paper.h"

#include <math.h>

/* "At least two bytes of data" for the operands of each instruction: what an access moves, whatever the line.
 */
#define OPERAND_BYTES 2

/* c2 and c3 of the table are operations per second; equation (3) wants cycles for an operation. */
static double cycles(const double *c, enum ws_characteristic operations)
{
    return c[WS_CLOCK] / c[operations];
}

static double level(double accesses, double bandwidth_Bps, double latency_s)
{
    return accesses * (OPERAND_BYTES / bandwidth_Bps + latency_s);
}

struct ws_paper_time ws_paper_theory(const double c[WS_CHARACTERISTICS], const double h[WS_PARAMETERS])
{
    struct ws_paper_time t;

    t.cpu_s =
        h[WS_INSTRUCTIONS] *
        (cycles(c, WS_INTEGER_OPS) * h[WS_INTEGER_SHARE] + cycles(c, WS_FLOAT_OPS) * h[WS_FLOAT_SHARE]) /
        c[WS_CLOCK];
    t.l1_s = level(h[WS_L1_ACCESSES], c[WS_L1_BANDWIDTH], c[WS_L1_LATENCY]);
    t.l2_s = level(h[WS_L2_ACCESSES] + h[WS_L1_MISSES], c[WS_L2_BANDWIDTH], c[WS_L2_LATENCY]);
    t.memory_s = level(h[WS_L2_MISSES], c[WS_MEMORY_BANDWIDTH], c[WS_MEMORY_LATENCY]);
    t.disk_s = c[WS_DISK_SEEK] * (h[WS_READ_SESSIONS] + h[WS_WRITE_SESSIONS]) +
               h[WS_BYTES_READ] / c[WS_DISK_READ] + h[WS_BYTES_WRITTEN] / c[WS_DISK_WRITE];
    t.total_s = t.cpu_s + (t.l1_s + t.l2_s + t.memory_s) + t.disk_s;
    return t;
}

double ws_paper_transfer(double reference_s, double theory_reference_s, double theory_target_s)
{
    return theory_reference_s > 0 ? theory_target_s * (reference_s / theory_reference_s) : 0;
}

double ws_paper_power_law(double x0, double time0_s, double x1, double time1_s, double x)
{
    double y = log(time1_s / time0_s) / log(x1 / x0);

    return time0_s * pow(x / x0, y);
}
