#include "cmd/cmd.h"

#include "launch/process.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* SimGrid's compiler wrappers, by the source files that they are for; the first for all others. */
static const struct {
    const char *compiler;
    const char *sources[7]; /* globs */
} wrappers[] = {
    {"smpicc", {"*.c"}},
    {"smpicxx", {"*.cc", "*.cpp", "*.cxx", "*.C"}},
    {"smpif90", {"*.f90", "*.F90", "*.f95", "*.f03", "*.f08"}},
    {"smpiff", {"*.f", "*.F", "*.for"}},
};

static const char *compiler_for(char *const *arguments)
{
    for (size_t i = 1; i < sizeof wrappers / sizeof *wrappers; i++)
        for (char *const *word = arguments; *word; word++)
            for (const char *const *glob = wrappers[i].sources; *glob; glob++)
                if ((*word)[0] != '-' && fnmatch(*glob, *word, 0) == 0)
                    return wrappers[i].compiler;
    return wrappers[0].compiler;
}

static bool says_debug(char *const *arguments)
{
    for (; *arguments; arguments++)
        if (strncmp(*arguments, "-g", 2) == 0)
            return true;
    return false;
}

/* Becomes the compiler; returns where that fails. */
static int compile(int count, char *const *arguments)
{
    const char *compiler = compiler_for(arguments);
    const char **command = ws_alloc_array((size_t)count + 3, sizeof *command);
    size_t length = 0;

    command[length++] = compiler;
    if (!says_debug(arguments))
        command[length++] = "-g";
    for (int i = 0; i < count; i++)
        command[length++] = arguments[i];
    execvp(compiler, (char *const *)command);
    ws_message("%s: %s; it belongs to SimGrid; on Debian: apt-get install libsimgrid-dev%s", compiler,
               strerror(errno),
               strcmp(compiler, "smpif90") == 0 || strcmp(compiler, "smpiff") == 0 ? " gfortran" : "");
    free(command);
    return WS_ENVIRONMENT;
}

int ws_cmd_cc(int argc, char **argv)
{
    const struct ws_usage usage = {
        .name = "cc",
        .line = "compile and link an MPI program for a run under SimGrid",
        .synopsis = "COMPILER-ARGUMENTS...",
        .about = "Under SimGrid's SMPI an MPI program runs with any number of ranks on this one machine, in "
                 "the time of "
                 "a cluster that a file describes. This calls SimGrid's compiler for the sources given "
                 "(smpicc, smpicxx, "
                 "smpif90, smpiff) with -g, so that problems are shown with their source lines, and with all "
                 "arguments as "
                 "they are.\n\n"
                 "A program that smpicc itself compiled is recorded as well: `record` and `run` put the "
                 "recorder into "
                 "each rank when it is loaded. Times in the trace are those of the simulated cluster, to the "
                 "nanosecond, and "
                 "recording changes none of them.",
        .examples = "whyslow cc -O2 -o app app.c -lm\n"
                    "whyslow run -- smpirun -np 128 -platform cluster.xml -hostfile hosts \\\n"
                    "    --cfg=smpi/host-speed:1Gf ./app",
        .least = 1,
        .most = -1,
        .argument = "a source file (for instance: whyslow cc -o app app.c)",
        .command = true,
    };
    int code, first;

    if (argc >= 2 && argv[1][0] == '-' && strcmp(argv[1], "-h") != 0 && strcmp(argv[1], "--help") != 0)
        return compile(argc - 1, argv + 1);
    first = ws_options_parse(&usage, argc, argv, &code);
    return first < 0 ? code : compile(argc - first, argv + first);
}
