#include "engine/native/index.h"

#include <stdlib.h>

#define FIRST_BUCKETS ((size_t)64)

void ws_native_index_free(struct ws_native_index *index)
{
    free(index->buckets);
}

static struct ws_native_node **bucket_of(const struct ws_native_index *index, uint64_t hash)
{
    return &index->buckets[hash & (index->bucket_count - 1)];
}

static void append(const struct ws_native_index *index, struct ws_native_node **bucket,
                   struct ws_native_node *node)
{
    struct ws_native_node *newest = *bucket;

    if (index->by_end && newest && newest->latest_ns[0] > node->latest_ns[0])
        node->latest_ns[0] = newest->latest_ns[0];
    if (newest) {
        node->next = newest->next;
        node->previous = newest;
        newest->next->previous = node;
        newest->next = node;
    } else {
        node->next = node->previous = node;
    }
    *bucket = node;
}

static void grow(struct ws_native_index *index)
{
    struct ws_native_node **old = index->buckets;
    size_t old_count = index->bucket_count;

    index->bucket_count = old_count ? 2 * old_count : FIRST_BUCKETS;
    index->buckets = ws_alloc_array(index->bucket_count, sizeof *index->buckets);
    for (size_t i = 0; i < old_count; i++) {
        struct ws_native_node *newest = old[i], *node, *next;
        for (node = newest ? newest->next : NULL; node; node = next) {
            next = node == newest ? NULL : node->next;
            append(index, bucket_of(index, node->hash), node);
        }
    }
    free(old);
}

/* In the bucket of its hash. */
static void put_in_bucket(struct ws_native_index *index, struct ws_live *live, uint64_t hash)
{
    struct ws_native_node *node = ws_native_node(index, live);

    if (index->in_buckets++ >= index->bucket_count)
        grow(index);
    node->hash = hash;
    if (index->by_end)
        node->latest_ns[0] = ws_live_end(live);
    append(index, bucket_of(index, hash), node);
}

static void take_out_of_bucket(struct ws_native_index *index, struct ws_native_node *node)
{
    struct ws_native_node **bucket = bucket_of(index, node->hash);

    if (*bucket == node)
        *bucket = node->previous == node ? NULL : node->previous;
    node->next->previous = node->previous;
    node->previous->next = node->next;
    node->next = NULL;
    index->in_buckets--;
}

/* Moves what is in the queue to the buckets. */
static void scatter(struct ws_native_index *index, const struct ws_native_channel *channel,
                    struct ws_native_queue *queue)
{
    for (int64_t n = queue->low; n < queue->low + queue->capacity; n++)
        if (ws_native_queue_at(queue, n))
            put_in_bucket(index, ws_native_queue_at(queue, n), ws_native_number_hash(channel, n));
    ws_native_queue_scatter(queue);
}

static void put_in_channel(struct ws_native_index *index, struct ws_live *live, struct ws_native_sight *sight)
{
    struct ws_native_node *node = ws_native_node(index, live);
    struct ws_native_queue *queue;

    if (!sight->channel)
        sight->channel = ws_native_channel_make(index->channels, sight->hash);
    queue = &sight->channel->queues[index->side];
    node->channel = sight->channel;
    node->number = sight->number;
    if (queue->capacity && ws_native_queue_put(queue, sight->number, live))
        return;
    if (queue->capacity)
        scatter(index, sight->channel, queue);
    put_in_bucket(index, live, ws_native_number_hash(sight->channel, sight->number));
    queue->count++;
}

static void take_out_of_channel(struct ws_native_index *index, struct ws_native_node *node)
{
    struct ws_native_queue *queue = &node->channel->queues[index->side];

    node->channel = NULL;
    if (queue->capacity) {
        ws_native_queue_take_out(queue, node->number);
        return;
    }
    take_out_of_bucket(index, node);
    if (--queue->count == 0)
        ws_native_queue_begin(queue);
}

void ws_native_index_add(struct ws_native_index *index, struct ws_live *live, struct ws_native_sight *sight)
{
    index->count++;
    if (index->channels)
        put_in_channel(index, live, sight);
    else
        put_in_bucket(index, live, sight->hash);
}

void ws_native_index_remove(struct ws_native_index *index, struct ws_live *live)
{
    struct ws_native_node *node = ws_native_node(index, live);

    if (node->channel)
        take_out_of_channel(index, node);
    else if (node->next)
        take_out_of_bucket(index, node);
    else
        return;
    index->count--;
}

struct ws_native_node *ws_native_index_before(struct ws_native_node *newest, int64_t moment_ns)
{
    struct ws_native_node *node = newest;

    if (newest->latest_ns[0] <= moment_ns)
        return NULL;
    do
        node = node->previous;
    while (node != newest && node->latest_ns[0] > moment_ns);
    return node;
}

/* ---- hashes ---- */

/* What a key adds to the hash; false where it is undefined.  Apart, as it is rare. */
static __attribute__((noinline)) bool add_computed(const struct ws_native_key *key,
                                                   union ws_value *const *frames, uint64_t *sum)
{
    union ws_value value;

    if (!ws_formula_value(&key->formula, frames, &value))
        return false;
    *sum += ws_native_hash_value(key, value);
    return true;
}

/* Of the first keys. */
static bool hash_of(const struct ws_native_key *keys, size_t count, union ws_value *const *frames,
                    uint64_t *hash)
{
    uint64_t sum = 0;

    for (const struct ws_native_key *key = keys; key < keys + count; key++)
        if (key->plain)
            sum += (uint64_t)ws_operand_value(key->formula.result, frames).i * key->factor;
        else if (!add_computed(key, frames, &sum))
            return false;
    *hash = ws_native_hash_end(sum);
    return true;
}

bool ws_native_index_look_slow(const struct ws_native_index *index, const struct ws_native_look *look,
                               union ws_value *const *frames, struct ws_native_sight *sight)
{
    const struct ws_native_key *keys = look->keys;
    union ws_value number;

    if (!index->channels)
        return hash_of(keys, index->key_count, frames, &sight->hash);
    if (!hash_of(keys, index->key_count - 1, frames, &sight->hash) ||
        !ws_formula_value(&keys[index->key_count - 1].formula, frames, &number))
        return false;
    sight->number = number.i;
    sight->channel = ws_native_channel_find(index->channels, sight->hash);
    return true;
}
