/* Started by an MPI's launcher?  Its processes find their number in the environment. */
#include "team/team.h"

#include <stdlib.h>

static const struct {
    const char *rank, *size, *local, *mpi;
} variables[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "openmpi"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "mpich"}, /* Hydra; Slurm with PMI-2 */
    {"PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID", "openmpi"},
};

static bool number_of(const char *variable, uint32_t *number)
{
    const char *text = getenv(variable);
    char *end;
    unsigned long value;

    if (!text || *text < '0' || *text > '9')
        return false;
    value = strtoul(text, &end, 10);
    if (*end || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

struct ws_launched ws_team_launched(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        struct ws_launched found = {.mpi = variables[i].mpi, .variable = variables[i].size};
        if (number_of(variables[i].rank, &found.rank) && number_of(variables[i].size, &found.size) &&
            found.rank < found.size) {
            number_of(variables[i].local, &found.local);
            return found;
        }
    }
    return (struct ws_launched){.size = 1};
}
