/* What the machine has for Whyslow, one check after the other. */
#include "launch/launch.h"

#include "launch/family.h"
#include "launch/process.h"
#include "util/file.h"

#include <elfutils/libdwfl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ws_checks_add(struct ws_checks *checks, const char *what, enum ws_check_state state, const char *found,
                   const char *cure)
{
    WS_PUSH(checks->rows, checks->count, checks->capacity) =
        (struct ws_check){ws_arena_strdup(&checks->arena, what), state,
                          ws_arena_strdup(&checks->arena, found), ws_arena_strdup(&checks->arena, cure)};
}

static void check_data(struct ws_checks *checks)
{
    char data[PATH_MAX - 16], folder[PATH_MAX];
    struct ws_error error;

    if (ws_data_folder(data, sizeof data, &error) != 0) {
        ws_checks_add(checks, "Whyslow's data", WS_CHECK_MISSING, error.text, "");
        return;
    }
    snprintf(folder, sizeof folder, "%s/recorder", data);
    if (!ws_is_folder(folder))
        ws_checks_add(checks, "Whyslow's data", WS_CHECK_MISSING, "no folder 'recorder' in it", data);
    else
        ws_checks_add(checks, "Whyslow's data", WS_CHECK_OK, data, "");
}

static void check_cache(struct ws_checks *checks)
{
    char cache[PATH_MAX];
    struct ws_error error;

    if (ws_cache_folder(cache, sizeof cache, &error) != 0)
        ws_checks_add(checks, "cache folder", WS_CHECK_MISSING, error.text,
                      "set XDG_CACHE_HOME to a writable folder");
    else if (!ws_preloadable(cache))
        ws_checks_add(checks, "cache folder", WS_CHECK_MISSING, cache,
                      "a library in a path with spaces or colons cannot be preloaded: set XDG_CACHE_HOME");
    else
        ws_checks_add(checks, "cache folder", WS_CHECK_OK, cache, "");
}

static void check_program(struct ws_checks *checks, const char *what, const char *name, const char *cure)
{
    char path[PATH_MAX];
    bool found = ws_process_find(name, path, sizeof path);

    ws_checks_add(checks, what, found ? WS_CHECK_OK : WS_CHECK_NOTE, found ? path : "not found",
                  found ? "" : cure);
}

/* Library, compiler and launcher of one family. */
static void check_family(struct ws_checks *checks, const struct ws_family *family)
{
    const char *install =
        ws_arena_printf(&checks->arena, "apt-get install %s %s", family->package, family->launcher_package);
    struct ws_platform *mpi = ws_alloc(sizeof *mpi);
    struct ws_error error;

    if (ws_mpi_installed(family->id, mpi, &error) != 0) {
        ws_checks_add(checks, family->name, WS_CHECK_NOTE, "not on this machine", install);
    } else {
        ws_checks_add(checks, family->name, WS_CHECK_OK,
                      ws_arena_printf(&checks->arena, "%s, %s", mpi->version, mpi->library), "");
        checks->mpis += mpi->compiler[0] != '\0';
        ws_checks_add(checks, ws_arena_printf(&checks->arena, "compiler of %s", family->name),
                      mpi->compiler[0] ? WS_CHECK_OK : WS_CHECK_NOTE,
                      mpi->compiler[0] ? mpi->compiler : "not found: its recorder cannot be built",
                      mpi->compiler[0] ? "" : install);
    }
    free(mpi);
}

static void check_launcher(struct ws_checks *checks, const char *name)
{
    char path[PATH_MAX];
    const char *command[] = {path, "--version", NULL};
    struct ws_text said = {0};
    const struct ws_family *family = NULL;

    if (!ws_process_find(name, path, sizeof path))
        return;
    if (ws_process_capture(command, &said, NULL) == 0)
        family = ws_family_by_words(ws_text_string(&said));
    ws_checks_add(
        checks, name, WS_CHECK_OK,
        ws_arena_printf(&checks->arena, "%s%s%s", path, family ? ", of " : "", family ? family->name : ""),
        "");
    ws_text_free(&said);
}

static void check_launchers(struct ws_checks *checks)
{
    static const char *const names[] = {"mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.hydra", "srun", "smpirun"};
    size_t before = checks->count;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_launcher(checks, names[i]);
    if (checks->count == before)
        ws_checks_add(checks, "launcher", WS_CHECK_NOTE, "neither mpirun nor mpiexec nor srun is in PATH",
                      "apt-get install openmpi-bin");
}

void ws_checks_runtime(struct ws_checks *checks, const struct ws_runtime *runtime)
{
    struct ws_platform *platform = ws_alloc(sizeof *platform);
    const char *package = runtime->header && runtime->package ? runtime->package : "gcc";
    struct ws_error error;

    if (ws_is_mpi(runtime)) {
        free(platform);
        return;
    }
    if (ws_platform_installed(runtime, platform, &error) == 0)
        ws_checks_add(checks, runtime->title, WS_CHECK_OK,
                      ws_arena_printf(&checks->arena, "%s, %s", platform->compiler,
                                      runtime->header ? "of its own" : "for any library of it"),
                      "");
    else
        ws_checks_add(checks, runtime->title, WS_CHECK_NOTE,
                      ws_arena_printf(&checks->arena, "cannot be recorded: %s", error.text),
                      ws_arena_printf(&checks->arena, "apt-get install %s", package));
    free(platform);
}

static void check_root(struct ws_checks *checks)
{
    if (geteuid() == 0 && (!getenv("OMPI_ALLOW_RUN_AS_ROOT") || !getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")))
        ws_checks_add(
            checks, "user", WS_CHECK_NOTE, "root: Open MPI's mpirun refuses to start programs",
            "use another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
}

static void check_cores(struct ws_checks *checks)
{
    ws_checks_add(checks, "processor cores", WS_CHECK_OK,
                  ws_arena_printf(&checks->arena,
                                  "%d; of more ranks the waiting for a core looks like waiting "
                                  "in MPI",
                                  ws_process_cores()),
                  "to try more all the same: mpirun --oversubscribe, or OMPI_MCA_rmaps_base_oversubscribe=1 "
                  "(Open MPI refuses otherwise)");
}

void ws_checks_run(struct ws_checks *checks)
{
    check_data(checks);
    check_cache(checks);
    check_program(checks, "C compiler", "gcc", "apt-get install gcc");
    for (size_t i = 0; i < ws_family_count; i++)
        if (strcmp(ws_families[i].id, "abi") != 0)
            check_family(checks, &ws_families[i]);
    if (!checks->mpis)
        ws_checks_add(checks, "an MPI to record", WS_CHECK_MISSING, "no MPI with its compiler is here",
                      "apt-get install libopenmpi-dev openmpi-bin gcc");
    check_launchers(checks);
    check_root(checks);
    check_cores(checks);
    ws_checks_add(checks, "source lines", WS_CHECK_OK,
                  ws_arena_printf(&checks->arena, "libdw %s; compile programs with -g", dwfl_version(NULL)),
                  "");
    check_program(checks, "babeltrace2", "babeltrace2",
                  "apt-get install babeltrace2 (only to look at raw traces)");
}

void ws_checks_free(struct ws_checks *checks)
{
    ws_arena_free(&checks->arena);
    free(checks->rows);
    *checks = (struct ws_checks){0};
}
