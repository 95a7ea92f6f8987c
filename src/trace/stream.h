/* One stream file: its packets and records, in the layout of trace/layout.h, mapped into memory.
 * Nothing in it is believed: a record is given out only when all of it lies within the file and makes
 * sense, and reading stops at the first that does not. */
#ifndef WS_TRACE_STREAM_H
#define WS_TRACE_STREAM_H

#include "trace/binding.h"
#include "trace/clock.h"
#include "trace/layout.h"

#include <string.h>

#define WS_MOST_RANKS (UINT32_C(1) << 22)
#define WS_MOST_THREADS (UINT32_C(1) << 20)

/* A site that the stream defines: what is called there, and its place as a site of the trace. */
struct ws_stream_site {
    const char *function; /* NULL: it is not defined */
    uint32_t site;
};
struct ws_stream {
    const uint8_t *bytes;
    size_t size;
    bool growing; /* its last packet may say by now that it holds more */
    uint32_t rank, thread;
    struct ws_stream_site *sites; /* from the first that is no function alone */
    size_t site_count;
};

/* Is this the name of a stream file, "rank-3.thread-0", spelled exactly so? */
bool ws_stream_name_parse(const char *name, uint32_t *rank, uint32_t *thread);
/* Maps DIR's stream of a rank and thread; keeps no file open.  growing: it is still written, and ends for
 * every reading where it ends now.  Fails where it is no stream of this trace (by uuid). */
int ws_stream_open(struct ws_stream *stream, const char *path, uint32_t rank, uint32_t thread,
                   const uint8_t uuid[16], bool growing, struct ws_error *error);
void ws_stream_close(struct ws_stream *stream);

/* Reading a stream from its beginning: a zeroed cursor with `stream` and `binding` set, and `clock` where its
 * times are to be corrected. */
struct ws_cursor {
    const struct ws_stream *stream;
    const struct ws_binding *binding;
    const struct ws_clock *clock;
    const uint8_t *bytes;       /* the stream's */
    size_t quick_end;           /* up to here there is plenty for a quick record, and nothing else to do */
    size_t at, end, packet_end; /* next record, end of the packet's content, end of the packet */
    size_t released;            /* the pages before were given back */
    size_t pause;               /* where there is more to do than to take a record */
    uint32_t sequence;          /* of the next packet */
    uint32_t request_high;      /* of the packet */
    bool timed, called;         /* the packet has had a record; one of a call */
    enum ws_reading reading;    /* says which values are wanted */
    bool cut;                   /* the file ends before the packet's content does */
    const char *damage;         /* why reading stopped before the end; NULL at a proper end */
    size_t damage_at;
    uint64_t lost, calls; /* discarded by the recorder so far; recorded, with or without records */

    /* the record */
    uint8_t id;                           /* its first byte */
    const struct ws_bound_record *record; /* NULL: one of enum ws_record_id */
    int64_t t_ns, end_ns;                 /* 0 <= t <= end; end never decreases */
    int64_t own_ns;                       /* the end by the stream's own clock */
    uint32_t site;
    bool follows;                         /* it is of the same call as the record of a call before */
    const uint8_t *fields;                /* of a built-in or quick record; else NULL */
    union ws_value value[WS_MOST_FIELDS + 1]; /* by field; strings lie in the stream */
};

/* ---- the next record: the hot path, and all others (stream.c) ---- */

bool ws_cursor_next_slow(struct ws_cursor *cursor);

static inline uint64_t ws_get_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Takes the header of a tight or compact record, in which the site is last; false: it makes no sense. */
static inline bool ws_cursor_take_header(struct ws_cursor *cursor, const struct ws_bound_opening *opening,
                                         const uint8_t *at)
{
    uint64_t head = ws_get_u64(at), end_ns = (uint64_t)cursor->own_ns, t_ns;
    uint16_t site;

    end_ns += ((head >> 8) - end_ns) & (WS_SHORT_NS - 1);
    t_ns = end_ns - (head >> 32 & opening->duration_mask);
    memcpy(&site, at + opening->head - sizeof site, sizeof site);
    if (!cursor->timed || (int64_t)(end_ns | t_ns) < 0)
        return false;
    cursor->site = site;
    cursor->own_ns = cursor->end_ns = (int64_t)end_ns;
    cursor->t_ns = (int64_t)t_ns;
    if (cursor->clock) {
        cursor->end_ns = ws_clock_correct(cursor->clock, cursor->end_ns);
        cursor->t_ns = ws_clock_correct(cursor->clock, cursor->t_ns);
    }
    cursor->follows = false;
    cursor->called = true;
    return true;
}

/* Takes the values of a quick record that the reading wants. */
static inline void ws_cursor_take_quick(struct ws_cursor *cursor, const struct ws_bound_opening *opening,
                                        const uint8_t *at, enum ws_reading reading)
{
    const struct ws_quick_field *field = opening->fields, *end = field + opening->wanted[reading];
    const struct ws_bound_record *record = opening->record;

    for (; field < end; field++)
        cursor->value[field->index].i = ws_quick_value(field, at);
    for (size_t i = 0; i < opening->constants[reading]; i++)
        cursor->value[record->constants[i].index].i = record->constants[i].value;
    cursor->value[opening->request].i |= (int64_t)((uint64_t)cursor->request_high << 32);
}

/* Goes to the next record, false at the end.  `reading` is the cursor's, a constant where it can be one. */
static inline bool ws_cursor_next(struct ws_cursor *cursor, enum ws_reading reading)
{
    const struct ws_bound_opening *opening;
    const uint8_t *at;

    if (cursor->at >= cursor->quick_end)
        return ws_cursor_next_slow(cursor);
    at = cursor->bytes + cursor->at;
    opening = &cursor->binding->openings[*at];
    if (!opening->quick)
        return ws_cursor_next_slow(cursor);
    if (opening->form != WS_FORM_MORE) {
        if (!ws_cursor_take_header(cursor, opening, at))
            return ws_cursor_next_slow(cursor); /* which tells what is wrong */
    } else if (!cursor->called) {
        return ws_cursor_next_slow(cursor);
    } else {
        cursor->follows = true;
    }
    cursor->record = opening->record;
    cursor->id = *at;
    cursor->fields = at + opening->head;
    ws_cursor_take_quick(cursor, opening, at, reading);
    cursor->at += opening->bytes;
    return true;
}

/* The clock that a process's first stream is of, and how it was compared, entered into clocks; NULL: the
 * stream does not say. */
struct ws_clock *ws_clock_find(struct ws_clocks *clocks, const struct ws_stream *stream,
                               const struct ws_binding *binding);

/* Fields of the built-in records; strings are terminated. */
struct ws_begin {
    uint32_t pid, size;
    uint64_t call_cost_ps;
    const char *host, *library, *executable;
};
void ws_cursor_begin(const struct ws_cursor *cursor, struct ws_begin *begin);
uint64_t ws_cursor_flush_ns(const struct ws_cursor *cursor);
struct ws_site_definition {
    uint32_t site;
    uint16_t function;
    uint64_t offset;
    const char *module;
};
void ws_cursor_site(const struct ws_cursor *cursor, struct ws_site_definition *site);
/* A communicator, or a part of it; or with its communicator a window. */
struct ws_comm_definition {
    uint32_t index, identity;
    union {
        uint32_t first; /* of the communicator's ranks, of those listed */
        uint32_t comm;  /* of a window: an index */
    };
    uint32_t size;        /* of ranks; of a communicator alone, like these */
    const uint8_t *ranks; /* world ranks: int32 each, unaligned */
};
void ws_cursor_comm(const struct ws_cursor *cursor, struct ws_comm_definition *comm);
void ws_cursor_clock(const struct ws_cursor *cursor, struct ws_record_clock *clock);
void ws_cursor_offset(const struct ws_cursor *cursor, struct ws_record_offset *offset);
struct ws_control {
    unsigned what; /* enum ws_control_what, or nothing known */
    uint64_t count;
    const char *name;
};
void ws_cursor_control(const struct ws_cursor *cursor, struct ws_control *control);

#endif
