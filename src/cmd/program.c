/* The program of the user, run under the recorder. */
#include "cmd/cmd.h"

static void tell(const char *line)
{
    ws_message("%s", line);
}

int ws_cmd_launch(const char *directory, char *const *command, const struct ws_kb *kb, bool quiet,
                  const struct ws_limits *limits, const struct ws_watcher *watcher, int *program_code)
{
    const struct ws_launch launch = {
        .directory = directory, .command = command, .kb = kb, .quiet = quiet, .tell = tell, .watcher = watcher,
        .limits = *limits};
    struct ws_error error;
    int result = ws_launch(&launch, program_code, &error);

    if (result == 0)
        return WS_DONE;
    if (result < 0) {
        *program_code = -1;
        return ws_complain(&error);
    }
    return error.code;
}
