#include "cmd/commands.h"

#include "util/alloc.h"
#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ws_command *ws_command_find(const struct ws_command *commands, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

const char *ws_command_nearest(const struct ws_command *commands, size_t count, const char *name)
{
    const char **names = ws_alloc_array(count, sizeof *names);
    const char *near;

    for (size_t i = 0; i < count; i++)
        names[i] = commands[i].name;
    near = ws_suggest(name, names, count);
    free(names);
    return near;
}

void ws_commands_print(const struct ws_command *commands, size_t count, int width)
{
    for (size_t i = 0; i < count; i++)
        printf("  %-*s %s\n", width, commands[i].name, commands[i].line);
}
