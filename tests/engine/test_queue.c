/* The queues of channels, apart from rules: which numbers they hold, and how many channels are kept. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/native/queue.h"

static struct ws_live events[128]; /* only their addresses count */

static void test_numbers_near_each_other(void **state)
{
    static const int64_t numbers[] = {7, 9, 6, 12, 3, 20};
    struct ws_native_queue queue;

    (void)state;
    ws_native_queue_begin(&queue);
    for (size_t i = 0; i < 6; i++)
        assert_true(ws_native_queue_put(&queue, numbers[i], &events[i]));
    for (size_t i = 0; i < 6; i++)
        assert_ptr_equal(ws_native_queue_at(&queue, numbers[i]), &events[i]);
    assert_null(ws_native_queue_at(&queue, 8));
    assert_null(ws_native_queue_at(&queue, 2));
    assert_null(ws_native_queue_at(&queue, 7 + queue.capacity));
    for (size_t i = 0; i < 6; i++)
        ws_native_queue_take_out(&queue, numbers[i]);
    assert_int_equal(queue.count, 0);
    assert_true(ws_native_queue_put(&queue, 1000000, &events[0]));
    assert_null(ws_native_queue_at(&queue, 7));
    ws_native_queue_scatter(&queue);
}

static void test_what_it_cannot_hold(void **state)
{
    struct ws_native_queue queue;

    (void)state;
    ws_native_queue_begin(&queue);
    assert_false(ws_native_queue_put(&queue, -1, &events[0]));
    assert_false(ws_native_queue_put(&queue, INT64_MAX, &events[0]));
    assert_true(ws_native_queue_put(&queue, 5, &events[0]));
    assert_false(ws_native_queue_put(&queue, 5, &events[1]));
    assert_false(ws_native_queue_put(&queue, 1000, &events[1]));
    assert_ptr_equal(ws_native_queue_at(&queue, 5), &events[0]);
    ws_native_queue_scatter(&queue);
    assert_null(ws_native_queue_at(&queue, 5));
}

/* What many events at once have needed is given back when none is left. */
static void test_room_is_given_back(void **state)
{
    struct ws_native_queue queue;

    (void)state;
    ws_native_queue_begin(&queue);
    for (int64_t n = 0; n < 100; n++)
        assert_true(ws_native_queue_put(&queue, n, &events[n]));
    assert_true(queue.capacity >= 100);
    for (int64_t n = 100; n-- > 0;)
        ws_native_queue_take_out(&queue, n);
    assert_int_equal(queue.capacity, WS_FEW_PLACES);
}

static struct ws_native_channel *reach(struct ws_native_channels *channels, uint64_t hash)
{
    struct ws_native_channel *channel = ws_native_channel_find(channels, hash);
    return channel ? channel : ws_native_channel_make(channels, hash);
}

/* Of any number of channels that were used once only some are kept; those in use all are. */
static void test_idle_channels(void **state)
{
    struct ws_native_channels channels = {0};
    size_t most = 0;

    (void)state;
    for (uint64_t hash = 0; hash < 100; hash++)
        assert_true(ws_native_queue_put(&reach(&channels, hash)->queues[1], 0, &events[0]));
    for (uint64_t hash = 100; hash < 100000; hash++) {
        struct ws_native_channel *channel = reach(&channels, hash);
        assert_true(ws_native_queue_put(&channel->queues[0], 1, &events[0]));
        ws_native_queue_take_out(&channel->queues[0], 1);
        most = channels.count > most ? channels.count : most;
    }
    for (uint64_t hash = 0; hash < 100; hash++)
        assert_ptr_equal(ws_native_queue_at(&ws_native_channel_find(&channels, hash)->queues[1], 0),
                         &events[0]);
    assert_in_range(most, 1000, 5000);
    ws_native_channels_free(&channels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_near_each_other),
        cmocka_unit_test(test_what_it_cannot_hold),
        cmocka_unit_test(test_room_is_given_back),
        cmocka_unit_test(test_idle_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
