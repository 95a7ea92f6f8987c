/* A team: the members that share the work of one diagnosis, as threads of one process or as processes of an
 * MPI.  Each member calls every function below in the same order; only what it hands over differs.
 * The answers of all but ws_team_receive and ws_team_exchange are the same for every member. */
#ifndef WS_TEAM_TEAM_H
#define WS_TEAM_TEAM_H

#include "util/error.h"
#include "util/text.h"

#include <stdint.h>

struct ws_team_ops;
struct ws_team { /* each implementation begins its own struct with it */
    const struct ws_team_ops *ops;
    uint32_t rank, size;
};

struct ws_team_ops {
    /* values[i]: the least, or the sum, of all members' values[i] */
    void (*least)(struct ws_team *team, int64_t *values, size_t count);
    void (*sum)(struct ws_team *team, int64_t *values, size_t count);
    /* Hands parts[m] to member m and gets *received[m] from it: what was in it is replaced. */
    void (*exchange)(struct ws_team *team, const struct ws_text *parts, struct ws_text *received);
    /* One member hands over, one other calls receive. */
    void (*send)(struct ws_team *team, uint32_t to, const struct ws_text *bytes);
    void (*receive)(struct ws_team *team, uint32_t from, struct ws_text *bytes);
    /* The bytes of `from` to all; what the others had is replaced. */
    void (*broadcast)(struct ws_team *team, uint32_t from, struct ws_text *bytes);
};

static inline void ws_team_least(struct ws_team *team, int64_t *values, size_t count)
{
    team->ops->least(team, values, count);
}
static inline void ws_team_sum(struct ws_team *team, int64_t *values, size_t count)
{
    team->ops->sum(team, values, count);
}
static inline void ws_team_exchange(struct ws_team *team, const struct ws_text *parts,
                                    struct ws_text *received)
{
    team->ops->exchange(team, parts, received);
}
static inline void ws_team_broadcast(struct ws_team *team, uint32_t from, struct ws_text *bytes)
{
    team->ops->broadcast(team, from, bytes);
}

/* A team of one. */
void ws_team_alone(struct ws_team *team);

/* Has a member failed?  result: 0, or -1 with *error, of this member.  Gives the same to all: 0, or -1 with
 * the error of the first member that has one. */
int ws_team_agree(struct ws_team *team, int result, struct ws_error *error);

/* Brings what the members have together at member 0, in as many steps as the size has digits in base 2.
 * pack: adds what this member has by now; unpack: takes in what another packed, 0 or -1 with *error.
 * Gives the result of ws_team_agree. */
int ws_team_merge(struct ws_team *team, void (*pack)(void *context, struct ws_text *out),
                  int (*unpack)(void *context, const struct ws_text *in, struct ws_error *error),
                  void *context, struct ws_error *error);

/* Runs `work` once for each member, on a thread each (member 0 on this one), and waits for all.  Gives 0, or
 * the result of the first member that gave another. */
int ws_team_threads(uint32_t size, int (*work)(struct ws_team *team, void *context), void *context);

/* What a launcher of MPI processes tells those it starts. */
struct ws_launched {
    uint32_t rank, size;  /* 0 of 1: started by none */
    uint32_t local;       /* number on its machine */
    const char *mpi;      /* the family of the MPI: "openmpi", "mpich" */
    const char *variable; /* of the environment, that tells it */
};
struct ws_launched ws_team_launched(void);

/* The team of the processes of this launch, by the shim library for their MPI (team/shim/).  NULL and *error
 * (WS_ENVIRONMENT) where it does not load, or its MPI sees other processes than `launched` tells.  One in a
 * process; ws_team_close_mpi when all is done. */
struct ws_team *ws_team_open_mpi(const char *library, const struct ws_launched *launched,
                                 struct ws_error *error);
void ws_team_close_mpi(struct ws_team *team);

#endif
