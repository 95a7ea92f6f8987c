#include "cmd/cmd.h"

#include "launch/process.h"
#include "util/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *line;
};

static const struct command commands[] = {
    {"run", ws_cmd_run, "run an MPI program, find where it waits, and tell what to change"},
    {"record", ws_cmd_record, "run an MPI program and write down what its MPI calls do"},
    {"diagnose", ws_cmd_diagnose, "find the problems in a recorded run, and what to change"},
    {"kb", ws_cmd_kb, "list, show, check and test the problem types that Whyslow knows"},
    {"doctor", ws_cmd_doctor, "look at what this machine has for Whyslow and what is missing"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void print_help(void)
{
    puts("whyslow - tells why an MPI program is slow, and what to change\n\n"
         "Usage:\n"
         "  whyslow run -- mpirun -n 4 ./app\n"
         "  whyslow SUBCOMMAND [options] ...\n\n"
         "Subcommands:");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].line);
    puts("\nOptions:\n"
         "  -h, --help     this text; 'whyslow help SUBCOMMAND' tells more\n"
         "      --version  the version\n\n"
         "Exit codes: 0 done, 2 a mistake in the command, 3 bad input, 4 something is missing on this\n"
         "machine; 'run' and 'record' end with the program's own exit code where that is not 0.");
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *word)
{
    const char *names[COMMAND_COUNT];
    const char *near;
    char path[PATH_MAX];

    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    near = ws_suggest(word, names, COMMAND_COUNT);
    if (ws_process_find(word, path, sizeof path))
        ws_message("'%s' is no subcommand; did you mean: whyslow run -- %s ...?", word, word);
    else if (near)
        ws_message("'%s' is no subcommand; did you mean '%s'?\nTry 'whyslow --help'.", word, near);
    else
        ws_message("'%s' is no subcommand.\nTry 'whyslow --help'.", word);
    return WS_USAGE;
}

static int help(const char *name)
{
    const struct command *command = name ? find_command(name) : NULL;
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

static int run(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        ws_message("no subcommand.\nTry 'whyslow --help', or at once: whyslow run -- mpirun -n 4 ./app");
        return WS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(NULL);
    if (strcmp(argv[1], "help") == 0)
        return help(argv[2]);
    if (strcmp(argv[1], "--version") == 0) {
        puts("whyslow " WHYSLOW_VERSION);
        return WS_DONE;
    }
    command = find_command(argv[1]);
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
