#include "cmd/cmd.h"

#include "team/team.h"

#include <stdlib.h>

static int diagnose(const char *directory, const struct ws_list *extra,
                    const struct ws_report_choices *choices)
{
    struct ws_named_trace trace = {0};
    struct ws_kb kb;
    int own = ws_cmd_load_for_trace(&kb, extra, directory);
    int code = ws_cmd_team_agree(choices->team, own);

    if (code == 0)
        code = ws_cmd_trace_open(&trace, directory, &kb);
    if (code == 0)
        code = ws_cmd_report(trace.directory, &kb, choices);
    ws_cmd_trace_close(&trace);
    if (own == 0)
        ws_kb_free(&kb);
    return code;
}

static int diagnose_in_team(const struct ws_usage *usage, const char *directory, const struct ws_list *extra,
                            struct ws_report_choices *choices)
{
    int code = ws_cmd_team_begin(&choices->team);

    if (code != 0)
        return code;
    if (choices->team && choices->jobs > 1)
        code = ws_usage_mistake(usage, "--jobs does not go with an MPI's launcher: start more processes");
    else
        code = diagnose(directory, extra, choices);
    return ws_cmd_team_end(choices->team, code);
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
        .synopsis = "[options] DIR\n[options] TRACE.otf2",
        .about =
            "Reads the trace that 'whyslow record' or 'whyslow run' wrote into DIR, or an OTF2 trace that "
            "Score-P, EZTrace or another tool recorded, and tells which "
            "problems cost how much time, where in the source, and what to change.\n\n"
            "For a trace that is long for one machine it is an MPI program itself: its processes share "
            "the ranks of the trace. The report is the same.",
        .examples = "whyslow diagnose whyslow-out\n"
                    "whyslow diagnose scorep-20261130/traces.otf2\n"
                    "mpirun -n 16 whyslow diagnose whyslow-out\n"
                    "whyslow diagnose --json --threshold 0.1 whyslow-out",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    /* Of several processes that a launcher started one is enough to tell of mistakes. */
    bool silent = ws_team_launched().rank > 0;
    int code, first;

    if (silent)
        ws_messages_off();
    first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = diagnose_in_team(&usage, argv[first], &extra, &choices);
    else if (silent)
        code = WS_DONE;
    free(extra.items);
    return code;
}
