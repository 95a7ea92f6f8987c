#include "trace/numbers.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SKIPPED ((uint64_t)INT64_MAX / 4) /* a damaged trace may claim any count */

static uint64_t hash_key(uint32_t counter, const int64_t *key, size_t count)
{
    uint64_t hash = counter + 1;

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ (uint64_t)key[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool is(const struct ws_numbers *numbers, uint32_t number, uint32_t counter, const int64_t *key,
               size_t count)
{
    const struct ws_channel *channel = &numbers->channels[number];
    const int64_t *own = numbers->keys + channel->key;

    if (channel->counter != counter || channel->key_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (own[i] != key[i])
            return false;
    return true;
}

/* The channel of a key + 1, or 0. */
static uint32_t find(const struct ws_numbers *numbers, uint64_t hash, uint32_t counter, const int64_t *key,
                     size_t count)
{
    uint32_t found = (uint32_t)ws_map_get(&numbers->by_hash, hash);

    while (found && !is(numbers, found - 1, counter, key, count))
        found = numbers->channels[found - 1].next;
    return found;
}

uint32_t ws_numbers_add(struct ws_numbers *numbers, uint32_t counter, const int64_t *key, size_t count)
{
    uint64_t hash = hash_key(counter, key, count);
    uint32_t found = find(numbers, hash, counter, key, count);
    struct ws_channel channel = {.counter = counter, .key = numbers->key_count, .key_count = count};

    if (found)
        return found - 1;
    if (numbers->channel_count == WS_NO_CHANNEL - 1)
        return WS_NO_CHANNEL;
    for (size_t i = 0; i < count; i++)
        WS_PUSH(numbers->keys, numbers->key_count, numbers->key_capacity) = key[i];
    channel.next = (uint32_t)ws_map_get(&numbers->by_hash, hash);
    WS_PUSH(numbers->channels, numbers->channel_count, numbers->channel_capacity) = channel;
    ws_map_put(&numbers->by_hash, hash, numbers->channel_count);
    return (uint32_t)(numbers->channel_count - 1);
}

void ws_numbers_except(struct ws_numbers *numbers, uint64_t posting, uint32_t channel)
{
    /* A process with more postings than that has a trace of hundreds of GB; the rest count as posted. */
    if (posting < UINT32_MAX)
        WS_PUSH(numbers->exceptions, numbers->exception_count, numbers->exception_capacity) =
            (struct ws_exception){(uint32_t)posting, channel};
}

static int compare_exceptions(const void *a, const void *b)
{
    uint32_t left = ((const struct ws_exception *)a)->posting;
    uint32_t right = ((const struct ws_exception *)b)->posting;
    return (left > right) - (left < right);
}

void ws_numbers_second_reading(struct ws_numbers *numbers)
{
    if (numbers->exception_count)
        qsort(numbers->exceptions, numbers->exception_count, sizeof *numbers->exceptions, compare_exceptions);
    numbers->postings = numbers->next_exception = 0;
}

void ws_numbers_skip(struct ws_numbers *numbers, uint32_t channel, uint64_t count)
{
    if (channel != WS_NO_CHANNEL && numbers->channels[channel].count < MOST_SKIPPED)
        numbers->channels[channel].count += count < MOST_SKIPPED ? count : MOST_SKIPPED;
}

void ws_numbers_free(struct ws_numbers *numbers)
{
    ws_map_free(&numbers->by_hash);
    free(numbers->channels);
    free(numbers->keys);
    free(numbers->exceptions);
    *numbers = (struct ws_numbers){0};
}
