#include "cmd/cmd.h"

#include "report/page.h"

#include <stdlib.h>

struct choices {
    struct ws_page_choices page;
    struct ws_list kb, before; /* before: runs to compare with */
};

/* Runs of the version before; some may be loaded where it fails. */
static int load_before(const struct choices *choices, struct ws_diagnosis *diagnoses, size_t *count)
{
    /* A problem below the threshold in one run may be above it in the other. */
    const struct ws_report_choices how = {.engine = choices->page.engine, .threshold_percent = 0, .no_gain = true};
    int code = WS_DONE;

    for (size_t i = 0; i < choices->before.count && code == WS_DONE; i++) {
        code = ws_cmd_load_diagnosis(choices->before.items[i], &choices->kb, &how, &diagnoses[i], NULL);
        (*count)++;
    }
    return code;
}

static int write_page(const struct ws_named_trace *trace, const struct ws_kb *kb, void *context)
{
    struct choices *choices = context;

    if (trace->temporary && !choices->page.file)
        choices->page.file = "report.html"; /* a temporary folder is no place for it */
    return ws_cmd_page(trace->directory, kb, &choices->page);
}

static int report(const char *directory, struct choices *choices)
{
    struct ws_diagnosis *before = ws_alloc_array(choices->before.count + 1, sizeof *before);
    struct ws_side side = {before, choices->before.items, 0};
    int code = load_before(choices, before, &side.count);

    choices->page.before = side.count ? &side : NULL;
    if (code == WS_DONE)
        code = ws_cmd_with_trace(directory, &choices->kb, write_page, choices);
    for (size_t i = 0; i < side.count; i++)
        ws_diagnosis_free(&before[i]);
    free(before);
    return code;
}

int ws_cmd_page_report(int argc, char **argv)
{
    struct choices choices = {.page = WS_PAGE_DEFAULTS};
    const struct ws_option options[] = {
        {"output", 'o', WS_OPTION_FILE, &choices.page.file, "FILE",
         "the page, one HTML file (default: report.html in DIR)"},
        {"open", 0, WS_OPTION_FLAG, &choices.page.open, NULL,
         "open it in a browser: $BROWSER, or the desktop's"},
        {"compare", 0, WS_OPTION_LIST, &choices.before, "PATH",
         "compare it with this run of the version before: a trace, or what 'diagnose --json' wrote; may be "
         "repeated"},
        {"no-source", 0, WS_OPTION_FLAG, &choices.page.no_source, NULL,
         "leave out the lines of your source around the calls, before you pass the page on"},
        {"events", 0, WS_OPTION_WHOLE, &choices.page.events, "N",
         "show at most so many events one by one, those that waited longest first (default: 1000000)"},
        {"threshold", 0, WS_OPTION_PERCENT, &choices.page.threshold_percent, "PERCENT",
         "tell problems that cost at least this share of the ranks' time (default: 1)"},
        {"engine", 0, WS_OPTION_TEXT, &choices.page.engine, "NAME", ws_cmd_engine_help()},
        {"quiet", 'q', WS_OPTION_FLAG, &choices.page.quiet, NULL, "tell nothing but mistakes"},
        WS_KB_OPTION(&choices.kb),
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
                    "whyslow report --open whyslow-out\n"
                    "whyslow report after --compare before",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = report(argv[first], &choices);
    free(choices.kb.items);
    free(choices.before.items);
    return code;
}
