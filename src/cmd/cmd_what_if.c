#include "cmd/cmd.h"

#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

static int what_if(const char *path, const struct ws_list *extra, const struct ws_report_choices *choices)
{
    struct ws_diagnosis diagnosis = {0};
    struct ws_error error;
    int code = ws_cmd_load_diagnosis(path, extra, choices, &diagnosis, NULL);

    if (code == WS_DONE && ws_report_write(&diagnosis, choices->json ? "json" : "what-if", stdout, &error) != 0)
        code = ws_complain(&error);
    ws_diagnosis_free(&diagnosis);
    return code;
}

int ws_cmd_what_if(int argc, char **argv)
{
    struct ws_report_choices choices = {.threshold_percent = -1, .gain = true};
    struct ws_list extra = {0};
    const struct ws_option options[] = {
        {"json", 0, WS_OPTION_FLAG, &choices.json, NULL, "write the report with its gains as JSON, as 'diagnose --json'"},
        {"threshold", 0, WS_OPTION_PERCENT, &choices.threshold_percent, "PERCENT",
         "of problems that cost at least this share of the ranks' time (default: 1)"},
        WS_TRACE_OPTIONS(&choices),
        WS_KB_OPTION(&extra),
    };
    const struct ws_usage usage = {
        .name = "what-if",
        .line = "tell what each fix would gain of the run's time, before it is made",
        .synopsis = "[options] DIR",
        .about = "Replays the recorded run: what each rank computed, which message, collective operation or lock it "
                 "had to wait for. Then once more for each problem without its waiting, and with its cause fixed as its "
                 "advice says. A wait that another one would take the place of gains nothing, however long it is.\n\n"
                 "The figures are those of the recorded run: what a fix itself costs (copies, smaller messages) and what "
                 "caches make of it, the replay does not know.",
        .examples = "whyslow what-if whyslow-out\n"
                    "whyslow what-if --json whyslow-out",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = what_if(argv[first], &extra, &choices);
    free(extra.items);
    return code;
}
