#include "report/formats.h"

#include "util/text.h"

const char *ws_report_percent(double percent, char buffer[static 32])
{
    const char *format = percent >= 9.95 ? "%.0f %%" : percent >= 0.095 ? "%.1f %%" : "%.1g %%";
    snprintf(buffer, 32, percent > 0 ? format : "0 %%", percent);
    return buffer;
}

double ws_report_share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* A damaged trace may claim any time. */
const char *ws_report_seconds(double s, char buffer[static 32])
{
    return ws_format_ns(ws_round(s * 1e9), buffer);
}

const char *ws_report_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
