#include "trial/trial.h"

#include "launch/family.h"
#include "launch/launch.h"
#include "launch/process.h"

#include <limits.h>
#include <string.h>

static bool is_in_path(const char *name)
{
    char path[PATH_MAX];

    return ws_process_find(name, path, sizeof path);
}

static bool is_here(const struct ws_trial_platform *mpi)
{
    return is_in_path(mpi->compiler) && is_in_path(mpi->launcher);
}

static int no_such_id(const char *id, struct ws_error *error)
{
    struct ws_text ids = {0};

    for (size_t i = 0; i < ws_family_count; i++)
        ws_text_printf(&ids, "%s%s",
                       i == 0                     ? ""
                       : i == ws_family_count - 1 ? " or "
                                                  : ", ",
                       ws_families[i].id);
    ws_fail(error, WS_USAGE, "kb test: --mpi is %s, not '%s'", ids.bytes, id);
    ws_text_free(&ids);
    return -1;
}

static int find_mpis(const char *id, struct ws_trial_platform found[WS_TRIAL_PLATFORMS_MOST], size_t *count,
                     struct ws_error *error)
{
    static const struct ws_trial_platform other = {.id = "mpi", .compiler = "mpicc", .launcher = "mpirun"};
    const struct ws_family *wanted = id ? ws_family_by_id(id) : NULL;

    *count = 0;
    if (id && !wanted)
        return no_such_id(id, error);
    for (size_t i = 0; i < ws_family_count && *count < WS_TRIAL_PLATFORMS_MOST; i++) {
        const struct ws_family *family = &ws_families[i];
        const struct ws_trial_platform mpi = {
            .id = family->id,
            .compiler = family->compilers[0],
            .launcher = family->launcher,
            .simulated = family->simulated,
        };
        if ((wanted ? wanted == family : !family->simulated) && is_here(&mpi))
            found[(*count)++] = mpi;
    }
    if (*count == 0 && !id && is_here(&other))
        found[(*count)++] = other;
    if (*count > 0)
        return 0;
    if (id)
        return ws_fail(error, WS_ENVIRONMENT, "%s and %s are not installed (Debian: %s)",
                       wanted->compilers[0], wanted->launcher, wanted->package);
    return ws_fail(
        error, WS_ENVIRONMENT,
        "no MPI compiler (mpicc) and launcher (mpirun) in PATH: install one, on Debian libopenmpi-dev "
        "or libmpich-dev");
}

static const char *first_in_path(const char *const *names)
{
    while (*names && !is_in_path(*names))
        names++;
    return *names;
}

/* The compiler and the launcher that the runtime names. */
static int find_other(const struct ws_runtime *runtime, struct ws_trial_platform *found,
                      struct ws_error *error)
{
    *found = (struct ws_trial_platform){
        .id = runtime->id,
        .compiler = first_in_path(runtime->wrappers),
        .launcher = first_in_path(runtime->launchers),
        .count = runtime->count,
        .link = runtime->link,
    };
    if (found->compiler && (found->launcher || !runtime->launchers[0]))
        return 0;
    return ws_fail(error, WS_ENVIRONMENT, "%s of %s (%s) is not in PATH%s%s",
                   found->compiler ? "the launcher" : "the compiler", runtime->title,
                   *(found->compiler ? runtime->launchers : runtime->wrappers),
                   runtime->package ? "; on Debian: apt-get install " : "",
                   runtime->package ? runtime->package : "");
}

int ws_trial_platforms(const struct ws_runtime *runtime, const char *id,
                       struct ws_trial_platform found[WS_TRIAL_PLATFORMS_MOST], size_t *count,
                       struct ws_error *error)
{
    *count = 1;
    return ws_is_mpi(runtime) ? find_mpis(id, found, count, error) : find_other(runtime, found, error);
}
