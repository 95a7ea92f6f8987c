/* The knowledge base as the command line names it. */
#include "cmd/cmd.h"

#include "launch/launch.h"

#include <limits.h>
#include <stdio.h>

int ws_cmd_load_kb(struct ws_kb *kb, const struct ws_list *extra)
{
    char data[PATH_MAX - 16], folder[PATH_MAX];
    struct ws_text report = {0};
    struct ws_error error;
    int code = WS_DONE;

    if (ws_data_folder(data, sizeof data, &error) != 0)
        return ws_complain(&error);
    snprintf(folder, sizeof folder, "%s/kb/mpi", data);
    if (ws_kb_load(kb, folder, extra->items, extra->count, &report, &error) != 0) {
        fflush(stdout);
        fputs(ws_text_string(&report), stderr);
        code = ws_complain(&error);
    }
    ws_text_free(&report);
    return code;
}
