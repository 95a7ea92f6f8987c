#include "cmd/cmd.h"
#include "cmd/commands.h"

#include "launch/process.h"
#include "util/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct ws_command commands[] = {
    {"run", ws_cmd_run, "run a parallel program, find where it waits, and tell what to change"},
    {"record", ws_cmd_record, "run a parallel program and write down what its communication calls do"},
    {"diagnose", ws_cmd_diagnose, "find the problems in a recorded run, and what to change"},
    {"report", ws_cmd_page_report, "write a page to look at: problems, source lines, timeline"},
    {"check", ws_cmd_check, "a gate for CI: fail where a run has problems that it should not have"},
    {"compare", ws_cmd_compare, "compare runs of two versions: what is gone, new, better, worse"},
    {"path", ws_cmd_path, "show what the run's time consists of, and where its waiting began"},
    {"what-if", ws_cmd_what_if, "tell what each fix would gain of the run's time, before it is made"},
    {"exchange", ws_cmd_exchange, "show who sent how much to whom in a recorded run"},
    {"export", ws_cmd_export, "write a trace for other tools: Perfetto, Paraver, Vampir, pandas"},
    {"import", ws_cmd_import, "make a trace of one that Score-P, EZTrace … recorded (OTF2)"},
    {"predict", ws_cmd_predict, "estimate how long a program takes on another node, or for another input"},
    {"kb", ws_cmd_kb, "list, show, check and test the problem types that Whyslow knows"},
    {"cc", ws_cmd_cc, "compile an MPI program for a run under SimGrid: 1000 ranks on one machine"},
    {"doctor", ws_cmd_doctor, "look at what this machine has for Whyslow and what is missing"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(void)
{
    puts("whyslow - tells why a parallel program is slow, and what to change\n\n"
         "Usage:\n"
         "  whyslow run -- mpirun -n 4 ./app\n"
         "  whyslow SUBCOMMAND [options] ...\n\n"
         "Subcommands:");
    ws_commands_print(commands, COMMAND_COUNT, 10);
    puts("\nOptions:\n"
         "  -h, --help     this text; 'whyslow help SUBCOMMAND' tells more\n"
         "      --version  the version; also 'whyslow version'\n\n"
         "Exit codes: 0 done, 1 'check' or 'kb test' failed, 2 a mistake in the command, 3 bad input,\n"
         "4 something is missing on this machine; 'run' and 'record' end with the program's own exit code\n"
         "where that is not 0.");
}

static void tell_commands(const char *word)
{
    struct ws_text names = {0};

    for (size_t i = 0; i < COMMAND_COUNT; i++)
        ws_text_printf(&names, "%s, ", commands[i].name);
    names.bytes[names.length - 2] = '\0'; /* the last ',' */
    ws_message("'%s' is no subcommand; there are %s and help.\nTry 'whyslow --help'.", word, names.bytes);
    ws_text_free(&names);
}

static int unknown_command(const char *word)
{
    const char *near = ws_command_nearest(commands, COMMAND_COUNT, word);
    char path[PATH_MAX];

    if (ws_process_find(word, path, sizeof path))
        ws_message("'%s' is no subcommand; did you mean: whyslow run -- %s ...?", word, word);
    else if (near)
        ws_message("'%s' is no subcommand; did you mean '%s'?\nTry 'whyslow --help'.", word, near);
    else
        tell_commands(word);
    return WS_USAGE;
}

static int help(const char *name)
{
    const struct ws_command *command = name ? ws_command_find(commands, COMMAND_COUNT, name) : NULL;
    char first[32], second[] = "--help";
    char *argv[] = {first, second, NULL};

    if (name && !command)
        return unknown_command(name);
    if (!command) {
        print_help();
        return WS_DONE;
    }
    snprintf(first, sizeof first, "%s", name);
    return command->run(2, argv);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run(int argc, char **argv)
{
    const struct ws_command *command;

    if (argc < 2) {
        ws_message("no subcommand.\nTry 'whyslow --help', or at once: whyslow run -- mpirun -n 4 ./app");
        return WS_USAGE;
    }
    if (asks_for_help(argv[1]))
        return help(NULL);
    if (strcmp(argv[1], "help") == 0)
        return help(argv[2] && asks_for_help(argv[2]) ? NULL : argv[2]);
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        puts("whyslow " WHYSLOW_VERSION);
        return WS_DONE;
    }
    command = ws_command_find(commands, COMMAND_COUNT, argv[1]);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
    int code = run(argc, argv);

    /* A full disk behind standard output shows only now. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ws_message("cannot write to standard output");
        return code ? code : WS_ENVIRONMENT;
    }
    return code;
}
