#include "trial/trial.h"

#include "launch/process.h"

#include <limits.h>
#include <string.h>

static bool is_here(const struct ws_trial_mpi *mpi)
{
    char path[PATH_MAX];

    return ws_process_find(mpi->compiler, path, sizeof path) &&
           ws_process_find(mpi->launcher, path, sizeof path);
}

int ws_trial_mpis(const char *id, struct ws_trial_mpi found[WS_TRIAL_MPIS_MOST], size_t *count,
                  struct ws_error *error)
{
    static const struct ws_trial_mpi known[] = {
        {"openmpi", "mpicc.openmpi", "mpirun.openmpi"},
        {"mpich", "mpicc.mpich", "mpirun.mpich"},
    };
    static const struct ws_trial_mpi other = {"mpi", "mpicc", "mpirun"};
    bool is_known = false;

    *count = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool wanted = !id || strcmp(id, known[i].id) == 0;
        is_known |= wanted;
        if (wanted && is_here(&known[i]))
            found[(*count)++] = known[i];
    }
    if (!is_known)
        return ws_fail(error, WS_USAGE, "kb test: --mpi is openmpi or mpich, not '%s'", id);
    if (*count == 0 && !id && is_here(&other))
        found[(*count)++] = other;
    if (*count > 0)
        return 0;
    if (id)
        return ws_fail(error, WS_ENVIRONMENT, "mpicc.%s and mpirun.%s are not installed (Debian: lib%s-dev)",
                       id, id, id);
    return ws_fail(
        error, WS_ENVIRONMENT,
        "no MPI compiler (mpicc) and launcher (mpirun) in PATH: install one, on Debian libopenmpi-dev "
        "or libmpich-dev");
}
