#include "cmd/cmd.h"

#include "report/page.h"

#include <stdlib.h>

static int report(const char *directory, const struct ws_list *extra, const struct ws_page_choices *choices)
{
    struct ws_kb kb;
    int code = ws_cmd_load_for_trace(&kb, extra, directory);

    if (code != 0)
        return code;
    code = ws_cmd_page(directory, &kb, choices);
    ws_kb_free(&kb);
    return code;
}

int ws_cmd_page_report(int argc, char **argv)
{
    struct ws_page_choices choices = {.threshold_percent = -1, .events = WS_PAGE_EVENTS};
    struct ws_list extra = {0};
    const struct ws_option options[] = {
        {"output", 'o', WS_OPTION_FILE, &choices.file, "FILE",
         "the page, one HTML file (default: report.html in DIR)"},
        {"open", 0, WS_OPTION_FLAG, &choices.open, NULL, "open it in a browser: $BROWSER, or the desktop's"},
        {"no-source", 0, WS_OPTION_FLAG, &choices.no_source, NULL,
         "leave out the lines of your source around the calls, before you pass the page on"},
        {"events", 0, WS_OPTION_WHOLE, &choices.events, "N",
         "show at most so many events one by one, those that waited longest first (default: 1000000)"},
        {"threshold", 0, WS_OPTION_PERCENT, &choices.threshold_percent, "PERCENT",
         "tell problems that cost at least this share of the ranks' time (default: 1)"},
        {"engine", 0, WS_OPTION_TEXT, &choices.engine, "NAME", ws_cmd_engine_help()},
        {"quiet", 'q', WS_OPTION_FLAG, &choices.quiet, NULL, "tell nothing but mistakes"},
        WS_KB_OPTION(&extra),
    };
    const struct ws_usage usage = {
        .name = "report",
        .line = "write a page to look at: problems, source lines, timeline",
        .synopsis = "[options] DIR",
        .about =
            "Reads the trace that 'whyslow record' or 'whyslow run' wrote into DIR and writes one HTML file "
            "that "
            "needs nothing else, no network either: what cost how much time and where, who waited for whom, "
            "and a timeline of all ranks.\n\n"
            "The source lines around the calls are in it, as they are now where the debug information says "
            "(--no-source leaves them out).",
        .examples = "whyslow report whyslow-out -o slow.html\n"
                    "whyslow report --open whyslow-out",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = report(argv[first], &extra, &choices);
    free(extra.items);
    return code;
}
