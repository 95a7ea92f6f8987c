#include "report/report.h"

#include "report/formats.h"

#include <errno.h>
#include <string.h>

struct ws_report_format {
    const char *name;
    int (*write)(const struct ws_diagnosis *diagnosis, FILE *out);
};

static const struct ws_report_format formats[] = {
    {"text", ws_report_text},
    {"json", ws_report_json},
    {"brief", ws_report_brief},
};

int ws_report_write(const struct ws_diagnosis *diagnosis, const char *format, FILE *out,
                    struct ws_error *error)
{
    const char *names[sizeof formats / sizeof *formats], *near;
    size_t count = sizeof formats / sizeof *formats;

    for (size_t i = 0; i < count; i++) {
        names[i] = formats[i].name;
        if (strcmp(format, formats[i].name) != 0)
            continue;
        errno = 0;
        if (formats[i].write(diagnosis, out) != 0 || fflush(out) != 0 || ferror(out))
            return ws_fail(error, WS_ENVIRONMENT, "cannot write the report: %s",
                           errno ? strerror(errno) : "the output is broken");
        return 0;
    }
    near = ws_suggest(format, names, count);
    return ws_fail(error, WS_USAGE, "'%s' is no report format; did you mean '%s'?", format,
                   near ? near : names[0]);
}
