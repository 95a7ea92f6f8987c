/* A table of subcommands: of whyslow itself, and of `whyslow kb`. */
#ifndef WS_CMD_COMMANDS_H
#define WS_CMD_COMMANDS_H

#include <stddef.h>

struct ws_command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] = name; returns the exit code */
    const char *line;                  /* what it does, for --help */
};

/* NULL: there is none of this name. */
const struct ws_command *ws_command_find(const struct ws_command *commands, size_t count, const char *name);
/* The name that was perhaps meant, or NULL. */
const char *ws_command_nearest(const struct ws_command *commands, size_t count, const char *name);
/* A line for each, to standard output; `width` columns for the name. */
void ws_commands_print(const struct ws_command *commands, size_t count, int width);

#endif
