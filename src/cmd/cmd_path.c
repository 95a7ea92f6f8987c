#include "cmd/cmd.h"

#include "report/path.h"

#include <stdio.h>
#include <stdlib.h>

struct choices {
    struct ws_list extra;
    unsigned top;
    bool json;
};

static int print(const struct ws_named_trace *trace, const struct ws_kb *kb, void *context)
{
    const struct choices *choices = context;
    struct ws_progress progress = ws_progress_begin("following the run back");
    struct ws_path path;
    struct ws_error error = {0};
    int result = ws_path_read(trace->directory, kb, progress.show, &progress, &path, &error);

    ws_progress_end(&progress);
    if (result == 0)
        result = choices->json ? ws_path_write_json(&path, stdout, &error)
                               : ws_path_write_text(&path, choices->top, stdout, &error);
    ws_path_free(&path);
    return result == 0 ? WS_DONE : ws_complain(&error);
}

int ws_cmd_path(int argc, char **argv)
{
    struct choices choices = {.top = 10};
    const struct ws_option options[] = {
        {"top", 0, WS_OPTION_COUNT, &choices.top, "N", "lines of each list (default: 10)"},
        {"json", 0, WS_OPTION_FLAG, &choices.json, NULL, "write all of it as JSON, for programs"},
        WS_KB_OPTION(&choices.extra),
    };
    const struct ws_usage usage = {
        .name = "path",
        .line = "show what the run's time consists of, and where its waiting began",
        .synopsis = "[options] DIR",
        .about = "Reads the trace that 'whyslow record' or 'whyslow run' wrote into DIR.\n\n"
                 "The critical path is followed from the end of the run back: along the rank that ended "
                 "last, and where "
                 "that waited, along the rank that it waited for. So it has no waiting on it, and its parts "
                 "add up to the "
                 "run's time. Only what lies on it can make the run shorter.\n\n"
                 "For each wait it is then asked why the other was late: what did it do longer than the "
                 "waiting rank "
                 "since the two last met? Where that was waiting too, the question goes on to who it waited "
                 "for. So a delay "
                 "that travels through ten ranks is one cause, told with where it began, what it cost, and "
                 "its way. "
                 "Ranks that work one after another are told as a serialised wavefront.",
        .examples = "whyslow path whyslow-out\n"
                    "whyslow path --top 30 whyslow-out\n"
                    "whyslow path --json whyslow-out",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "the folder of a trace",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = ws_cmd_with_trace(argv[first], &choices.extra, print, &choices);
    free(choices.extra.items);
    return code;
}
