/* The events that are there for a place of a rule, found by the values that an equality compares. */
#ifndef WS_ENGINE_NATIVE_INDEX_H
#define WS_ENGINE_NATIVE_INDEX_H

#include "engine/native/queue.h"
#include "util/text.h"

#include <string.h>

struct ws_native_key {
    bool plain; /* a whole number that lies in a slot */
    enum ws_type type;
    struct ws_formula formula;
    uint64_t factor; /* in the hash */
};

/* What is looked for: the values of keys. */
struct ws_native_look {
    struct ws_native_key *keys;
    bool plain; /* all are, and of one event: */
    uint32_t frame;
    struct ws_native_term {
        uint64_t factor;
        uint32_t slot;
    } * terms; /* one for each key */
};

/* In the memory of an event that an index has. */
struct ws_native_node {
    struct ws_native_node *next, *previous; /* of the bucket, in a ring; NULL: it is in none */
    uint64_t hash;
    struct ws_native_channel *channel; /* of an index with channels; NULL: it is in none */
    int64_t number;                    /* in the channel */
    int64_t latest_ns[]; /* one, where the index is by_end: none up to here in the ring ends later */
};

/* A bucket names the newest of its ring, whose next is the oldest: so events with equal keys are found by
 * their order of arrival.  Nearly always that is the order of their ends; so what overlaps another event are
 * the newest, and by_end tells where they begin. */
struct ws_native_index {
    const struct ws_use *use;
    size_t seat;                  /* of the use: only events that pass its filter are here */
    const struct ws_expr **exprs; /* the keys as written; none: a scan */
    struct ws_native_look look;   /* the event in the first frame of members */
    size_t key_count;
    bool by_end;
    bool in_order;                       /* the last key is a number that is counted by the others: */
    struct ws_native_channels *channels; /* the events lie in queues; else NULL */
    uint32_t side;
    size_t node_offset; /* behind ws_live_own */
    struct ws_native_node **buckets;
    size_t bucket_count, in_buckets, count;
    uint64_t seen_order; /* of the event that was last sought for, and */
    struct ws_native_sight seen;
};

void ws_native_index_free(struct ws_native_index *index);
void ws_native_index_add(struct ws_native_index *index, struct ws_live *live, struct ws_native_sight *sight);
void ws_native_index_remove(struct ws_native_index *index, struct ws_live *live);

/* In a bucket that is not empty, of an index by_end: the node before the first that may end after the moment;
 * NULL: there is none. */
struct ws_native_node *ws_native_index_before(struct ws_native_node *newest, int64_t moment_ns);

static inline uint64_t ws_native_hash_value(const struct ws_native_key *key, union ws_value value)
{
    if (key->type == WS_TYPE_STRING)
        value.i = (int64_t)ws_hash(WS_HASH_START, value.s, strlen(value.s));
    return (uint64_t)value.i * key->factor;
}

static inline uint64_t ws_native_hash_end(uint64_t sum)
{
    sum ^= sum >> 32;
    sum *= UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

bool ws_native_index_look_slow(const struct ws_native_index *index, const struct ws_native_look *look,
                               union ws_value *const *frames, struct ws_native_sight *sight);
/* What to look for; false where a key is undefined: it equals nothing. */
static inline bool ws_native_index_look(const struct ws_native_index *index,
                                        const struct ws_native_look *look, union ws_value *const *frames,
                                        struct ws_native_sight *sight)
{
    const union ws_value *value = frames[look->frame];
    const struct ws_native_term *term = look->terms, *end;
    uint64_t sum = 0;

    if (!look->plain)
        return ws_native_index_look_slow(index, look, frames, sight);
    for (end = term + index->key_count - (index->channels != NULL); term < end; term++)
        sum += (uint64_t)value[term->slot].i * term->factor;
    sight->hash = ws_native_hash_end(sum);
    if (!index->channels)
        return true;
    sight->number = value[term->slot].i;
    sight->channel = ws_native_channel_find(index->channels, sight->hash);
    return true;
}

static inline struct ws_native_node *ws_native_node(const struct ws_native_index *index,
                                                    const struct ws_live *live)
{
    return (struct ws_native_node *)((char *)ws_live_own(live) + index->node_offset);
}

static inline struct ws_live *ws_native_node_live(const struct ws_native_index *index, size_t own_offset,
                                                  struct ws_native_node *node)
{
    return (struct ws_live *)((char *)node - index->node_offset - own_offset);
}

#endif
