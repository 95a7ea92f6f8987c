/* A trace as the command line names it. */
#include "cmd/cmd.h"

#include "import/import.h"
#include "team/team.h"
#include "util/file.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits until the other end of the pipe is closed, however this process ends, and removes the folder. */
static void clean_up_later(const char *folder, int pipe_end)
{
    char byte;

    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_IGN);
    for (int file = 0; file < 3; file++)
        close(file);
    while (read(pipe_end, &byte, 1) != 0 && errno == EINTR)
        ;
    ws_remove_all(folder);
    _exit(0);
}

static void hire_janitor(struct ws_named_trace *trace)
{
    int ends[2];

    trace->janitor = -1;
    if (pipe(ends) != 0)
        return;
    fflush(NULL);
    trace->pid = fork();
    if (trace->pid == 0) {
        close(ends[1]);
        clean_up_later(trace->temporary, ends[0]);
    }
    close(ends[0]);
    if (trace->pid > 0)
        trace->janitor = ends[1];
    else
        close(ends[1]);
}

static int make_temporary(struct ws_named_trace *trace)
{
    struct ws_text path = {0};

    ws_text_printf(&path, "%s/whyslow-XXXXXX", ws_temporary_folder());
    if (!mkdtemp(path.bytes)) {
        ws_message("%s: cannot make a temporary folder: %s", path.bytes, strerror(errno));
        ws_text_free(&path);
        return WS_ENVIRONMENT;
    }
    trace->temporary = path.bytes;
    trace->directory = trace->temporary;
    hire_janitor(trace);
    return 0;
}

static int import(struct ws_named_trace *trace, const char *anchor, const struct ws_kb *kb)
{
    struct ws_progress progress = ws_progress_begin("reading OTF2");
    struct ws_import_options options = {.progress = progress.show, .context = &progress};
    struct ws_error error = {0};
    int code = make_temporary(trace);

    if (code == 0 && ws_import(anchor, kb, trace->directory, &options, &error) != 0) {
        ws_progress_end(&progress);
        return ws_complain(&error);
    }
    ws_progress_end(&progress);
    return code;
}

int ws_cmd_trace_open(struct ws_named_trace *trace, const char *path, const struct ws_kb *kb)
{
    char *anchor = ws_import_find(path);
    int code = 0;

    *trace = (struct ws_named_trace){.directory = path, .janitor = -1};
    if (anchor && ws_team_launched().size > 1) {
        ws_message(
            "%s: several processes share a trace of Whyslow's: make one with 'whyslow import -o DIR %s'",
            path, path);
        code = WS_USAGE;
    } else if (anchor) {
        code = import(trace, anchor, kb);
    }
    free(anchor);
    return code;
}

void ws_cmd_trace_close(struct ws_named_trace *trace)
{
    if (!trace->temporary)
        return;
    ws_remove_all(trace->temporary);
    if (trace->janitor >= 0) {
        close(trace->janitor);
        waitpid(trace->pid, NULL, 0);
    }
    free(trace->temporary);
    trace->temporary = NULL;
}

int ws_cmd_with_trace(const char *path, const struct ws_list *extra, ws_cmd_work *work, void *context)
{
    struct ws_named_trace trace = {0};
    struct ws_kb kb;
    int code = ws_cmd_load_for_trace(&kb, extra, path);

    if (code != 0)
        return code;
    code = ws_cmd_trace_open(&trace, path, &kb);
    if (code == 0)
        code = work(&trace, &kb, context);
    ws_cmd_trace_close(&trace);
    ws_kb_free(&kb);
    return code;
}
