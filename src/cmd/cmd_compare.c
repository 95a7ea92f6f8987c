#include "cmd/cmd.h"

#include "report/page.h"
#include "report/report.h"

#include <stdlib.h>

struct choices {
    struct ws_list before, after, kb; /* before, after: further runs */
    double noise_percent, threshold_percent;
    struct ws_report_choices report; /* of the traces */
    struct ws_page_choices page;
};

/* The runs of a side: the first one, then the further ones. */
struct runs {
    struct ws_diagnosis *diagnoses;
    const char **paths;
    size_t count;
};

/* first NULL: only the further ones. */
static int load(const char *first, const struct ws_list *further, const struct choices *choices,
                struct runs *runs)
{
    size_t count = further->count + (first != NULL);
    int code = WS_DONE;

    runs->diagnoses = ws_alloc_array(count, sizeof *runs->diagnoses);
    runs->paths = ws_alloc_array(count, sizeof *runs->paths);
    for (size_t i = 0; i < count && code == WS_DONE; i++) {
        runs->paths[i] = !first ? further->items[i] : i == 0 ? first : further->items[i - 1];
        code =
            ws_cmd_load_diagnosis(runs->paths[i], &choices->kb, &choices->report, &runs->diagnoses[i], NULL);
        runs->count++;
    }
    return code;
}

static void free_runs(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        ws_diagnosis_free(&runs->diagnoses[i]);
    free(runs->diagnoses);
    free(runs->paths);
}

static struct ws_side side_of(const struct runs *runs)
{
    return (struct ws_side){runs->diagnoses, runs->paths, runs->count};
}

static int print(const struct runs *before, const struct runs *after, const struct choices *choices)
{
    const struct ws_side sides[] = {side_of(before), side_of(after)};
    const struct ws_compare_options options = {choices->noise_percent, choices->threshold_percent};
    struct ws_comparison comparison;
    struct ws_error error;
    int code = WS_DONE;

    ws_compare_sides(&sides[0], &sides[1], &options, &comparison);
    if (ws_report_comparison(&comparison, choices->report.json ? "json" : "text", stdout, &error) != 0)
        code = ws_complain(&error);
    ws_comparison_free(&comparison);
    return code;
}

/* The page of AFTER's trace, with the comparison. */
static int write_page(const char *after, const struct runs *before, const struct runs *further,
                      struct choices *choices)
{
    const struct ws_side sides[] = {side_of(before), side_of(further)};
    struct ws_named_trace trace = {0};
    struct ws_kb kb;
    int code = ws_cmd_load_for_trace(&kb, &choices->kb, after);

    if (code != WS_DONE)
        return code;
    choices->page.engine = choices->report.engine;
    choices->page.before = &sides[0];
    choices->page.further = &sides[1];
    choices->page.noise_percent = choices->noise_percent;
    choices->page.threshold_percent = choices->threshold_percent;
    code = ws_cmd_trace_open(&trace, after, &kb);
    if (code == WS_DONE)
        code = ws_cmd_page(trace.directory, &kb, &choices->page);
    ws_cmd_trace_close(&trace);
    ws_kb_free(&kb);
    return code;
}

static int compare(const char *before, const char *after, struct choices *choices)
{
    struct runs befores = {0}, afters = {0};
    int code = load(before, &choices->before, choices, &befores);

    if (code == WS_DONE)
        code = load(choices->page.file ? NULL : after, &choices->after, choices, &afters);
    if (code == WS_DONE && choices->page.file)
        code = write_page(after, &befores, &afters, choices);
    else if (code == WS_DONE)
        code = print(&befores, &afters, choices);
    free_runs(&befores);
    free_runs(&afters);
    return code;
}

static int compare_as_asked(const struct ws_usage *usage, const char *before, const char *after,
                            struct choices *choices)
{
    if (choices->page.file && choices->report.json)
        return ws_usage_mistake(usage, "--json does not go with -o: the page has its own data");
    if (!choices->page.file && (choices->page.open || choices->page.no_source))
        return ws_usage_mistake(usage, "--%s is for a page: name its file with -o",
                                choices->page.open ? "open" : "no-source");
    return compare(before, after, choices);
}

int ws_cmd_compare(int argc, char **argv)
{
    /* A problem below the threshold in one run may be above it in the other. */
    struct choices choices = {.noise_percent = -1,
                              .threshold_percent = -1,
                              .report = {.threshold_percent = 0, .no_gain = true},
                              .page = WS_PAGE_DEFAULTS};
    const struct ws_option options[] = {
        {"json", 0, WS_OPTION_FLAG, &choices.report.json, NULL, "write the comparison as JSON, for programs"},
        {"output", 'o', WS_OPTION_FILE, &choices.page.file, "FILE",
         "write the page of AFTER instead, one HTML file that shows the comparison too; AFTER is a trace "
         "then"},
        {"open", 0, WS_OPTION_FLAG, &choices.page.open, NULL, "open the page in a browser"},
        {"no-source", 0, WS_OPTION_FLAG, &choices.page.no_source, NULL,
         "leave the source lines out of the page"},
        {"before", 0, WS_OPTION_LIST, &choices.before, "PATH",
         "a further run of the version before; with several runs what chance makes is measured instead of "
         "assumed"},
        {"after", 0, WS_OPTION_LIST, &choices.after, "PATH", "a further run of the version after"},
        {"noise", 0, WS_OPTION_PERCENT, &choices.noise_percent, "PERCENT",
         "what two runs of the same version are taken to differ by where there is one of each (default: 20)"},
        {"threshold", 0, WS_OPTION_PERCENT, &choices.threshold_percent, "PERCENT",
         "tell problems that cost at least this share of the ranks' time in one of both, and changes of as "
         "much "
         "(default: 1)"},
        WS_TRACE_OPTIONS(&choices.report),
        WS_KB_OPTION(&choices.kb),
    };
    const struct ws_usage usage = {
        .name = "compare",
        .line = "compare runs of two versions: what is gone, new, better, worse",
        .synopsis = "[options] BEFORE AFTER",
        .about =
            "BEFORE and AFTER are runs of a program before and after a change: folders of traces, or files "
            "that "
            "'whyslow diagnose --json' wrote, which are small enough to be kept. Problems are matched by the "
            "calls "
            "at which they wait, although lines, files or functions have other numbers and names by now.\n\n"
            "No two runs take the same time. A change is told as such where it is greater than what two runs "
            "of the "
            "same version differ by: an assumption (--noise), or measured where there are more runs "
            "(--before, "
            "--after).",
        .examples = "whyslow compare before after\n"
                    "whyslow diagnose --json before > before.json && whyslow compare before.json after\n"
                    "whyslow compare before after -o gain.html\n"
                    "whyslow compare b1 a1 --before b2 --before b3 --after a2 --after a3",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 2,
        .most = 2,
        .argument = "two runs, BEFORE and AFTER",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = compare_as_asked(&usage, argv[first], argv[first + 1], &choices);
    free(choices.before.items);
    free(choices.after.items);
    free(choices.kb.items);
    return code;
}
