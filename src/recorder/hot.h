/* The hot path: what every recorded call goes through, inlined into its wrapper.  No lock, allocation or
 * system call but where a packet is full or something is seen for the first time.
 *
 * Budget of a call with one record, as measured on a 2-core virtual machine:
 * - 9 ns: enter and leave (a thread-local pointer, a guard), the call site (one probe of a hash table), the
 *   record (50 bytes into a mapped packet, its length into the header);
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
#define WS_RESOLVE(next, symbol)                                                                             \
    do {                                                                                                     \
        if (WS_RARELY(!__atomic_load_n(&(next), __ATOMIC_RELAXED)))                                          \
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

    if (WS_RARELY(!__atomic_load_n(&ws_recording, __ATOMIC_RELAXED)))
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

static inline uint32_t ws_site(struct ws_stream *me, void *address)
{
    const struct ws_site_slot *slot = &me->sites[((uintptr_t)address * WS_SITE_HASH) >> me->site_shift];

    return slot->address == (uintptr_t)address ? slot->id : ws_site_find(me, (uintptr_t)address);
}

/* After the call, before its records.  Readings of the counter may trade places by a few counts: here a
 * thread's times are brought into order. */
static inline void ws_call(struct ws_stream *me, uint16_t function, uint64_t begin_ns, uint64_t end_ns,
                           void *address)
{
    begin_ns = begin_ns < me->end_ns ? me->end_ns : begin_ns;
    end_ns = end_ns < begin_ns ? begin_ns : end_ns;
    me->end_ns = end_ns;
    me->duration_ns = end_ns - begin_ns;
    me->function = function;
    me->call++;
    me->site = ws_site(me, address);
}

/* Room for a record of this call with `size` bytes of fields, its header written; NULL: it is lost. */
static inline unsigned char *ws_record(struct ws_stream *me, uint16_t id, size_t size)
{
    struct ws_record_header *header;

    size += sizeof *header;
    if (WS_RARELY(size > (size_t)(me->limit - me->at)) && !ws_packet_next(me, size))
        return NULL;
    header = (struct ws_record_header *)me->at;
    header->id = id;
    header->end_ns = me->end_ns;
    header->duration_ns = me->duration_ns;
    header->function = me->function;
    header->site = me->site;
    header->call = me->call;
    return me->at + sizeof *header;
}

/* A field of the record. */
#define WS_PUT(at, value)                                                                                    \
    do {                                                                                                     \
        __typeof__(value) ws_put_ = (value);                                                                 \
        memcpy((at), &ws_put_, sizeof ws_put_);                                                              \
        (at) += sizeof ws_put_;                                                                              \
    } while (0)

/* Ends the record.  From here on it is read, even if the process is killed at once: its length becomes
 * known only after its bytes. */
static inline void ws_record_end(struct ws_stream *me, unsigned char *at)
{
    me->at = at;
    me->packet->timestamp_end = me->end_ns;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    me->packet->content_bits = 8 * (uint64_t)(at - (unsigned char *)me->packet);
}

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
