/* The hot path: what every recorded call goes through, inlined into its wrapper.  No lock, allocation or
 * system call but where a packet is full or something is seen for the first time.
 *
 * Budget of a call with one record, as measured on a 2-core virtual machine:
 * - 9 ns: enter and leave (a thread-local pointer, a guard), the call site (one probe of a hash table), the
 *   record (16 bytes into a mapped packet, its length into the header);
 * - 19 ns: two clock readings (recorder/clock.h);
 * - 16 ns: packet changes, on average (90 us for each 5000 records).
 */
#ifndef WS_RECORDER_HOT_H
#define WS_RECORDER_HOT_H

#include "recorder/clock.h"
#include "recorder/recorder.h"
#include "recorder/trampoline.h"

#include <string.h>

#define WS_EXPORT __attribute__((visibility("default")))
#define WS_RARELY(condition) __builtin_expect(!!(condition), 0)

/* The next definition of a function, resolved when it is first called: a static constructor of another
 * library may call before any of ours has run. */
#define WS_NEXT(next) (__atomic_load_n(&(next), __ATOMIC_RELAXED))
#define WS_RESOLVE(next, symbol)                                                                             \
    do {                                                                                                     \
        if (WS_RARELY(!WS_NEXT(next)))                                                                       \
            __atomic_store_n(&(next), (__typeof__(next))ws_next(symbol), __ATOMIC_RELAXED);                  \
    } while (0)

#define WS_INLINE static inline __attribute__((always_inline)) /* so that the frame is the wrapper's */

/* True within a call that is being recorded on this thread. */
WS_INLINE bool ws_inside(void)
{
    return ws_self && ws_self->inside == 1 && !ws_was_left(ws_self, (uintptr_t)__builtin_frame_address(0));
}

/* The stream of a call that is to be recorded; NULL: forward the call and do nothing else. */
WS_INLINE struct ws_stream *ws_enter(void)
{
    struct ws_stream *me = ws_self;

    if (WS_RARELY(!ws_is_recording()))
        return NULL;
    if (WS_RARELY(!me) && !(me = ws_stream_open()))
        return NULL;
    if (WS_RARELY(me->inside) && !ws_was_left(me, (uintptr_t)__builtin_frame_address(0)))
        return NULL;
    me->frame = (uintptr_t)__builtin_frame_address(0);
    me->return_address = ((const void *const *)me->frame)[1];
    me->inside = 1;
    return me;
}

static inline void ws_leave(struct ws_stream *me)
{
    me->inside = 0;
}

static inline uint32_t ws_site(struct ws_stream *me, void *address, uint16_t function)
{
    const struct ws_site_slot *slot = &me->sites[((uintptr_t)address * WS_HASH) >> me->site_shift];

    return slot->address == (uintptr_t)address && slot->function == function
               ? slot->id
               : ws_site_find(me, (uintptr_t)address, function);
}

/* The thread's time from here on, no earlier than that of its last record. */
static inline void ws_now(struct ws_stream *me)
{
    uint64_t now_ns = ws_clock_ns();

    me->end_ns = now_ns < me->end_ns ? me->end_ns : now_ns;
}

/* After the call, before its records.  Readings of the counter may trade places by a few counts: here a
 * thread's times are brought into order. */
static inline void ws_call(struct ws_stream *me, uint16_t function, uint64_t begin_ns, uint64_t end_ns,
                           void *address)
{
    if (WS_RARELY(me->outer.kinds))
        ws_outer_piece(me, begin_ns, end_ns);
    begin_ns = begin_ns < me->end_ns ? me->end_ns : begin_ns;
    end_ns = end_ns < begin_ns ? begin_ns : end_ns;
    me->end_ns = end_ns;
    me->duration_ns = end_ns - begin_ns;
    me->function = function;
    me->written = WS_WRITTEN_NONE;
    me->packet->calls++;
    me->site = ws_site(me, address, function);
    if (WS_RARELY(__atomic_load_n(&ws_control, __ATOMIC_RELAXED) != me->control))
        ws_control_look(me);
}

/* Room for a short record of this call, its header written, for `size` bytes of narrow fields; NULL: it
 * takes a full one.  kinds: the schema's number of kinds of records. */
static inline unsigned char *ws_record(struct ws_stream *me, unsigned kind, unsigned kinds, size_t size)
{
    const unsigned shorts = WS_SHORT_KINDS(kinds);
    unsigned char *at = me->at;
    uint64_t head;

    if (kind >= shorts || WS_RARELY(size + WS_COMPACT_BYTES > (size_t)(me->limit - at)))
        return NULL;
    if (me->written == WS_WRITTEN_HERE) {
        *at = (unsigned char)(WS_FIRST_SHORT + 2 * shorts + kind);
        return at + WS_MORE_BYTES;
    }
    if (WS_RARELY(me->written != WS_WRITTEN_NONE) || WS_RARELY(me->end_ns - me->last_ns >= WS_SHORT_NS) ||
        WS_RARELY(me->site > UINT16_MAX))
        return NULL;
    head = me->end_ns << 40 >> 32 | me->duration_ns << 32;
    if (me->duration_ns <= UINT16_MAX) {
        head |= (WS_FIRST_SHORT + kind) | (uint64_t)me->site << 48;
        memcpy(at, &head, sizeof head);
        return at + WS_TIGHT_BYTES;
    }
    if (WS_RARELY(me->duration_ns >= WS_SHORT_NS))
        return NULL;
    head |= (WS_FIRST_SHORT + shorts + kind) | (uint64_t)me->site << 56;
    memcpy(at, &head, sizeof head);
    at[sizeof head] = (unsigned char)(me->site >> 8);
    return at + WS_COMPACT_BYTES;
}

/* A field of a full record. */
#define WS_PUT(at, value)                                                                                    \
    do {                                                                                                     \
        __typeof__(value) ws_put_ = (value);                                                                 \
        memcpy((at), &ws_put_, sizeof ws_put_);                                                              \
        (at) += sizeof ws_put_;                                                                              \
    } while (0)

/* One of `bytes` bytes of a short record, whose value fits.  Three are stored as four: the room for END is
 * behind them. */
#define WS_PUT_NARROW(at, value, bytes)                                                                      \
    do {                                                                                                     \
        const uint32_t ws_put_ = (uint32_t)(value);                                                          \
        memcpy((at), &ws_put_, (bytes) == 3 ? 4 : (bytes));                                                  \
        (at) += (bytes);                                                                                     \
    } while (0)

/* Whether a value fits in so many bits, signed or not; and the lower half of a request. */
#define WS_FITS_SIGNED(value, bits)                                                                          \
    ((uint64_t)(int64_t)(value) + (UINT64_C(1) << ((bits)-1)) < UINT64_C(1) << (bits))
#define WS_FITS(value, bits) ((uint64_t)(value) < UINT64_C(1) << (bits))

static inline bool ws_fits_request(struct ws_stream *me, uint64_t request)
{
    return (request >> 32) + 1 == me->request_mark || ws_request_half(me, request);
}

/* Ends the record.  From here on it is read, even if the process is killed at once: its length becomes
 * known only after its bytes. */
static inline void ws_record_end(struct ws_stream *me, unsigned char *at)
{
    me->at = at;
    me->last_ns = me->end_ns;
    me->written = WS_WRITTEN_HERE;
    me->packet->timestamp_end = me->end_ns;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    me->packet->content_bits = 8 * (uint64_t)(at - (unsigned char *)me->packet);
}

static inline struct ws_start *ws_start_slot(struct ws_stream *me, uint64_t handle)
{
    return &me->starts[(handle * WS_HASH) >> (64 - WS_STARTS_LOG2)];
}

/* An operation was started, or made. */
static inline void ws_started(struct ws_stream *me, uint64_t handle, int state, int64_t first, int64_t second)
{
    struct ws_start *start;

    if (!me->starts)
        return;
    start = ws_start_slot(me, handle);
    start->handle = handle;
    start->state = state;
    start->value[0] = first;
    start->value[1] = second;
}

/* What is known of the operation that this call completes; NULL: nothing. */
static inline const struct ws_start *ws_start_of(struct ws_stream *me, uint64_t handle)
{
    const struct ws_start *start;

    if (!me->starts || WS_RARELY(__atomic_load_n(&ws_several_threads, __ATOMIC_RELAXED)))
        return NULL;
    start = ws_start_slot(me, handle);
    return start->handle == handle && start->state != WS_START_OPEN ? start : NULL;
}

/* An operation got another handle. */
static inline void ws_start_moved(struct ws_stream *me, uint64_t from, uint64_t to)
{
    const struct ws_start *start = ws_start_of(me, from);

    if (start)
        ws_started(me, to, start->state, start->value[0], start->value[1]);
    else
        ws_started(me, to, WS_START_OPEN, 0, 0);
}

/* The bit of a channel: a counter of the reader's and the values that it counts by. */
#define WS_MIX(hash, value) (((hash) ^ (uint64_t)(int64_t)(value)) * WS_HASH)
#define WS_CHANNEL(hash) (UINT64_C(1) << ((hash) >> 58))

#define WS_TEXT_MOST 1023 /* of a text's bytes, without its end */

static inline size_t ws_text_length(const char *text)
{
    return text ? strnlen(text, WS_TEXT_MOST) : 0;
}

static inline unsigned char *ws_put_text(unsigned char *at, const char *text, size_t length)
{
    if (length)
        memcpy(at, text, length);
    at[length] = 0;
    return at + length + 1;
}

#endif
