#include "engine/native/index.h"

#include "util/text.h"

#include <stdlib.h>
#include <string.h>

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

void ws_native_index_add(struct ws_native_index *index, struct ws_live *live, uint64_t hash)
{
    struct ws_native_node *node = ws_native_node(index, live);

    if (index->count++ >= index->bucket_count)
        grow(index);
    node->hash = hash;
    if (index->by_end)
        node->latest_ns[0] = ws_live_end(live);
    append(index, bucket_of(index, hash), node);
}

void ws_native_index_remove(struct ws_native_index *index, struct ws_live *live)
{
    struct ws_native_node *node = ws_native_node(index, live), **bucket;

    if (!node->next)
        return;
    bucket = bucket_of(index, node->hash);
    if (*bucket == node)
        *bucket = node->previous == node ? NULL : node->previous;
    node->next->previous = node->previous;
    node->previous->next = node->next;
    node->next = NULL;
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

uint64_t ws_native_hash_value(const struct ws_native_key *key, union ws_value value)
{
    if (key->type == WS_TYPE_STRING)
        value.i = (int64_t)ws_hash(WS_HASH_START, value.s, strlen(value.s));
    return (uint64_t)value.i * key->factor;
}

uint64_t ws_native_hash_end(uint64_t sum)
{
    sum ^= sum >> 32;
    sum *= UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

bool ws_native_hash(const struct ws_native_key *keys, size_t count, union ws_value *const *frames,
                    uint64_t *hash)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        union ws_value value;
        if (!ws_formula_value(&keys[i].formula, frames, &value))
            return false;
        sum += ws_native_hash_value(&keys[i], value);
    }
    *hash = ws_native_hash_end(sum);
    return true;
}
