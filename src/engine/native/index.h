/* The events that are there for a place of a rule, found by the values that an equality compares. */
#ifndef WS_ENGINE_NATIVE_INDEX_H
#define WS_ENGINE_NATIVE_INDEX_H

#include "engine/formula.h"
#include "engine/live.h"

struct ws_native_key {
    struct ws_formula formula;
    enum ws_type type;
    uint64_t factor; /* in the hash */
};

/* In the memory of an event that an index has. */
struct ws_native_node {
    struct ws_native_node *next, *previous; /* of the bucket, in a ring; NULL: the index has it not */
    uint64_t hash;
    int64_t latest_ns[]; /* one, where the index is by_end: none up to here in the ring ends later */
};

/* A bucket names the newest of its ring, whose next is the oldest: so events with equal keys are found by
 * their order of arrival.  Nearly always that is the order of their ends; so what overlaps another event are
 * the newest, and by_end tells where they begin. */
struct ws_native_index {
    const struct ws_use *use;
    size_t seat;                  /* of the use: only events that pass its filter are here */
    const struct ws_expr **exprs; /* the keys as written; none: a scan */
    struct ws_native_key *keys;   /* the event in the first frame of members */
    size_t key_count;
    bool by_end;
    size_t node_offset; /* behind ws_live_own */
    struct ws_native_node **buckets;
    size_t bucket_count, count;
    uint64_t hashed_order, hash; /* of the event whose hash was last computed */
};

void ws_native_index_free(struct ws_native_index *index);
void ws_native_index_add(struct ws_native_index *index, struct ws_live *live, uint64_t hash);
void ws_native_index_remove(struct ws_native_index *index, struct ws_live *live);

/* In a bucket that is not empty, of an index by_end: the node before the first that may end after the moment;
 * NULL: there is none. */
struct ws_native_node *ws_native_index_before(struct ws_native_node *newest, int64_t moment_ns);

/* False where a key is undefined: it equals nothing. */
bool ws_native_hash(const struct ws_native_key *keys, size_t count, union ws_value *const *frames,
                    uint64_t *hash);
uint64_t ws_native_hash_value(const struct ws_native_key *key, union ws_value value);
uint64_t ws_native_hash_end(uint64_t sum);

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
