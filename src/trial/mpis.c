#include "trial/trial.h"

#include "launch/family.h"
#include "launch/process.h"

#include <limits.h>
#include <string.h>

static bool is_here(const struct ws_trial_mpi *mpi)
{
    char path[PATH_MAX];

    return ws_process_find(mpi->compiler, path, sizeof path) &&
           ws_process_find(mpi->launcher, path, sizeof path);
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

int ws_trial_mpis(const char *id, struct ws_trial_mpi found[WS_TRIAL_MPIS_MOST], size_t *count,
                  struct ws_error *error)
{
    static const struct ws_trial_mpi other = {"mpi", "mpicc", "mpirun"};
    const struct ws_family *wanted = id ? ws_family_by_id(id) : NULL;

    *count = 0;
    if (id && !wanted)
        return no_such_id(id, error);
    for (size_t i = 0; i < ws_family_count && *count < WS_TRIAL_MPIS_MOST; i++) {
        const struct ws_family *family = &ws_families[i];
        const struct ws_trial_mpi mpi = {family->id, family->compilers[0], family->launcher};
        if ((!wanted || wanted == family) && is_here(&mpi))
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
