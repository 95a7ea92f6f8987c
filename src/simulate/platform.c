#include "simulate/simulate.h"

#include "util/text.h"

#include <inttypes.h>

/* SimGrid corrects the bandwidth by factors for messages from certain sizes on: such that a message measured
 * takes its time, latency + size / (bandwidth * factor). */
static void put_factors(struct ws_text *out, const struct ws_link *link)
{
    double last_bytes = 0;

    ws_text_puts(out, "0:1");
    for (size_t i = 0; i < link->count; i++) {
        double bytes = link->sizes_bytes[i], moving_s = link->times_s[i] - link->latency_s;
        double factor = moving_s > 0 ? bytes / link->bandwidth_Bps / moving_s : 1;
        /* Of short messages the latency is nearly all. */
        if (bytes <= last_bytes || bytes / link->bandwidth_Bps < 0.1 * link->latency_s)
            continue;
        factor = factor < 0.001 ? 0.001 : factor > 1000 ? 1000 : factor;
        ws_text_printf(out, ";%.0f:%.6g", bytes, factor);
        last_bytes = bytes;
    }
}

void ws_platform_text(struct ws_text *out, uint32_t nodes, uint32_t cores, const struct ws_link *link)
{
    ws_text_puts(
        out, "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version=\"4.1\">\n"
             "  <config><prop id=\"smpi/lat-factor\" value=\"0:1\"/><prop id=\"smpi/bw-factor\" value=\"");
    put_factors(out, link);
    /* A message crosses two links, those of its ends: each has half of the latency. */
    ws_text_printf(
        out,
        "\"/></config>\n  <cluster id=\"cluster\" prefix=\"node-\" suffix=\"\" radical=\"0-%" PRIu32
        "\" speed=\"1Gf\" core=\"%" PRIu32 "\" bw=\"%.9gBps\" lat=\"%.9gs\"/>\n</platform>\n",
        nodes - 1, cores, link->bandwidth_Bps, link->latency_s / 2);
}

void ws_platform_hosts(struct ws_text *out, uint32_t ranks, uint32_t cores)
{
    for (uint32_t i = 0; i < ranks; i++)
        ws_text_printf(out, "node-%" PRIu32 "\n", i / cores);
}
