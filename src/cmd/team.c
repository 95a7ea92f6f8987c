/* Processes that an MPI's launcher started to diagnose a trace together. */
#include "cmd/cmd.h"

#include "launch/launch.h"
#include "team/team.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define PATIENCE_S 1

static void tell(const char *line)
{
    ws_message("%s", line);
}

static struct ws_team *open_team(const struct ws_launched *launched, struct ws_error *error)
{
    struct ws_platform *mpi = ws_alloc(sizeof *mpi);
    struct ws_team *team = NULL;
    char path[PATH_MAX];

    if (ws_mpi_installed(launched->mpi, mpi, error) == 0 &&
        ws_team_library(mpi, path, sizeof path, tell, error) == 0)
        team = ws_team_open_mpi(path, launched, error);
    free(mpi);
    return team;
}

int ws_cmd_team_begin(struct ws_team **team)
{
    const struct ws_launched launched = ws_team_launched();
    struct ws_error error = {0};

    *team = NULL;
    if (launched.size == 1)
        return 0;
    *team = open_team(&launched, &error);
    if (*team)
        return 0;
    /* If all fail, the first of each machine says so; the launcher may end the others as soon as one ends. */
    if (launched.rank > 0)
        sleep(PATIENCE_S);
    if (launched.local == 0)
        ws_messages_on();
    return ws_complain(&error);
}

int ws_cmd_team_agree(struct ws_team *team, int code)
{
    int64_t worst = -code;

    if (!team)
        return code;
    ws_team_least(team, &worst, 1);
    if (code == 0 && worst != 0)
        ws_message("another process of this launch cannot read the knowledge base: is it on all machines?");
    return (int)-worst;
}

int ws_cmd_team_end(struct ws_team *team, int code)
{
    bool first = !team || team->rank == 0;

    if (team)
        ws_team_close_mpi(team);
    return first ? code : WS_DONE;
}
