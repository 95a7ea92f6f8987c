#include "report/exchange.h"

#include <errno.h>
#include <string.h>

static const struct {
    const char *name;
    void (*write)(const struct ws_exchange *exchange, const struct ws_exchange_view *view, FILE *out);
} forms[] = {
    {"text", ws_exchange_text},
    {"json", ws_exchange_json},
    {"csv", ws_exchange_csv},
};

int ws_exchange_write(const struct ws_exchange *exchange, const struct ws_exchange_view *view,
                      const char *form, FILE *out, struct ws_error *error)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(forms[i].name, form) != 0)
            continue;
        errno = 0;
        forms[i].write(exchange, view, out);
        if (fflush(out) != 0 || ferror(out))
            return ws_fail(error, WS_ENVIRONMENT, "cannot write the exchange: %s",
                           errno ? strerror(errno) : "the output is broken");
        return 0;
    }
    return ws_fail(error, WS_USAGE, "'%s' is no form of an exchange", form);
}

const char *ws_short_count(uint64_t count, char buffer[static 8])
{
    static const char units[] = " KMGTPE";
    unsigned unit = 0;
    uint64_t rest = 0;

    for (; count >= 1000 && units[unit + 1]; unit++) {
        rest = count % 1024;
        count /= 1024;
    }
    if (unit == 0)
        snprintf(buffer, 8, "%u", (unsigned)count);
    else if (count < 10)
        snprintf(buffer, 8, "%u.%u%c", (unsigned)count, (unsigned)(rest * 10 / 1024), units[unit]);
    else
        snprintf(buffer, 8, "%u%c", (unsigned)count, units[unit]);
    return buffer;
}
