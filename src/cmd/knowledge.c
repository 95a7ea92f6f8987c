/* The knowledge base as the command line names it. */
#include "cmd/cmd.h"

#include "launch/launch.h"

#include <stdio.h>

int ws_cmd_runtime_folder(char path[PATH_MAX], struct ws_error *error)
{
    char data[PATH_MAX - 16];

    if (ws_data_folder(data, sizeof data, error) != 0)
        return -1;
    snprintf(path, PATH_MAX, "%s/kb/mpi", data);
    return 0;
}

int ws_cmd_load_kb(struct ws_kb *kb, const struct ws_list *extra)
{
    char folder[PATH_MAX];
    struct ws_text report = {0};
    struct ws_error error;
    int code = WS_DONE;

    if (ws_cmd_runtime_folder(folder, &error) != 0)
        return ws_complain(&error);
    if (ws_kb_load(kb, folder, extra->items, extra->count, &report, &error) != 0) {
        fflush(stdout);
        fputs(ws_text_string(&report), stderr);
        code = ws_complain(&error);
    }
    ws_text_free(&report);
    return code;
}

int ws_cmd_unknown_problem(const struct ws_kb *kb, const char *id)
{
    const char *near = ws_kb_nearest_problem(kb, id);

    if (near)
        ws_message("no problem type '%s'; did you mean '%s'?", id, near);
    else
        ws_message("no problem type '%s'; 'whyslow kb list' tells what there is", id);
    return WS_USAGE;
}
