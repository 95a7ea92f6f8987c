/* The options that say what is recorded of a run. */
#include "cmd/cmd.h"

#include "trace/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};
static const struct unit times[] = {{"s", 1e9}, {"ms", 1e6}, {"min", 60e9}, {"h", 3600e9}, {"", 1e9}};
static const struct unit sizes[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"kB", 1e3}, {"MB", 1e6},
                                    {"GB", 1e9}, {"TB", 1e12}, {"", 1}};

/* A number with one of the units; false: it is none, or not above 0. */
static bool parse(const char *text, const struct unit *units, size_t count, uint64_t *value)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || !isdigit((unsigned char)*text))
        return false;
    end += *end == ' ';
    for (size_t i = 0; i < count; i++)
        if (strcmp(end, units[i].name) == 0 && number * units[i].factor >= 1 &&
            number * units[i].factor < 9e18) {
            *value = (uint64_t)(number * units[i].factor);
            return true;
        }
    return false;
}

static int parse_time(const char *option, const char *text, uint64_t *ns)
{
    if (!text || parse(text, times, sizeof times / sizeof *times, ns))
        return 0;
    ws_message("--%s wants a time above 0: 10s, 500ms, 2min (not '%s')", option, text);
    return WS_USAGE;
}

static int parse_size(const char *option, const char *text, uint64_t *bytes)
{
    if (!text || parse(text, sizes, sizeof sizes / sizeof *sizes, bytes))
        return 0;
    ws_message("--%s wants a size: 500M, 2G, 65536 (not '%s')", option, text);
    return WS_USAGE;
}

/* "0-3,7" */
static bool are_ranks(const char *text)
{
    for (;; text++) {
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > 9)
            return false;
        text += digits;
        if (*text == '-') {
            digits = strspn(++text, "0123456789");
            if (digits == 0 || digits > 9)
                return false;
            text += digits;
        }
        if (*text == '\0')
            return true;
        if (*text != ',')
            return false;
    }
}

int ws_cmd_limits(const struct ws_limit_choices *choices, struct ws_limits *limits)
{
    *limits = (struct ws_limits){.only = choices->only};
    if (parse_time("after", choices->after, &limits->after_ns) != 0 ||
        parse_time("for", choices->length, &limits->for_ns) != 0 ||
        parse_size("max-size", choices->max_size, &limits->max_bytes) != 0 ||
        parse_size("buffer", choices->buffer, &limits->buffer_bytes) != 0)
        return WS_USAGE;
    if (choices->sample && !parse(choices->sample, sizes, sizeof sizes / sizeof *sizes, &limits->sample)) {
        ws_message("--sample wants a number above 0: 1000, 10k (not '%s')", choices->sample);
        return WS_USAGE;
    }
    if (limits->only && !are_ranks(limits->only)) {
        ws_message("--only wants ranks: 0-3,7 (not '%s')", limits->only);
        return WS_USAGE;
    }
    if (limits->buffer_bytes &&
        (limits->buffer_bytes < WS_LEAST_BUFFER || limits->buffer_bytes > WS_MOST_BUFFER)) {
        ws_message("--buffer wants a size from 16384 to 67108864 bytes");
        return WS_USAGE;
    }
    return 0;
}
