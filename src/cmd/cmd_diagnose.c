#include "cmd/cmd.h"

#include <stdlib.h>

static int diagnose(const char *directory, const struct ws_list *extra,
                    const struct ws_report_choices *choices)
{
    struct ws_kb kb;
    int code = ws_cmd_load_kb(&kb, extra);

    if (code != 0)
        return code;
    code = ws_cmd_report(directory, &kb, choices);
    ws_kb_free(&kb);
    return code;
}

int ws_cmd_diagnose(int argc, char **argv)
{
    struct ws_report_choices choices = WS_REPORT_DEFAULTS;
    struct ws_list extra = {0};
    const struct ws_option options[] = {
        WS_REPORT_OPTIONS(&choices, "write the report as JSON, for programs"),
        WS_KB_OPTION(&extra),
    };
    const struct ws_usage usage = {
        .name = "diagnose",
        .line = "find the problems in a recorded run, and what to change",
        .synopsis = "[options] DIR",
        .about = "Reads the trace that 'whyslow record' or 'whyslow run' wrote into DIR and tells which "
                 "problems cost how much time, where in the source, and what to change.",
        .examples = "whyslow diagnose whyslow-out\n"
                    "whyslow diagnose --json --threshold 0.1 whyslow-out",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = diagnose(argv[first], &extra, &choices);
    free(extra.items);
    return code;
}
