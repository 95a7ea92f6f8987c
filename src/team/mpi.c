/* A team of MPI processes, by the shim library. */
#include "team/team.h"

#include "team/shim/shim.h"
#include "util/alloc.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct mpi_team {
    struct ws_team team;
    const struct ws_shim *shim;
    uint64_t *send_sizes, *receive_sizes; /* [size] */
    const void **send;
    void **receive;
};

static struct mpi_team *mpi_of(struct ws_team *team)
{
    return (struct mpi_team *)team;
}

/* Room for as many bytes, whatever was there. */
static char *make_room(struct ws_text *text, uint64_t size)
{
    ws_text_clear(text);
    ws_text_reserve(text, size);
    text->length = size;
    text->bytes[size] = '\0';
    return text->bytes;
}

static void least(struct ws_team *team, int64_t *values, size_t count)
{
    mpi_of(team)->shim->least(values, count);
}

static void sum(struct ws_team *team, int64_t *values, size_t count)
{
    mpi_of(team)->shim->sum(values, count);
}

static void exchange(struct ws_team *team, const struct ws_text *parts, struct ws_text *received)
{
    struct mpi_team *mpi = mpi_of(team);

    for (uint32_t m = 0; m < team->size; m++) {
        mpi->send[m] = parts[m].bytes;
        mpi->send_sizes[m] = parts[m].length;
    }
    mpi->shim->exchange_sizes(mpi->send_sizes, mpi->receive_sizes);
    for (uint32_t m = 0; m < team->size; m++)
        mpi->receive[m] = make_room(&received[m], mpi->receive_sizes[m]);
    mpi->shim->exchange(mpi->send, mpi->send_sizes, mpi->receive, mpi->receive_sizes);
}

static void send_to(struct ws_team *team, uint32_t to, const struct ws_text *bytes)
{
    uint64_t size = bytes->length;

    mpi_of(team)->shim->send(to, &size, sizeof size);
    mpi_of(team)->shim->send(to, bytes->bytes, size);
}

static void receive_from(struct ws_team *team, uint32_t from, struct ws_text *bytes)
{
    uint64_t size;

    mpi_of(team)->shim->receive(from, &size, sizeof size);
    mpi_of(team)->shim->receive(from, make_room(bytes, size), size);
}

static void broadcast(struct ws_team *team, uint32_t from, struct ws_text *bytes)
{
    uint64_t size = bytes->length;

    mpi_of(team)->shim->broadcast(from, &size, sizeof size);
    if (team->rank != from)
        make_room(bytes, size);
    mpi_of(team)->shim->broadcast(from, bytes->bytes, size);
}

static const struct ws_team_ops ops = {least, sum, exchange, send_to, receive_from, broadcast};

struct ws_team *ws_team_open_mpi(const char *library, const struct ws_launched *launched,
                                 struct ws_error *error)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    const struct ws_shim *shim = handle ? dlsym(handle, WS_SHIM_NAME) : NULL;
    struct mpi_team *mpi;

    if (!shim) {
        const char *cause = dlerror();
        ws_fail(error, WS_ENVIRONMENT, "cannot work as an MPI program: %s does not load: %.900s", library,
                cause ? cause : "unknown");
        return NULL;
    }
    mpi = ws_alloc(sizeof *mpi);
    mpi->team.ops = &ops;
    mpi->shim = shim;
    shim->start(&mpi->team.rank, &mpi->team.size);
    if (mpi->team.size != launched->size || mpi->team.rank != launched->rank) {
        ws_fail(error, WS_ENVIRONMENT,
                "cannot work as an MPI program: %s tells of process %u of %u, but the MPI found here sees "
                "process %u of %u: it is not the MPI of the launcher",
                launched->variable, launched->rank, launched->size, mpi->team.rank, mpi->team.size);
        shim->stop();
        free(mpi);
        return NULL;
    }
    mpi->send_sizes = ws_alloc_array(mpi->team.size, sizeof *mpi->send_sizes);
    mpi->receive_sizes = ws_alloc_array(mpi->team.size, sizeof *mpi->receive_sizes);
    mpi->send = ws_alloc_array(mpi->team.size, sizeof *mpi->send);
    mpi->receive = ws_alloc_array(mpi->team.size, sizeof *mpi->receive);
    return &mpi->team;
}

void ws_team_close_mpi(struct ws_team *team)
{
    struct mpi_team *mpi = mpi_of(team);

    mpi->shim->stop();
    free(mpi->send_sizes);
    free(mpi->receive_sizes);
    free(mpi->send);
    free(mpi->receive);
    free(mpi);
}
