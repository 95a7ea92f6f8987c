#include "report/formats.h"

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
