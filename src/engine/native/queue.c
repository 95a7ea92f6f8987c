#include "engine/native/queue.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS ((size_t)256)
#define MOST_IDLE ((size_t)4096) /* channels that are kept without events, whatever the others */
#define MOST_IDLE_PLACES 64
#define LEAST_SPAN 16               /* of numbers, in a ring of few events */
#define MOST_NUMBER (INT64_MAX / 2) /* greater ones would overflow */

/* ---- queues ---- */

static void release(struct ws_native_queue *queue)
{
    if (queue->places != queue->few)
        free(queue->places);
}

void ws_native_queue_begin(struct ws_native_queue *queue)
{
    *queue = (struct ws_native_queue){.places = queue->few, .capacity = WS_FEW_PLACES};
}

void ws_native_queue_scatter(struct ws_native_queue *queue)
{
    release(queue);
    queue->places = queue->few;
    queue->capacity = 0;
}

/* Behind the greatest number. */
static int64_t end_of(const struct ws_native_queue *queue)
{
    int64_t end = queue->low + queue->capacity;

    while (!*ws_native_queue_place(queue, end - 1))
        end--;
    return end;
}

static void widen(struct ws_native_queue *queue, int64_t span, int64_t end)
{
    struct ws_native_queue old = *queue;

    old.places = queue->places == queue->few ? old.few : queue->places;
    while (queue->capacity < span)
        queue->capacity *= 2;
    queue->places = ws_alloc_array(queue->capacity, sizeof *queue->places);
    for (int64_t n = old.low; n < end; n++)
        *ws_native_queue_place(queue, n) = *ws_native_queue_place(&old, n);
    if (old.places != old.few)
        free(old.places);
}

/* Has the queue, which has events, reach a number that it did not. */
static bool reach(struct ws_native_queue *queue, int64_t number)
{
    int64_t end = end_of(queue);
    int64_t low = number < queue->low ? number : queue->low;
    int64_t span = (number < end ? end : number + 1) - low;

    if (span > LEAST_SPAN + 4 * (int64_t)queue->count)
        return false;
    if (span > queue->capacity)
        widen(queue, span, end);
    queue->low = low;
    return true;
}

bool ws_native_queue_put(struct ws_native_queue *queue, int64_t number, struct ws_live *live)
{
    struct ws_live **place;

    if (number < 0 || number > MOST_NUMBER)
        return false;
    if (queue->count == 0)
        queue->low = number;
    else if (!ws_native_queue_reaches(queue, number) && !reach(queue, number))
        return false;
    place = ws_native_queue_place(queue, number);
    if (*place)
        return false;
    *place = live;
    queue->count++;
    return true;
}

void ws_native_queue_take_out(struct ws_native_queue *queue, int64_t number)
{
    *ws_native_queue_place(queue, number) = NULL;
    if (--queue->count > 0) {
        while (!*ws_native_queue_place(queue, queue->low))
            queue->low++;
    } else if (queue->capacity > MOST_IDLE_PLACES) {
        release(queue);
        ws_native_queue_begin(queue);
    }
}

/* ---- channels ---- */

static struct ws_native_channel **bucket_of(const struct ws_native_channels *channels, uint64_t hash)
{
    return &channels->buckets[hash & (channels->bucket_count - 1)];
}

static bool is_idle(const struct ws_native_channel *channel)
{
    return channel->queues[0].count + channel->queues[1].count == 0;
}

static size_t count_busy(const struct ws_native_channels *channels)
{
    size_t count = 0;

    for (size_t i = 0; i < channels->bucket_count; i++)
        for (const struct ws_native_channel *channel = channels->buckets[i]; channel; channel = channel->next)
            count += !is_idle(channel);
    return count;
}

/* Lets go of the channels that have no events. */
static void sweep(struct ws_native_channels *channels)
{
    for (size_t i = 0; i < channels->bucket_count; i++)
        for (struct ws_native_channel **place = &channels->buckets[i], *channel; (channel = *place);) {
            if (!is_idle(channel)) {
                place = &channel->next;
                continue;
            }
            *place = channel->next;
            release(&channel->queues[0]);
            release(&channel->queues[1]);
            channel->next = channels->free;
            channels->free = channel;
            channels->count--;
        }
}

static void grow(struct ws_native_channels *channels)
{
    struct ws_native_channel **old = channels->buckets;
    size_t old_count = channels->bucket_count;

    channels->bucket_count = old_count ? 2 * old_count : FIRST_BUCKETS;
    channels->buckets = ws_alloc_array(channels->bucket_count, sizeof *channels->buckets);
    for (size_t i = 0; i < old_count; i++)
        for (struct ws_native_channel *channel = old[i], *next; channel; channel = next) {
            struct ws_native_channel **bucket = bucket_of(channels, channel->hash);
            next = channel->next;
            channel->next = *bucket;
            *bucket = channel;
        }
    free(old);
}

static void make_room(struct ws_native_channels *channels)
{
    if (channels->count < channels->bucket_count)
        return;
    if (channels->count < MOST_IDLE || 4 * count_busy(channels) >= channels->count)
        grow(channels);
    else
        sweep(channels);
}

struct ws_native_channel *ws_native_channel_make(struct ws_native_channels *channels, uint64_t hash)
{
    struct ws_native_channel *channel, **bucket;

    make_room(channels);
    channel = channels->free;
    if (channel)
        channels->free = channel->next;
    else
        channel = ws_arena_alloc(&channels->arena, sizeof *channel);
    channel->hash = hash;
    ws_native_queue_begin(&channel->queues[0]);
    ws_native_queue_begin(&channel->queues[1]);
    bucket = bucket_of(channels, hash);
    channel->next = *bucket;
    *bucket = channel;
    channels->count++;
    return channel;
}

void ws_native_channels_free(struct ws_native_channels *channels)
{
    for (size_t i = 0; i < channels->bucket_count; i++)
        for (struct ws_native_channel *channel = channels->buckets[i]; channel; channel = channel->next) {
            release(&channel->queues[0]);
            release(&channel->queues[1]);
        }
    free(channels->buckets);
    ws_arena_free(&channels->arena);
}
