/* The numbers that the reader counts on one process: "the n-th receive of this channel".
 *
 * MPI's order of matching is the order of *posting*, but which posts count, and on which channel, shows
 * only later: a cancelled operation takes no number, and a receive from any source belongs to the channel
 * whose message it got.  So each process is read twice.  The first reading remembers the postings whose
 * outcome is not what their start said (`exceptions`: 8 bytes each, none for most programs); the second
 * counts each operation when it is posted.  Both see the records in the same order, so the place of a
 * posting among the numbered postings of START and RESTART records identifies it. */
#ifndef WS_TRACE_NUMBERS_H
#define WS_TRACE_NUMBERS_H

#include "trace/binding.h"
#include "trace/map.h"

#include <stdbool.h>

#define WS_NO_CHANNEL UINT32_MAX

/* A channel: a counter (of struct ws_bound_number) and the values it is counted by. */
struct ws_channel {
    uint64_t count;
    uint32_t counter;
    uint32_t next; /* of the same hash, + 1; 0: none */
    size_t key;    /* in keys */
    size_t key_count;
};
struct ws_exception {
    uint32_t posting, channel; /* WS_NO_CHANNEL: takes no number */
};
/* Most channels come again soon: found by the bytes of a record that tell the channel, and what these are. */
#define WS_RECENT_CHANNELS 128
struct ws_recent_channel {
    uint64_t bytes;
    uint32_t key, channel; /* the number of the key, 0: none */
};
struct ws_numbers {
    struct ws_recent_channel recent[WS_RECENT_CHANNELS];
    struct ws_map by_hash;               /* -> channel + 1 */
    struct ws_channel *channels;
    size_t channel_count, channel_capacity;
    int64_t *keys;
    size_t key_count, key_capacity;
    struct ws_exception *exceptions; /* sorted by posting for the second reading */
    size_t exception_count, exception_capacity, next_exception;
    uint64_t postings; /* so far in this reading */
};

/* The channel of a key, made where there is none yet. */
uint32_t ws_numbers_add(struct ws_numbers *numbers, uint32_t counter, const int64_t *key, size_t count);
/* The channel of these bytes of a record, if it came lately, with `channel`; else the place where it is to be
 * remembered. */
static inline struct ws_recent_channel *ws_numbers_recent(struct ws_numbers *numbers,
                                                          const struct ws_bound_key *key, uint64_t bytes)
{
    uint64_t hash = (bytes ^ (uint64_t)key->number << 56) * UINT64_C(0x9E3779B97F4A7C15);
    size_t home = (hash ^ hash >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 57;
    struct ws_recent_channel *first = &numbers->recent[home], *second = &numbers->recent[home ^ 1];

    if (first->bytes == bytes && first->key == key->number)
        return first;
    if (second->bytes != bytes || second->key != key->number)
        *second = *first;
    return second->bytes == bytes && second->key == key->number ? second : first;
}

/* First reading: a posting's channel is not that of its start. */
void ws_numbers_except(struct ws_numbers *numbers, uint64_t posting, uint32_t channel);
void ws_numbers_second_reading(struct ws_numbers *numbers);
/* Second reading: the exception of the next posting. */
static inline bool ws_numbers_next_posting(struct ws_numbers *numbers, uint32_t *channel)
{
    uint64_t posting = numbers->postings++;

    if (numbers->next_exception == numbers->exception_count ||
        numbers->exceptions[numbers->next_exception].posting != posting)
        return false;
    *channel = numbers->exceptions[numbers->next_exception++].channel;
    return true;
}
/* Counts one more of a channel and gives its number, from 1; 0 for WS_NO_CHANNEL. */
static inline int64_t ws_numbers_count(struct ws_numbers *numbers, uint32_t channel)
{
    return channel == WS_NO_CHANNEL ? 0 : (int64_t)++numbers->channels[channel].count;
}
void ws_numbers_skip(struct ws_numbers *numbers, uint32_t channel, uint64_t count); /* so many more */
/* How many there are so far. */
static inline int64_t ws_numbers_so_far(const struct ws_numbers *numbers, uint32_t channel)
{
    return channel == WS_NO_CHANNEL ? 0 : (int64_t)numbers->channels[channel].count;
}
void ws_numbers_free(struct ws_numbers *numbers);

#endif
