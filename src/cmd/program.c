/* The program of the user, run under the recorder. */
#include "cmd/cmd.h"

#include "trace/trace.h"
#include "tracegen/tracegen.h"

static void tell(const char *line)
{
    ws_message("%s", line);
}

/* Looking through more takes longer than it is worth: then the program must stay as it is until the diagnosis. */
#define MOST_BYTES ((uint64_t)1 << 30)

/* That it does not work is no reason to complain: the diagnosis will tell what is wrong with the trace. */
static void keep_places(const char *directory, const struct ws_kb *kb)
{
    struct ws_schema schema = {0};
    struct ws_error ignored;

    if (ws_schema_from_kb(kb, &schema, &ignored) == 0)
        ws_trace_keep_places(directory, &schema, MOST_BYTES, &ignored);
    ws_schema_free(&schema);
}

int ws_cmd_launch(const char *directory, char *const *command, const struct ws_kb *kb, bool quiet,
                  const struct ws_limits *limits, const struct ws_watcher *watcher, int *program_code)
{
    const struct ws_launch launch = {
        .directory = directory, .command = command, .kb = kb, .quiet = quiet, .tell = tell, .watcher = watcher,
        .limits = *limits};
    struct ws_error error;
    int result = ws_launch(&launch, program_code, &error);

    if (result == 0) {
        keep_places(directory, kb);
        return WS_DONE;
    }
    if (result < 0) {
        *program_code = -1;
        return ws_complain(&error);
    }
    return error.code;
}
