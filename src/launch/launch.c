/* A run: recorder, folder, environment, the command itself, and what came of it. */
#include "launch/launch.h"

#include "launch/child.h"
#include "launch/family.h"
#include "launch/folder.h"
#include "launch/process.h"
#include "trace/run.h"
#include "tracegen/tracegen.h"
#include "util/file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct recording {
    const struct ws_launch *launch;
    struct ws_platform platform;
    struct ws_schema schema;
    struct ws_run run;
    struct timespec start;
    char library[PATH_MAX];
    char directory[PATH_MAX]; /* absolute */
    int lock;                 /* of the folder, -1: none */
};

static void tell(const struct ws_launch *launch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void tell(const struct ws_launch *launch, const char *format, ...)
{
    char line[4096];
    va_list args;

    if (!launch->tell)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    launch->tell(line);
}

/* ---- before ---- */

static int check_command(char *const *command, struct ws_error *error)
{
    const struct ws_family *family = ws_family_by_launcher(command[0]);
    char path[PATH_MAX];

    if (ws_process_find(command[0], path, sizeof path))
        return 0;
    if (family && family->simulated)
        return ws_fail(error, WS_ENVIRONMENT, "%s: not found; it belongs to SimGrid; on Debian: apt-get install %s", command[0],
                       family->launcher_package);
    if (strcmp(command[0], "mpirun") == 0 || strcmp(command[0], "mpiexec") == 0 ||
        family)
        return ws_fail(
            error, WS_ENVIRONMENT,
            "%s: not found; no MPI of that name is on this machine; on Debian: apt-get install openmpi-bin "
            "libopenmpi-dev (or mpich libmpich-dev)",
            command[0]);
    return ws_fail(error, WS_USAGE, "%s: no such program%s", command[0],
                   strchr(command[0], '/') ? "" : " in PATH (a program in this folder is ./NAME)");
}

static const char *quoted(struct ws_arena *arena, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%^";
    const char *result = "'";

    if (*word && word[strspn(word, plain)] == '\0')
        return word;
    while (*word) {
        size_t length = strcspn(word, "'");
        result = ws_arena_printf(arena, "%s%.*s%s", result, (int)length, word, word[length] ? "'\\''" : "");
        word += length + (word[length] != '\0');
    }
    return ws_arena_printf(arena, "%s'", result);
}

static const char *command_line(struct ws_arena *arena, char *const *command)
{
    struct ws_text line = {0};
    const char *copy;

    for (size_t i = 0; command[i]; i++)
        ws_text_printf(&line, "%s%s", i ? " " : "", quoted(arena, command[i]));
    copy = ws_arena_strdup(arena, ws_text_string(&line));
    ws_text_free(&line);
    return copy;
}

static void describe_run(struct recording *recording)
{
    struct ws_run *run = &recording->run;
    char started[32], host[256] = "";
    time_t now = time(NULL);
    struct tm utc;

    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    run->command = command_line(&run->arena, recording->launch->command);
    run->started = ws_arena_strdup(&run->arena, started);
    run->runtime = recording->launch->kb->runtime;
    run->mpi = recording->platform.version;
    /* Cut short, or unknown, it is the name of no rank's host: nothing is then said of its cores. */
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    run->host = ws_arena_strdup(&run->arena, host);
    run->cores = ws_process_cores();
    run->only = recording->launch->limits.only;
    run->exit_code = -1;
}

static int check_preload(const char *library, struct ws_error *error)
{
    if (ws_preloadable(library))
        return 0;
    return ws_fail(
        error, WS_ENVIRONMENT,
        "%s: a path with spaces or colons cannot be preloaded; set XDG_CACHE_HOME to a folder without",
        library);
}

/* All that must stand before the program starts.  0, or -1 with the cause in *error; then *fatal says
 * that the program should not even be run. */
static int prepare(struct recording *recording, bool *fatal, struct ws_error *error)
{
    const struct ws_launch *launch = recording->launch;
    char *absolute;

    *fatal = false;
    if (ws_platform_find(launch->command, &launch->kb->about, &recording->platform, error) != 0)
        return -1;
    if (recording->platform.warning[0])
        tell(launch, "warning: %s", recording->platform.warning);
    if (ws_recorder_library(launch->kb, &recording->platform, recording->library, sizeof recording->library,
                            launch->quiet ? NULL : launch->tell, error) != 0 ||
        check_preload(recording->library, error) != 0)
        return -1;
    recording->lock = ws_folder_prepare(launch->directory, error);
    /* From here on it is the folder: a slip of the keyboard, or a full disk.  Better not to run for hours
     * without a trace. */
    *fatal = true;
    if (recording->lock < 0)
        return -1;
    absolute = realpath(launch->directory, NULL);
    snprintf(recording->directory, sizeof recording->directory, "%s",
             absolute ? absolute : launch->directory);
    free(absolute);
    if (ws_schema_from_kb(launch->kb, &recording->schema, error) != 0 ||
        ws_trace_create(recording->directory, &recording->schema, error) != 0)
        return -1;
    describe_run(recording);
    return ws_run_write(recording->directory, &recording->run, error);
}

/* ---- the run ---- */

/* A number as the recorder reads it; NULL for 0. */
static const char *setting(struct ws_arena *arena, uint64_t number)
{
    return number ? ws_arena_printf(arena, "%" PRIu64, number) : NULL;
}

static int run_recorded(struct recording *recording, int *exit_code, struct ws_error *error)
{
    const char *before = getenv("LD_PRELOAD"), *sanitizer = getenv("ASAN_OPTIONS");
    const struct ws_watcher *watcher = recording->launch->watcher;
    const struct ws_limits *limits = &recording->launch->limits;
    struct ws_arena *arena = &recording->run.arena;
    struct ws_text preload = {0}, options = {0};
    int result;

    /* The last one: a tool that the user preloads goes on calling PMPI_ functions, and gets to us there. */
    ws_text_printf(&preload, "%s%s%s", before ? before : "", before && *before ? ":" : "",
                   recording->library);
    /* A program with the address sanitizer does not start where another library is preloaded. */
    ws_text_printf(&options, "verify_asan_link_order=0%s%s", sanitizer && *sanitizer ? ":" : "",
                   sanitizer ? sanitizer : "");
    struct ws_setting settings[] = {{"LD_PRELOAD", preload.bytes},
                                    {"ASAN_OPTIONS", options.bytes},
                                    {"WHYSLOW_TRACE", recording->directory},
                                    {"WHYSLOW_UUID", recording->schema.uuid},
                                    {"WHYSLOW_AFTER_NS", setting(arena, limits->after_ns)},
                                    {"WHYSLOW_FOR_NS", setting(arena, limits->for_ns)},
                                    {"WHYSLOW_ONLY", limits->only},
                                    {"WHYSLOW_SAMPLE", setting(arena, limits->sample)},
                                    {"WHYSLOW_MAX_SIZE", setting(arena, limits->max_bytes)},
                                    {"WHYSLOW_BUFFER", setting(arena, limits->buffer_bytes)},
                                    {NULL, NULL}};
    if (watcher)
        watcher->begin(watcher->context);
    clock_gettime(CLOCK_MONOTONIC, &recording->start);
    result = ws_child_run(recording->launch->command, settings, exit_code, error);
    if (watcher)
        watcher->end(watcher->context);
    ws_text_free(&preload);
    ws_text_free(&options);
    return result;
}

static int run_plain(char *const *command, int *exit_code, struct ws_error *error)
{
    static const struct ws_setting settings[] = {{"WHYSLOW_TRACE", NULL}, {NULL, NULL}};
    return ws_child_run(command, settings, exit_code, error);
}

/* ---- after ---- */

static void finish_run(struct recording *recording, int exit_code)
{
    struct ws_error error;
    struct timespec end;

    clock_gettime(CLOCK_MONOTONIC, &end);
    recording->run.wall_s = (double)(end.tv_sec - recording->start.tv_sec) +
                            (double)(end.tv_nsec - recording->start.tv_nsec) * 1e-9;
    recording->run.exit_code = exit_code;
    if (ws_run_write(recording->directory, &recording->run, &error) != 0)
        tell(recording->launch, "warning: %s", error.text);
}

static void tell_problems(const struct recording *recording)
{
    struct ws_text problems = {0};
    char *rest, *line;

    ws_folder_problems(recording->directory, &problems);
    for (rest = problems.bytes; rest && (line = strtok_r(rest, "\n", &rest));)
        tell(recording->launch, "warning: %s", line);
    ws_text_free(&problems);
}

/* The command ran and left no stream: says so, with the likely cause. */
static int nothing_recorded(const struct recording *recording, int exit_code, struct ws_error *error)
{
    bool root = geteuid() == 0 && strcmp(recording->platform.id, "openmpi") == 0 && exit_code != 0 &&
                !getenv("OMPI_ALLOW_RUN_AS_ROOT");

    ws_fail(error, WS_BAD_INPUT, "none of the command's processes got through %s of %s%s",
            recording->launch->kb->about.begin, recording->platform.version,
            root ? "; Open MPI's mpirun does not start programs for root unless OMPI_ALLOW_RUN_AS_ROOT=1 "
                   "and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 are set"
            : exit_code                                ? "; it ended with an error before that"
            : ws_is_mpi(&recording->launch->kb->about) ? "; if they use another runtime, name it with --layer"
                                                       : "");
    tell(recording->launch, "warning: nothing was recorded: %s", error->text);
    return 1;
}

static int conclude(struct recording *recording, int exit_code, struct ws_error *error)
{
    const struct ws_launch *launch = recording->launch;
    uint64_t bytes;
    size_t ranks;

    finish_run(recording, exit_code);
    tell_problems(recording);
    ranks = ws_folder_ranks(recording->directory, &bytes);
    if (ranks == 0)
        return nothing_recorded(recording, exit_code, error);
    if (!launch->quiet)
        tell(launch, "recorded %zu process%s in %s (%.1f %s)", ranks, ranks == 1 ? "" : "es",
             launch->directory, (double)bytes / (bytes < 1000000 ? 1e3 : 1e6), bytes < 1000000 ? "kB" : "MB");
    return 0;
}

/* ---- all together ---- */

static int launch_recorded(struct recording *recording, int *exit_code, struct ws_error *error)
{
    struct ws_error cause;
    bool fatal;

    if (prepare(recording, &fatal, &cause) != 0) {
        if (fatal)
            return ws_fail(error, cause.code, "%s", cause.text);
        tell(recording->launch, "warning: this run is not recorded: %s", cause.text);
        if (run_plain(recording->launch->command, exit_code, error) != 0)
            return -1;
        *error = cause;
        return 1;
    }
    if (run_recorded(recording, exit_code, error) != 0)
        return -1;
    return conclude(recording, *exit_code, error);
}

int ws_launch(const struct ws_launch *launch, int *exit_code, struct ws_error *error)
{
    struct recording *recording;
    int result;

    *exit_code = -1;
    if (check_command(launch->command, error) != 0)
        return -1;
    recording = ws_alloc(sizeof *recording);
    recording->launch = launch;
    recording->lock = -1;
    result = launch_recorded(recording, exit_code, error);
    if (recording->lock >= 0)
        close(recording->lock);
    ws_schema_free(&recording->schema);
    ws_run_free(&recording->run);
    free(recording);
    return result;
}
