#include "cmd/cmd.h"

#include <stdlib.h>

struct choices {
    const char *directory, *layer;
    bool quiet;
    struct ws_list kb;
    struct ws_limit_choices limits;
};

static int record(char *const *command, const struct choices *choices)
{
    struct ws_limits limits;
    struct ws_kb kb;
    int program_code, code = ws_cmd_limits(&choices->limits, &limits);

    if (code == 0)
        code = ws_cmd_load_for_command(&kb, &choices->kb, choices->layer, command);
    if (code != 0)
        return code;
    code = ws_cmd_launch(choices->directory, command, &kb, choices->quiet, &limits, NULL, &program_code);
    ws_kb_free(&kb);
    if (code == 0 && !choices->quiet)
        ws_message("to read it: whyslow diagnose %s", choices->directory);
    return program_code >= 0 ? program_code : code;
}

int ws_cmd_record(int argc, char **argv)
{
    struct choices choices = {.directory = "whyslow-out"};
    const struct ws_option options[] = {
        WS_LAUNCH_OPTIONS(&choices.directory, &choices.quiet),
        WS_LIMIT_OPTIONS(&choices.limits),
        WS_LAYER_OPTIONS(&choices.layer),
        WS_KB_OPTION(&choices.kb),
    };
    const struct ws_usage usage = {
        .name = "record",
        .line = "run a parallel program and write down what its communication calls do",
        .synopsis = "[options] -- COMMAND...",
        .about =
            "COMMAND is what you type today: a launcher with your program, or the program alone. It needs no "
            "change and no recompilation; compile it with -g to see source lines.\n\n"
            "Recorded is the runtime that the program uses (MPI, X10, ...), the uppermost of several; --layer "
            "asks for another. "
            "The first run with it builds a recorder library with its C compiler (some seconds) "
            "and keeps it in ~/.cache/whyslow. The program's input and output are untouched, signals are "
            "passed on to it, and the exit code is the program's own. Where recording is not possible the "
            "program runs all the same, and a warning tells why.",
        .examples = "whyslow record -- mpirun -n 4 ./app input.txt\n"
                    "whyslow record -o first-try -- mpiexec.hydra -n 8 ./app\n"
                    "X10_NPLACES=4 whyslow record -- ./x10-app\n"
                    "whyslow diagnose first-try",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = -1,
        .argument = "the command to run (for instance: whyslow record -- mpirun -n 4 ./app)",
        .command = true,
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = record(argv + first, &choices);
    free(choices.kb.items);
    return code;
}
