#include "launch/family.h"

#include <fnmatch.h>
#include <string.h>

/* A more special soname comes first: libmpi.so.12 is MPICH's by the MPICH ABI Initiative (Intel MPI,
 * MVAPICH), all other numbers of libmpi are Open MPI's. */
const struct ws_family ws_families[] = {
    {
        .id = "mpich",
        .name = "MPICH",
        .sonames = {"libmpich.so.*", "libmpi.so.12", "libmpi_cray.so.*", "libmpi_gnu*.so.*"},
        .files = {"libmpich.so.12", "libmpi.so.12"},
        .launchers = {"mpiexec.hydra", "mpirun.hydra", "*.mpich", "mpiexec.gforker"},
        .speaks = {"HYDRA", "MPICH", "Intel(R) MPI", "MVAPICH"},
        .compilers = {"mpicc.mpich", "mpicc"},
        .launcher = "mpirun.mpich",
        .macro = "MPICH_NAME",
        .package = "libmpich-dev",
        .launcher_package = "mpich",
    },
    {
        .id = "openmpi",
        .name = "Open MPI",
        .sonames = {"libmpi.so.*"},
        .files = {"libmpi.so.40", "libmpi.so.80", "libmpi.so.20"},
        .launchers = {"orterun", "prterun", "prun", "*.openmpi"},
        .speaks = {"Open MPI", "OpenRTE", "PRRTE"},
        .compilers = {"mpicc.openmpi", "mpicc"},
        .launcher = "mpirun.openmpi",
        .macro = "OPEN_MPI",
        .package = "libopenmpi-dev",
        .launcher_package = "openmpi-bin",
    },
    {
        .id = "simgrid",
        .name = "SimGrid's SMPI",
        .sonames = {"libsimgrid.so.*"},
        .files = {"libsimgrid.so.4.1", "libsimgrid.so.4.0", "libsimgrid.so.3.36", "libsimgrid.so.3.35",
                  "libsimgrid.so.3.32"},
        .launchers = {"smpirun"},
        .speaks = {"SMPI", "SimGrid"},
        .compilers = {"smpicc"},
        .launcher = "smpirun",
        .macro = "SMPI_H",
        .simulated = 1,
        /* All ranks are in one process, in simulated time; and smpicc gives other functions the names of
         * libc's, which the recorder is to call itself. */
        .preamble =
            "#define WS_SIMULATED 1\n"
            "#undef sleep\n#undef usleep\n#undef nanosleep\n#undef gettimeofday\n#undef clock_gettime\n"
            "#undef getopt\n#undef getopt_long\n#undef getopt_long_only\n"
            "#undef malloc\n#undef calloc\n#undef realloc\n#undef free\n#undef exit\n#undef getpid\n",
        .package = "libsimgrid-dev",
        .launcher_package = "libsimgrid-dev",
    },
    {
        .id = "abi",
        .name = "MPI of the standard ABI",
        .sonames = {"libmpi_abi.so.*"},
        .files = {"libmpi_abi.so.1", "libmpi_abi.so.0"},
        .compilers = {"mpicc_abi"},
        .launcher = "mpirun_abi",
        .macro = "MPI_ABI_VERSION",
        .package = "an MPI with the standard ABI's compiler wrapper (mpicc_abi)",
        .launcher_package = "an MPI of version 5",
    },
};
const size_t ws_family_count = sizeof ws_families / sizeof *ws_families;

static int any_glob(const char *const *globs, const char *name)
{
    for (size_t i = 0; i < WS_FAMILY_NAMES && globs[i]; i++)
        if (fnmatch(globs[i], name, 0) == 0)
            return 1;
    return 0;
}

const struct ws_family *ws_family_by_id(const char *id)
{
    for (size_t i = 0; i < ws_family_count; i++)
        if (strcmp(ws_families[i].id, id) == 0)
            return &ws_families[i];
    return NULL;
}

const struct ws_family *ws_family_by_soname(const char *soname)
{
    for (size_t i = 0; i < ws_family_count; i++)
        if (any_glob(ws_families[i].sonames, soname))
            return &ws_families[i];
    return NULL;
}

const struct ws_family *ws_family_by_launcher(const char *name)
{
    for (size_t i = 0; i < ws_family_count; i++)
        if (any_glob(ws_families[i].launchers, name))
            return &ws_families[i];
    return NULL;
}

const struct ws_family *ws_family_by_words(const char *text)
{
    for (size_t i = 0; i < ws_family_count; i++)
        for (size_t j = 0; j < WS_FAMILY_NAMES && ws_families[i].speaks[j]; j++)
            if (strstr(text, ws_families[i].speaks[j]))
                return &ws_families[i];
    return NULL;
}
