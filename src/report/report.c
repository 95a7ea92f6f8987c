#include "report/report.h"

#include "report/formats.h"

#include <errno.h>
#include <string.h>

/* A format, and what it can write; NULL: it cannot. */
struct ws_report_format {
    const char *name;
    int (*diagnosis)(const struct ws_diagnosis *diagnosis, FILE *out);
    int (*comparison)(const struct ws_comparison *comparison, FILE *out);
    int (*verdict)(const struct ws_verdict *verdict, FILE *out);
};

static const struct ws_report_format formats[] = {
    {"text", ws_report_text, ws_compare_text, ws_verdict_text},
    {"json", ws_report_json, ws_compare_json, ws_verdict_json},
    {"brief", ws_report_brief, NULL, NULL},
    {"what-if", ws_what_if_text, NULL, NULL},
    {"junit", NULL, NULL, ws_verdict_junit},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

static const struct ws_report_format *find(const char *name)
{
    static const struct ws_report_format none = {0};

    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(name, formats[i].name) == 0)
            return &formats[i];
    return &none;
}

static int unknown(const char *format, struct ws_error *error)
{
    const char *names[FORMAT_COUNT], *near;

    for (size_t i = 0; i < FORMAT_COUNT; i++)
        names[i] = formats[i].name;
    near = ws_suggest(format, names, FORMAT_COUNT);
    return ws_fail(error, WS_USAGE, "'%s' is no report format; did you mean '%s'?", format,
                   near ? near : names[0]);
}

static int written(int result, FILE *out, struct ws_error *error)
{
    if (result != 0 || fflush(out) != 0 || ferror(out))
        return ws_fail(error, WS_ENVIRONMENT, "cannot write the report: %s",
                       errno ? strerror(errno) : "the output is broken");
    return 0;
}

int ws_report_write(const struct ws_diagnosis *diagnosis, const char *format, FILE *out,
                    struct ws_error *error)
{
    const struct ws_report_format *found = find(format);

    errno = 0;
    return found->diagnosis ? written(found->diagnosis(diagnosis, out), out, error) : unknown(format, error);
}

int ws_report_comparison(const struct ws_comparison *comparison, const char *format, FILE *out,
                         struct ws_error *error)
{
    const struct ws_report_format *found = find(format);

    errno = 0;
    return found->comparison ? written(found->comparison(comparison, out), out, error)
                             : unknown(format, error);
}

int ws_report_verdict(const struct ws_verdict *verdict, const char *format, FILE *out, struct ws_error *error)
{
    const struct ws_report_format *found = find(format);

    errno = 0;
    return found->verdict ? written(found->verdict(verdict, out), out, error) : unknown(format, error);
}
