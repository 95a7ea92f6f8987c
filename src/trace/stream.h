/* One stream file: its packets and records, in the layout of trace/layout.h, mapped into memory.
 * Nothing in it is believed: a record is given out only when all of it lies within the file and makes
 * sense, and reading stops at the first that does not. */
#ifndef WS_TRACE_STREAM_H
#define WS_TRACE_STREAM_H

#include "trace/binding.h"

#define WS_MOST_RANKS (UINT32_C(1) << 22)
#define WS_MOST_THREADS (UINT32_C(1) << 20)

struct ws_stream {
    const uint8_t *bytes;
    size_t size;
    uint32_t rank, thread;
    uint32_t *sites; /* site of the stream -> site of the trace */
    size_t site_count;
};

/* Is this the name of a stream file, "rank-3.thread-0", spelled exactly so? */
bool ws_stream_name_parse(const char *name, uint32_t *rank, uint32_t *thread);
/* Maps DIR's stream of a rank and thread.  Fails where it is no stream of this trace (by uuid). */
int ws_stream_open(struct ws_stream *stream, const char *path, uint32_t rank, uint32_t thread,
                   const uint8_t uuid[16], struct ws_error *error);
void ws_stream_close(struct ws_stream *stream);

/* Reading a stream from its beginning: a zeroed cursor with `stream` and `binding` set. */
struct ws_cursor {
    const struct ws_stream *stream;
    const struct ws_binding *binding;
    size_t at, end, packet_end; /* next record, end of the packet's content, end of the packet */
    uint32_t sequence;          /* of the next packet */
    bool cut;                   /* the file ends before the packet's content does */
    const char *damage;         /* why reading stopped before the end; NULL at a proper end */
    size_t damage_at;
    uint64_t lost; /* records that the recorder discarded so far */

    /* the record */
    uint16_t id;
    int64_t t_ns, end_ns; /* 0 <= t <= end; end never decreases */
    const char *function;
    uint32_t site, call;
    const uint8_t *fields;
    const struct ws_bound_record *record; /* NULL: one of enum ws_record_id */
};
bool ws_cursor_next(struct ws_cursor *cursor); /* false at the end */

/* Fields of the built-in records; strings are terminated. */
struct ws_begin {
    uint32_t pid, size;
    uint64_t call_cost_ps;
    const char *host, *library, *executable;
};
void ws_cursor_begin(const struct ws_cursor *cursor, struct ws_begin *begin);
uint64_t ws_cursor_flush_ns(const struct ws_cursor *cursor);
const char *ws_cursor_site(const struct ws_cursor *cursor, uint32_t *site, uint64_t *offset); /* module */
/* Gives the unaligned world ranks (int32 each). */
const uint8_t *ws_cursor_comm(const struct ws_cursor *cursor, uint32_t *comm, uint32_t *size);

#endif
