#include "team/team.h"

#include <stdlib.h>
#include <string.h>

/* ---- a team of one ---- */

static void leave_alone(struct ws_team *team, int64_t *values, size_t count)
{
    (void)team;
    (void)values;
    (void)count;
}

static void exchange_alone(struct ws_team *team, const struct ws_text *parts, struct ws_text *received)
{
    (void)team;
    ws_text_clear(received);
    ws_text_add(received, ws_text_string(parts), parts->length);
}

static void broadcast_alone(struct ws_team *team, uint32_t from, struct ws_text *bytes)
{
    (void)team;
    (void)from;
    (void)bytes;
}

void ws_team_alone(struct ws_team *team)
{
    static const struct ws_team_ops ops = {
        .least = leave_alone, .sum = leave_alone, .exchange = exchange_alone, .broadcast = broadcast_alone};

    *team = (struct ws_team){&ops, 0, 1};
}

/* ---- what is made of the operations ---- */

int ws_team_agree(struct ws_team *team, int result, struct ws_error *error)
{
    int64_t first = result == 0 ? team->size : team->rank;
    struct ws_text bytes = {0};

    ws_team_least(team, &first, 1);
    if (first == team->size)
        return 0;
    if (first == team->rank)
        ws_text_add(&bytes, (const char *)error, sizeof *error);
    ws_team_broadcast(team, (uint32_t)first, &bytes);
    if (bytes.length == sizeof *error)
        memcpy(error, bytes.bytes, sizeof *error);
    ws_text_free(&bytes);
    return -1;
}

int ws_team_merge(struct ws_team *team, void (*pack)(void *context, struct ws_text *out),
                  int (*unpack)(void *context, const struct ws_text *in, struct ws_error *error),
                  void *context, struct ws_error *error)
{
    struct ws_text bytes = {0};
    int result = 0;

    for (uint64_t step = 1; step < team->size; step *= 2) {
        if (team->rank % (2 * step) == step) {
            ws_text_clear(&bytes);
            pack(context, &bytes);
            team->ops->send(team, team->rank - (uint32_t)step, &bytes);
            break;
        }
        if (team->rank + step < team->size) {
            team->ops->receive(team, team->rank + (uint32_t)step, &bytes);
            if (result == 0)
                result = unpack(context, &bytes, error);
        }
    }
    ws_text_free(&bytes);
    return ws_team_agree(team, result, error);
}
