/* Channels with queues: the events that are there for a place of a rule, where the values that an equality
 * compares are those of a channel (sender, receiver, tag ...) and a number that the reader counts in it. Such
 * events come about in the order of their numbers, so a channel holds them in a ring, in which the number
 * tells the place: whatever is there, one look for the channel finds the partner.
 *
 * Nothing rests on it that the numbers are dense and in order.  Where two events of a channel have one
 * number, or numbers lie too far apart, the queue is scattered: its events lie in the hash table of the index
 * (index.h) until none is left.  So it is where two channels have one hash: they share a queue until a number
 * is taken. Channels without events are kept for what comes next, as long as they are few beside the others.
 */
#ifndef WS_ENGINE_NATIVE_QUEUE_H
#define WS_ENGINE_NATIVE_QUEUE_H

#include "engine/formula.h"
#include "engine/live.h"

struct ws_native_key;

#define WS_FEW_PLACES 2
struct ws_native_queue {     /* of a channel, for the events of one member of the rule */
    struct ws_live **places; /* [capacity], by number modulo capacity; NULL: none has this number */
    struct ws_live *few[WS_FEW_PLACES];
    int64_t low;       /* the least number; all are in [low, low + capacity) */
    uint32_t capacity; /* a power of two, or 0: it is scattered */
    uint32_t count;    /* of events, wherever they lie */
};
struct ws_native_channel {
    struct ws_native_channel *next; /* of the bucket, or free */
    uint64_t hash;
    struct ws_native_queue queues[2]; /* by side */
};
/* Two indexes that find their events for each other share it; each is one side. */
struct ws_native_channels {
    struct ws_native_channel **buckets;
    size_t bucket_count, count;
    struct ws_native_channel *free;
    struct ws_arena arena;
};

/* Where an event belongs, or its partner is found. */
struct ws_native_sight {
    uint64_t hash; /* of the channel; in an index without channels of all values */
    int64_t number;
    struct ws_native_channel *channel; /* NULL: there is none yet */
};

/* The channel of sight->hash, or NULL. */
static inline struct ws_native_channel *ws_native_channel_find(const struct ws_native_channels *channels,
                                                               uint64_t hash)
{
    struct ws_native_channel *channel =
        channels->bucket_count ? channels->buckets[hash & (channels->bucket_count - 1)] : NULL;

    while (channel && channel->hash != hash)
        channel = channel->next;
    return channel;
}

struct ws_native_channel *ws_native_channel_make(struct ws_native_channels *channels, uint64_t hash);
void ws_native_channels_free(struct ws_native_channels *channels);

/* Where the events of a scattered queue lie in the hash table. */
static inline uint64_t ws_native_number_hash(const struct ws_native_channel *channel, int64_t number)
{
    return (channel->hash ^ (uint64_t)number) * UINT64_C(0xD1342543DE82EF95);
}

static inline bool ws_native_queue_reaches(const struct ws_native_queue *queue, int64_t number)
{
    return (uint64_t)number - (uint64_t)queue->low < queue->capacity;
}

static inline struct ws_live **ws_native_queue_place(const struct ws_native_queue *queue, int64_t number)
{
    return &queue->places[number & (queue->capacity - 1)];
}

/* The event with this number, or NULL. */
static inline struct ws_live *ws_native_queue_at(const struct ws_native_queue *queue, int64_t number)
{
    return ws_native_queue_reaches(queue, number) ? *ws_native_queue_place(queue, number) : NULL;
}

/* Gives false where the queue cannot hold it: the number is taken, or too far from the others. */
bool ws_native_queue_put(struct ws_native_queue *queue, int64_t number, struct ws_live *live);
void ws_native_queue_take_out(struct ws_native_queue *queue, int64_t number);
/* The queue is scattered from now on, until it begins anew. */
void ws_native_queue_scatter(struct ws_native_queue *queue);
void ws_native_queue_begin(struct ws_native_queue *queue);

#endif
