/* Run control: recording stops and goes on, by the program, by the clock; each call site gets its share; phases.
 * What the reader counts ("the n-th receive of this channel") must stay right for what is recorded later: so calls
 * that are whole operations are counted here, by kind and channel, and written as one record with its count before
 * the next record of the channel, at the latest before recording goes on.  Records about requests are written as
 * ever: which operation a handle stands for and which number a receive gets shows only at its end.  But what has no
 * outcome to wait for, as a send, is counted at its start where its site has had its share. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "recorder/hot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why recording is stopped, if it is; and whether the clock is to be asked. */
enum { STOPPED_BY_PROGRAM = 1, STOPPED_BY_TIME = 2, STOPPED = 3 };
WS_OWN uint32_t ws_control;

static WS_OWN uint64_t for_ns, next_ns; /* 0: for ever */
static uint64_t share;           /* of calls for each site, 0: any number */
static const char *only;         /* ranks, NULL: all */

/* ---- settings ---- */

void ws_control_load(void)
{
    for_ns = ws_setting("WHYSLOW_FOR_NS");
    next_ns = ws_setting("WHYSLOW_AFTER_NS");
    share = ws_setting("WHYSLOW_SAMPLE");
    only = getenv("WHYSLOW_ONLY");
    if (only && !(only = strdup(only)))
        only = "";
}

bool ws_control_wants(uint32_t rank)
{
    return !only || !*only || ws_rank_is_listed(only, rank);
}

void ws_control_begin(uint64_t now_ns)
{
    uint32_t control = share ? WS_CONTROL_SAMPLED : 0;

    if (next_ns) {
        next_ns += now_ns;
        control |= STOPPED_BY_TIME | WS_CONTROL_TIMED;
    } else if (for_ns) {
        next_ns = now_ns + for_ns;
        control |= WS_CONTROL_TIMED;
    }
    __atomic_store_n(&ws_control, control, __ATOMIC_RELAXED);
}

/* The thread's time becomes that at which the present call began, or that of what is written of it already. */
static void go_to_begin(struct ws_stream *me)
{
    me->end_ns -= me->duration_ns;
    if (me->last_ns != WS_NEVER && me->end_ns < me->last_ns)
        me->end_ns = me->last_ns;
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

struct ws_tally {
    unsigned used;
    struct counted {
        uint64_t count; /* 0: free */
        uint64_t total_ns, longest_ns, bytes; /* where a site has had its share: its statistics */
        uint32_t site;                        /* 0 otherwise: a call from an unknown place, nobody will ask */
        uint16_t kind, size;
        bool sampled;
        unsigned char fields[COUNTED_BYTES];
    } next, entries[MOST_COUNTED]; /* next: the call at hand */
};

unsigned char *ws_counted(struct ws_stream *me, unsigned kind, size_t size)
{
    struct ws_tally *tally = me->tally;

    if (!tally || size > COUNTED_BYTES)
        return NULL;
    tally->next = (struct counted){.kind = (uint16_t)kind, .size = (uint16_t)size};
    tally->next.sampled = me->control == WS_SAMPLED_OUT;
    if (tally->next.sampled)
        tally->next.site = me->site;
    return tally->next.fields;
}

/* The record of an entry, for `count` calls. */
static void write_counted(struct ws_stream *me, const struct counted *entry)
{
    unsigned char *at;

    tell(me, WS_CONTROL_REPEAT, entry->count, "");
    if (entry->sampled) {
        tell(me, WS_CONTROL_LONGEST, entry->longest_ns, "");
        tell(me, WS_CONTROL_BYTES, entry->bytes, "");
    }
    me->site = entry->site;
    me->duration_ns = entry->total_ns;
    me->written = WS_WRITTEN_NONE;
    at = ws_record_full(me, entry->kind, entry->size);
    if (at) {
        memcpy(at, entry->fields, entry->size);
        ws_record_end(me, at + entry->size);
    }
}

/* All that was counted, as of the moment at which the present call begins; or in the midst of its records, the next
 * of which then does not stand behind the one before. */
static void write_all_counted(struct ws_stream *me)
{
    struct ws_tally *tally = me->tally;
    uint64_t end_ns = me->end_ns, duration_ns = me->duration_ns;
    uint32_t site = me->site;
    uint8_t written = me->written;

    if (!tally || !tally->used)
        return;
    go_to_begin(me);
    for (size_t i = 0; i < MOST_COUNTED; i++)
        if (tally->entries[i].count) {
            write_counted(me, &tally->entries[i]);
            tally->entries[i].count = 0;
        }
    tally->used = 0;
    me->pending = 0;
    me->end_ns = end_ns;
    me->duration_ns = duration_ns;
    me->site = site;
    me->written = written == WS_WRITTEN_NONE ? WS_WRITTEN_NONE : WS_WRITTEN_BEFORE;
}

static bool same_calls(const struct counted *a, const struct counted *b)
{
    return a->kind == b->kind && a->site == b->site && a->sampled == b->sampled && a->size == b->size &&
           memcmp(a->fields, b->fields, b->size) == 0;
}

/* The entry for calls like this one; a new one has no calls. */
static struct counted *find_counted(struct ws_tally *tally, const struct counted *like)
{
    uint64_t hash = WS_MIX(like->kind, like->site);

    for (size_t i = 0; i < like->size; i++)
        hash = WS_MIX(hash, like->fields[i]);
    for (size_t i = hash >> 32;; i++) {
        struct counted *entry = &tally->entries[i % MOST_COUNTED];
        if (entry->count && !same_calls(entry, like))
            continue;
        if (!entry->count) {
            *entry = *like;
            tally->used++;
        }
        return entry;
    }
}

void ws_count(struct ws_stream *me, uint64_t channels, uint64_t bytes)
{
    struct counted *entry;

    if (me->tally->used == MOST_COUNTED / 2)
        write_all_counted(me);
    entry = find_counted(me->tally, &me->tally->next);
    entry->count++;
    me->pending |= channels;
    if (!entry->sampled)
        return;
    entry->total_ns += me->duration_ns;
    entry->longest_ns = me->duration_ns > entry->longest_ns ? me->duration_ns : entry->longest_ns;
    entry->bytes += bytes;
}

void ws_count_told(struct ws_stream *me, uint64_t channels)
{
    if (me->pending & channels)
        write_all_counted(me);
}

void ws_count_cancelled(void)
{
    ws_problem("an operation that was counted only (--sample) was cancelled: later messages of its channel may have "
               "been paired wrongly");
}

void ws_tally_free(struct ws_tally *tally)
{
    ws_pages_free(tally, sizeof *tally);
}

/* ---- sites that have had their share ---- */

#define MOST_SAMPLED_SITES (UINT32_C(1) << 16)

/* Whether the present call's site has.  What a thread counts is told late: with several threads it would come
 * too late for the numbers of the others' calls, so then all are recorded. */
static bool sampled_out(struct ws_stream *me)
{
    if (__atomic_load_n(&ws_several_threads, __ATOMIC_RELAXED)) {
        write_all_counted(me);
        return false;
    }
    if (!me->site_calls)
        me->site_calls = ws_pages(MOST_SAMPLED_SITES * sizeof *me->site_calls);
    if (!me->tally)
        me->tally = ws_pages(sizeof *me->tally);
    if (!me->site_calls || !me->tally || me->site >= MOST_SAMPLED_SITES)
        return false;
    if (me->site_calls[me->site] < share) {
        me->site_calls[me->site]++;
        return false;
    }
    if (!me->sampled) {
        uint64_t end_ns = me->end_ns;
        go_to_begin(me);
        tell(me, WS_CONTROL_SAMPLE, share, "");
        me->end_ns = end_ns;
    }
    me->sampled = true;
    return true;
}

void ws_sampling_free(struct ws_stream *me)
{
    ws_pages_free(me->site_calls, MOST_SAMPLED_SITES * sizeof *me->site_calls);
}

/* ---- changes ---- */

static void change(struct ws_stream *me, bool stop)
{
    uint64_t end_ns = me->end_ns;

    if (stop && !me->tally)
        me->tally = ws_pages(sizeof *me->tally);
    write_all_counted(me);
    go_to_begin(me);
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
    state = __atomic_load_n(&ws_control, __ATOMIC_RELAXED);
    if (((state & STOPPED) != 0) != ((me->control & STOPPED) != 0))
        change(me, state & STOPPED);
    me->control = state & STOPPED;
    if ((state & WS_CONTROL_SAMPLED) && !me->control && sampled_out(me))
        me->control = WS_SAMPLED_OUT;
}

void ws_control_end(struct ws_stream *me)
{
    me->duration_ns = 0;
    write_all_counted(me);
}

/* ---- for the program ---- */

/* Its thread's stream, moved on to now; NULL: it is not recorded. */
static struct ws_stream *here(void)
{
    struct ws_stream *me = ws_self;

    if (!ws_is_recording() || (!me && !(me = ws_stream_open())) || me->inside)
        return NULL;
    ws_now(me);
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

void ws_name(const char *param, uint64_t value, const char *name)
{
    char text[WS_TEXT_MOST + 1];

    if (!ws_self || !ws_self->packet)
        return;
    snprintf(text, sizeof text, "%s=%s", param, name);
    tell(ws_self, WS_CONTROL_NAME, value, text);
}

/* What include/whyslow.h looks for. */
void whyslow_control(int what, const char *name) WS_EXPORT;
void whyslow_control(int what, const char *name)
{
    WS_HERE;

    if (what == 2)
        ws_control_phase(name);
    else
        ws_control_record(what != 0);
}
