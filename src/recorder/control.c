/* Run control: recording stops and goes on, by the program, by the clock; phases.  What the reader counts ("the
 * n-th receive of this channel") must stay right when recording goes on: so while it is stopped, calls that are
 * whole operations are counted here, by kind and fields, and written as one record with its count before the
 * next call that is recorded.  Records about requests are written as ever: which operation a handle stands for and
 * which number a receive gets shows only at its end. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/hot.h"

#include <stdlib.h>
#include <string.h>

/* Why recording is stopped, if it is; and whether the clock is to be asked. */
enum { STOPPED_BY_PROGRAM = 1, STOPPED_BY_TIME = 2 };
uint32_t ws_control;

static uint64_t for_ns, next_ns; /* 0: for ever */
static const char *only;         /* ranks, NULL: all */

/* ---- settings ---- */

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : 0;
}

void ws_control_load(void)
{
    for_ns = number_of("WHYSLOW_FOR_NS");
    next_ns = number_of("WHYSLOW_AFTER_NS");
    only = getenv("WHYSLOW_ONLY");
    if (only && !(only = strdup(only)))
        only = "";
}

/* "0-3,7" */
bool ws_control_wants(uint32_t rank)
{
    const char *at = only;
    char *end;

    if (!only || !*only)
        return true;
    for (;;) {
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (rank >= first && rank <= last)
            return true;
        if (*end != ',')
            return false;
        at = end + 1;
    }
}

void ws_control_begin(uint64_t now_ns)
{
    if (next_ns) {
        next_ns += now_ns;
        ws_control = STOPPED_BY_TIME | WS_CONTROL_TIMED;
    } else if (for_ns) {
        next_ns = now_ns + for_ns;
        ws_control = WS_CONTROL_TIMED;
    }
}

static void tell(struct ws_stream *me, enum ws_control_what what, uint64_t count, const char *name)
{
    unsigned char fields[1 + sizeof count + WS_TEXT_MOST + 1], *at = fields;

    *at++ = (unsigned char)what;
    WS_PUT(at, count);
    at = ws_put_text(at, name, ws_text_length(name));
    ws_describe(me, WS_RECORD_CONTROL, fields, (size_t)(at - fields));
}

/* ---- calls that are counted ---- */

#define MOST_COUNTED 256 /* a power of two; half of them are used */
#define COUNTED_BYTES 64

struct ws_counts {
    unsigned used;
    struct counted {
        uint64_t count; /* 0: free */
        uint16_t kind, size;
        unsigned char fields[COUNTED_BYTES];
    } next, entries[MOST_COUNTED]; /* next: the call at hand */
};

unsigned char *ws_counted(struct ws_stream *me, unsigned kind, size_t size)
{
    struct ws_counts *counts = me->counts;

    if (!counts || size > COUNTED_BYTES)
        return NULL;
    counts->next.kind = (uint16_t)kind;
    counts->next.size = (uint16_t)size;
    return counts->next.fields;
}

/* The record of an entry, for `count` calls. */
static void write_counted(struct ws_stream *me, const struct counted *entry)
{
    unsigned char *at;

    tell(me, WS_CONTROL_REPEAT, entry->count, "");
    me->written = WS_WRITTEN_NONE;
    at = ws_record_full(me, entry->kind, entry->size);
    if (at) {
        memcpy(at, entry->fields, entry->size);
        ws_record_end(me, at + entry->size);
    }
    me->written = WS_WRITTEN_NONE;
}

static void write_all_counted(struct ws_stream *me)
{
    struct ws_counts *counts = me->counts;
    uint64_t duration_ns = me->duration_ns;
    uint32_t site = me->site;

    if (!counts || !counts->used)
        return;
    me->duration_ns = 0;
    me->site = 0; /* a call from an unknown place: nobody will ask */
    for (size_t i = 0; i < MOST_COUNTED; i++)
        if (counts->entries[i].count) {
            write_counted(me, &counts->entries[i]);
            counts->entries[i].count = 0;
        }
    counts->used = 0;
    me->duration_ns = duration_ns;
    me->site = site;
}

void ws_count(struct ws_stream *me)
{
    struct ws_counts *counts = me->counts;
    const struct counted *next = &counts->next;
    uint64_t hash = next->kind;
    size_t i;

    if (counts->used == MOST_COUNTED / 2)
        write_all_counted(me);
    for (i = 0; i < next->size; i++)
        hash = (hash ^ next->fields[i]) * WS_HASH;
    for (i = hash >> 32;; i++) {
        struct counted *entry = &counts->entries[i % MOST_COUNTED];
        if (entry->count == 0) {
            *entry = *next;
            entry->count = 1;
            counts->used++;
            return;
        }
        if (entry->kind == next->kind && entry->size == next->size &&
            memcmp(entry->fields, next->fields, next->size) == 0) {
            entry->count++;
            return;
        }
    }
}

void ws_counts_free(struct ws_counts *counts)
{
    ws_pages_free(counts, sizeof *counts);
}

/* ---- changes ---- */

static void change(struct ws_stream *me, bool stop)
{
    uint64_t end_ns = me->end_ns;

    me->end_ns -= me->duration_ns; /* where the present call begins */
    if (stop && !me->counts)
        me->counts = ws_pages(sizeof *me->counts);
    if (!stop)
        write_all_counted(me);
    tell(me, stop ? WS_CONTROL_STOP : WS_CONTROL_GO_ON, 0, "");
    me->end_ns = end_ns;
}

/* The clock has come to where recording begins or ends. */
static void pass(uint64_t moment_ns)
{
    uint64_t expected = moment_ns, next = WS_NEVER;

    if (__atomic_load_n(&ws_control, __ATOMIC_RELAXED) & STOPPED_BY_TIME) {
        next = for_ns ? moment_ns + for_ns : WS_NEVER;
        if (__atomic_compare_exchange_n(&next_ns, &expected, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            __atomic_fetch_and(&ws_control, ~(uint32_t)(STOPPED_BY_TIME | (for_ns ? 0 : WS_CONTROL_TIMED)),
                               __ATOMIC_RELAXED);
    } else if (__atomic_compare_exchange_n(&next_ns, &expected, next, false, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED)) {
        __atomic_fetch_or(&ws_control, STOPPED_BY_TIME, __ATOMIC_RELAXED);
        __atomic_fetch_and(&ws_control, ~(uint32_t)WS_CONTROL_TIMED, __ATOMIC_RELAXED);
    }
}

void ws_control_look(struct ws_stream *me)
{
    uint32_t state;

    if (__atomic_load_n(&ws_control, __ATOMIC_RELAXED) & WS_CONTROL_TIMED) {
        uint64_t moment_ns = __atomic_load_n(&next_ns, __ATOMIC_RELAXED);
        if (me->end_ns >= moment_ns)
            pass(moment_ns);
    }
    state = __atomic_load_n(&ws_control, __ATOMIC_RELAXED) & ~(uint32_t)WS_CONTROL_TIMED;
    if ((state != 0) != (me->control != 0))
        change(me, state != 0);
    me->control = state;
}

/* ---- for the program ---- */

/* Its thread's stream, moved on to now; NULL: it is not recorded. */
static struct ws_stream *here(void)
{
    struct ws_stream *me = ws_self;
    uint64_t now_ns;

    if (!__atomic_load_n(&ws_recording, __ATOMIC_RELAXED) || (!me && !(me = ws_stream_open())) || me->inside)
        return NULL;
    now_ns = ws_clock_ns();
    me->end_ns = now_ns < me->end_ns ? me->end_ns : now_ns;
    me->duration_ns = 0;
    me->written = WS_WRITTEN_NONE;
    return me;
}

void ws_control_record(bool on)
{
    struct ws_stream *me = here();

    if (on)
        __atomic_fetch_and(&ws_control, ~(uint32_t)STOPPED_BY_PROGRAM, __ATOMIC_RELAXED);
    else
        __atomic_fetch_or(&ws_control, STOPPED_BY_PROGRAM, __ATOMIC_RELAXED);
    if (me)
        ws_control_look(me);
}

void ws_control_phase(const char *name)
{
    struct ws_stream *me = here();

    if (me)
        tell(me, WS_CONTROL_PHASE, 0, name);
}

/* What include/whyslow.h looks for. */
void whyslow_control(int what, const char *name) WS_EXPORT;
void whyslow_control(int what, const char *name)
{
    if (what == 2)
        ws_control_phase(name);
    else
        ws_control_record(what != 0);
}
