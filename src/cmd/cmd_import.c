#include "cmd/cmd.h"

#include "import/import.h"
#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The trace is made beside the folder, and gets its name when it is complete; a folder that holds something
 * stays. */
static int import_as(const char *anchor, const struct ws_kb *kb, const char *directory)
{
    struct ws_progress progress = ws_progress_begin("reading OTF2");
    struct ws_import_options options = {.progress = progress.show, .context = &progress};
    struct ws_text temporary = {0};
    struct ws_error error = {0};
    int result;

    ws_text_printf(&temporary, "%s.%ld.tmp", directory, (long)getpid());
    result = ws_import(anchor, kb, temporary.bytes, &options, &error);
    ws_progress_end(&progress);
    if (result == 0 && rename(temporary.bytes, directory) != 0) {
        bool taken = errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR;
        result = ws_fail(&error, taken ? WS_USAGE : WS_ENVIRONMENT, "%s: %s", directory,
                         taken ? "is there: name another with -o, or remove it" : strerror(errno));
    }
    if (result != 0)
        ws_remove_all(temporary.bytes);
    ws_text_free(&temporary);
    return result == 0 ? WS_DONE : ws_complain(&error);
}

static int import(const char *path, const struct ws_list *extra, const char *directory)
{
    char *anchor = ws_import_find(path);
    struct ws_kb kb;
    int code;

    if (!anchor) {
        ws_message("%s: no OTF2 trace: name its folder, or the file in it that ends in .otf2", path);
        return WS_BAD_INPUT;
    }
    code = ws_cmd_load_for_trace(&kb, extra, path);
    if (code == 0) {
        code = import_as(anchor, &kb, directory);
        ws_kb_free(&kb);
    }
    free(anchor);
    if (code == 0)
        ws_message("to read it: whyslow diagnose %s", directory);
    return code;
}

int ws_cmd_import(int argc, char **argv)
{
    const char *directory = "whyslow-out";
    struct ws_list extra = {0};
    const struct ws_option options[] = {
        {"output", 'o', WS_OPTION_FOLDER, &directory, "DIR",
         "the folder of the trace, created; one that is there is not replaced (default: whyslow-out)"},
        WS_KB_OPTION(&extra),
    };
    const struct ws_usage usage = {
        .name = "import",
        .line = "make a trace of one that Score-P, EZTrace … recorded (OTF2)",
        .synopsis = "[-o DIR] TRACE.otf2",
        .about = "TRACE.otf2 is the anchor file of an OTF2 archive, or its folder. What OTF2 does not tell "
                 "is missing in "
                 "the diagnosis too, and said there as a warning.\n\n"
                 "'whyslow diagnose TRACE.otf2' and 'whyslow export' read such an archive as it is: this "
                 "keeps what "
                 "they make of it, for more than one look, and for a diagnosis by many processes.",
        .examples = "whyslow import -o run1 scorep-20261130/traces.otf2\n"
                    "mpirun -n 16 whyslow diagnose run1",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least = 1,
        .most = 1,
        .argument = "an OTF2 trace",
    };
    int code, first = ws_options_parse(&usage, argc, argv, &code);

    if (first >= 0)
        code = import(argv[first], &extra, directory);
    free(extra.items);
    return code;
}
