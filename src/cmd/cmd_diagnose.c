#include "cmd/cmd.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

struct choices {
    const char *engine;
    struct ws_list kb;
    bool json;
    double threshold_percent;
};

static int diagnose(const char *directory, const struct choices *choices)
{
    struct ws_diagnosis_options options = {choices->engine, choices->threshold_percent};
    struct ws_diagnosis diagnosis = {0};
    struct ws_error error = {0};
    struct ws_kb kb;
    int result, code = ws_cmd_load_kb(&kb, &choices->kb);

    if (code != 0)
        return code;
    result = ws_diagnose(directory, &kb, &options, &diagnosis, &error);
    if (result == 0)
        result = ws_report_write(&diagnosis, choices->json ? "json" : "text", stdout, &error);
    ws_diagnosis_free(&diagnosis);
    ws_kb_free(&kb);
    return result == 0 ? WS_DONE : ws_complain(&error);
}

int ws_cmd_diagnose(int argc, char **argv)
{
    struct choices choices = {.threshold_percent = -1};
    const struct ws_option options[] = {
        {"json", 0, WS_OPTION_FLAG, &choices.json, NULL, "write the report as JSON, for programs"},
        {"threshold", 0, WS_OPTION_NUMBER, &choices.threshold_percent, "PERCENT",
         "tell problems that cost at least this share of the ranks' time (default: 1)"},
        WS_KB_OPTION(&choices.kb),
        {"engine", 0, WS_OPTION_TEXT, &choices.engine, "NAME", "the analysis engine: native or clips"},
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
        code = diagnose(argv[first], &choices);
    free(choices.kb.items);
    return code;
}
