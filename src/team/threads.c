/* A team of threads.  What a member hands over stays its own: the others copy it between two barriers. */
#include "team/team.h"

#include "util/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct letter {
    struct ws_text bytes;
    bool full;
};
struct shared {
    uint32_t size;
    pthread_barrier_t barrier;
    const void **shown; /* [member]: what it hands over in this operation */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct letter *letters; /* [to * size + from] */
    int (*work)(struct ws_team *, void *);
    void *context;
};
struct member {
    struct ws_team team;
    struct shared *shared;
    pthread_t thread;
    int result;
};

static struct shared *shared_of(struct ws_team *team)
{
    return ((struct member *)team)->shared;
}

/* Shows something to all; until `end` nobody changes what it has shown. */
static void begin(struct ws_team *team, const void *shown)
{
    struct shared *shared = shared_of(team);

    shared->shown[team->rank] = shown;
    pthread_barrier_wait(&shared->barrier);
}

static void end(struct ws_team *team)
{
    pthread_barrier_wait(&shared_of(team)->barrier);
}

static void reduce(struct ws_team *team, int64_t *values, size_t count, bool sums)
{
    struct shared *shared = shared_of(team);
    int64_t *result = ws_alloc_array(count, sizeof *result);

    begin(team, values);
    for (size_t i = 0; i < count; i++)
        for (uint32_t m = 0; m < team->size; m++) {
            int64_t value = ((const int64_t *)shared->shown[m])[i];
            if (m == 0)
                result[i] = value;
            else if (sums)
                result[i] = (int64_t)((uint64_t)result[i] + (uint64_t)value);
            else if (value < result[i])
                result[i] = value;
        }
    end(team);
    memcpy(values, result, count * sizeof *values);
    free(result);
}

static void least(struct ws_team *team, int64_t *values, size_t count)
{
    reduce(team, values, count, false);
}

static void sum(struct ws_team *team, int64_t *values, size_t count)
{
    reduce(team, values, count, true);
}

static void exchange(struct ws_team *team, const struct ws_text *parts, struct ws_text *received)
{
    struct shared *shared = shared_of(team);

    begin(team, parts);
    for (uint32_t m = 0; m < team->size; m++) {
        const struct ws_text *part = (const struct ws_text *)shared->shown[m] + team->rank;
        ws_text_clear(&received[m]);
        ws_text_add(&received[m], ws_text_string(part), part->length);
    }
    end(team);
}

static void broadcast(struct ws_team *team, uint32_t from, struct ws_text *bytes)
{
    struct shared *shared = shared_of(team);
    const struct ws_text *given;

    begin(team, bytes);
    given = shared->shown[from];
    if (team->rank != from) {
        ws_text_clear(bytes);
        ws_text_add(bytes, ws_text_string(given), given->length);
    }
    end(team);
}

static void send_to(struct ws_team *team, uint32_t to, const struct ws_text *bytes)
{
    struct shared *shared = shared_of(team);
    struct letter *letter = &shared->letters[(size_t)to * team->size + team->rank];

    pthread_mutex_lock(&shared->lock);
    while (letter->full)
        pthread_cond_wait(&shared->changed, &shared->lock);
    ws_text_add(&letter->bytes, ws_text_string(bytes), bytes->length);
    letter->full = true;
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
}

static void receive_from(struct ws_team *team, uint32_t from, struct ws_text *bytes)
{
    struct shared *shared = shared_of(team);
    struct letter *letter = &shared->letters[(size_t)team->rank * team->size + from];

    ws_text_free(bytes);
    pthread_mutex_lock(&shared->lock);
    while (!letter->full)
        pthread_cond_wait(&shared->changed, &shared->lock);
    *bytes = letter->bytes;
    *letter = (struct letter){0};
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
}

static const struct ws_team_ops ops = {least, sum, exchange, send_to, receive_from, broadcast};

static void *run(void *argument)
{
    struct member *member = argument;

    member->result = member->shared->work(&member->team, member->shared->context);
    return NULL;
}

/* Where the machine gives fewer threads than asked for, it ends here: the others would wait for ever. */
static void start(struct member *member)
{
    if (pthread_create(&member->thread, NULL, run, member) != 0)
        ws_out_of("threads");
}

int ws_team_threads(uint32_t size, int (*work)(struct ws_team *, void *), void *context)
{
    struct shared shared = {.size = size, .work = work, .context = context};
    struct member *members = ws_alloc_array(size, sizeof *members);
    int result = 0;

    shared.shown = ws_alloc_array(size, sizeof *shared.shown);
    shared.letters = ws_alloc_array((size_t)size * size, sizeof *shared.letters);
    pthread_barrier_init(&shared.barrier, NULL, size);
    pthread_mutex_init(&shared.lock, NULL);
    pthread_cond_init(&shared.changed, NULL);
    for (uint32_t m = 0; m < size; m++)
        members[m] = (struct member){.team = {&ops, m, size}, .shared = &shared};
    for (uint32_t m = 1; m < size; m++)
        start(&members[m]);
    run(&members[0]);
    for (uint32_t m = 1; m < size; m++)
        pthread_join(members[m].thread, NULL);
    for (uint32_t m = 0; m < size && result == 0; m++)
        result = members[m].result;
    pthread_barrier_destroy(&shared.barrier);
    pthread_mutex_destroy(&shared.lock);
    pthread_cond_destroy(&shared.changed);
    free(shared.shown);
    free(shared.letters);
    free(members);
    return result;
}
