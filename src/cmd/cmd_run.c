#include "cmd/cmd.h"

#include "engine/engine.h"
#include "report/page.h"

#include <stdlib.h>

struct choices {
    const char *directory, *layer;
    bool quiet, live, open;
    struct ws_list kb;
    struct ws_report_choices report;
    struct ws_limit_choices limits;
};

/* The text, and where it is asked for the page, opened. */
static int report(const struct ws_kb *kb, const struct choices *choices)
{
    const struct ws_page_choices page = {.engine = choices->report.engine,
                                         .threshold_percent = choices->report.threshold_percent,
                                         .events = WS_PAGE_EVENTS,
                                         .open = true};
    int code = ws_cmd_report(choices->directory, kb, &choices->report);

    return code == 0 && choices->open ? ws_cmd_page(choices->directory, kb, &page) : code;
}

/* The program's own exit code, or ours where the program has nothing to complain of. */
static int run(char *const *command, const struct choices *choices)
{
    struct ws_error error;
    struct ws_kb kb;
    struct ws_live live = {choices->directory, &kb, &choices->report, 0};
    const struct ws_watcher watcher = ws_cmd_live(&live);
    struct ws_limits limits;
    int program_code, code;

    /* Before the program runs, perhaps for hours. */
    if (choices->report.engine && !ws_engine_find(choices->report.engine, &error))
        return ws_complain(&error);
    code = ws_cmd_limits(&choices->limits, &limits);
    if (code != 0)
        return code;
    code = ws_cmd_load_for_command(&kb, &choices->kb, choices->layer, command);
    if (code != 0)
        return code;
    code = ws_cmd_launch(choices->directory, command, &kb, choices->quiet, &limits, choices->live ? &watcher : NULL,
                         &program_code);
    if (code == 0)
        code = report(&kb, choices);
    else if (program_code >= 0)
        ws_message("nothing was recorded, so there is nothing to diagnose");
    ws_kb_free(&kb);
    return program_code > 0 ? program_code : code;
}

int ws_cmd_run(int argc, char **argv)
{
    struct choices choices = {.directory = "whyslow-out", .report = WS_REPORT_DEFAULTS};
    const struct ws_option options[] = {
        WS_LAUNCH_OPTIONS(&choices.directory, &choices.quiet),
        WS_LIMIT_OPTIONS(&choices.limits),
        WS_LAYER_OPTIONS(&choices.layer),
        {"live", 0, WS_OPTION_FLAG, &choices.live, NULL,
         "show the worst problems so far on the terminal every few seconds while the program runs"},
        {"open", 0, WS_OPTION_FLAG, &choices.open, NULL,
         "write the page of the run too, DIR/report.html, and open it in a browser"},
        WS_REPORT_OPTIONS(&choices.report,
                          "write the report as JSON, for programs; it follows the program's own output"),
        WS_KB_OPTION(&choices.kb),
    };
    const struct ws_usage usage = {
        .name = "run",
        .line = "run a parallel program, find where it waits, and tell what to change",
        .synopsis = "[options] -- COMMAND...",
        .about =
            "COMMAND is what you type today: a launcher with your program, or the program alone. It needs no "
            "change and no recompilation; compile it with -g to see source lines.\n\n"
            "This is 'whyslow record' and 'whyslow diagnose' in one. The report follows the program's own "
            "output; the trace stays in DIR and can be diagnosed again. The exit code is the program's own "
            "where that is not 0. Ctrl-C ends the program as ever; what was recorded until then is "
            "diagnosed.",
        .examples = "whyslow run -- mpirun -n 4 ./app input.txt\n"
                    "whyslow run -o first-try -- mpiexec.hydra -n 8 ./app\n"
                    "whyslow run --kb my-problem -- mpirun -n 4 ./app",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = -1,
        .argument = "the command to run (for instance: whyslow run -- mpirun -n 4 ./app)",
        .command = true,
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = run(argv + first, &choices);
    free(choices.kb.items);
    return code;
}
