/* The subcommands, and what several of them share.  A subcommand parses its options, calls the rooms and
 * prints; it returns an exit code (enum ws_code).  argv[0] is the subcommand's name. */
#ifndef WS_CMD_CMD_H
#define WS_CMD_CMD_H

#include "cmd/options.h"
#include "rules/kb.h"

int ws_cmd_run(int argc, char **argv);
int ws_cmd_record(int argc, char **argv);
int ws_cmd_diagnose(int argc, char **argv);
int ws_cmd_kb(int argc, char **argv);
int ws_cmd_kb_test(int argc, char **argv); /* argv[0] = "test" */
int ws_cmd_doctor(int argc, char **argv);

/* Loads the MPI knowledge base and the folders given with --kb.  Prints every mistake in the rules and
 * returns the exit code; 0 when *kb is ready (ws_kb_free). */
int ws_cmd_load_kb(struct ws_kb *kb, const struct ws_list *extra);
/* The row for --kb, the same in every subcommand that has it. */
#define WS_KB_OPTION(list)                                                                                   \
    {                                                                                                        \
        "kb", 0, WS_OPTION_LIST, (list), "PATH",                                                             \
            "a folder with a problem type of your own, or with several; may be repeated"                     \
    }

/* Runs a command under the recorder, as `record` and `run` do.  Prints what happens.  Returns 0, or the
 * code of what went wrong: then *program_code is the command's own, or -1 where it did not run. */
int ws_cmd_launch(const char *directory, char *const *command, const struct ws_kb *kb, bool quiet,
                  int *program_code);
/* The rows of both for what is recorded where. */
#define WS_LAUNCH_OPTIONS(directory, quiet)                                                                  \
    {"output",                                                                                               \
     'o',                                                                                                    \
     WS_OPTION_TEXT,                                                                                         \
     (directory),                                                                                            \
     "DIR",                                                                                                  \
     "the folder of the trace, created; an earlier trace in it is replaced (default: whyslow-out)"},         \
    {                                                                                                        \
        "quiet", 'q', WS_OPTION_FLAG, (quiet), NULL, "tell nothing but warnings"                             \
    }

#endif
