#include "simulate/simulate.h"

#include "util/text.h"

#include <inttypes.h>

void ws_platform_text(struct ws_text *out, uint32_t nodes, uint32_t cores, double latency_s,
                      double bandwidth_Bps)
{
    /* A message crosses two links of its ends: each has half of the latency. */
    ws_text_printf(out,
                   "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                   "<platform version=\"4.1\">\n"
                   "  <cluster id=\"cluster\" prefix=\"node-\" suffix=\"\" radical=\"0-%" PRIu32
                   "\" speed=\"1Gf\" core=\"%" PRIu32 "\" bw=\"%.9gBps\" lat=\"%.9gs\"/>\n</platform>\n",
                   nodes - 1, cores, bandwidth_Bps, latency_s / 2);
}
