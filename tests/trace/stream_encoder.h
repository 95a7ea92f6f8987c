/* Writes streams in the layout of trace/layout.h as the recorder does, in the shortest form that each record
 * allows; without any MPI, from calls that its user makes up.  For tests and benchmarks.
 *
 *     struct encoder e = encoder_new(&schema, uuid, rank, thread);
 *     encode_built_in(&e, WS_RECORD_BEGIN, ns, fields, size);
 *     encode_call(&e, function, site, t, end);        a call ...
 *     encode_record(&e, kind, fields, size);          ... and what it did: fields in full width
 *     encoder_finish(&e);                             the file's bytes are e.bytes
 */
#ifndef WS_TESTS_TRACE_STREAM_ENCODER_H
#define WS_TESTS_TRACE_STREAM_ENCODER_H

#include "trace/layout.h"
#include "trace/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct encoder {
    const struct ws_schema *schema;
    FILE *file; /* where finished packets go; NULL: they stay in `bytes` */
    unsigned char *bytes;
    size_t length, capacity;
    size_t packet;       /* where the present packet begins */
    size_t packet_bytes; /* of the next packets */
    struct ws_packet_header header;
    uint64_t end_ns, duration_ns; /* of the present call */
    uint64_t last_ns;             /* of the last record */
    uint32_t site;
    bool timed, called; /* the packet has had a record; one of a call */
    bool written;       /* the call has had a record */
    bool short_forms;   /* are used where they can be */
    bool has_high;      /* the packet's requests have an upper half */
    uint64_t records;
};

static inline struct encoder encoder_new(const struct ws_schema *schema, const uint8_t uuid[16],
                                         uint32_t rank, uint32_t thread)
{
    struct encoder e = {.schema = schema, .packet_bytes = WS_PACKET_BYTES, .short_forms = true};

    e.header.magic = WS_CTF_MAGIC;
    memcpy(e.header.uuid, uuid, 16);
    e.header.rank = rank;
    e.header.thread = thread;
    return e;
}

static inline void encoder_raw(struct encoder *e, const void *bytes, size_t length)
{
    if (e->length + length > e->capacity) {
        e->capacity = 2 * (e->length + length) + 4096;
        e->bytes = realloc(e->bytes, e->capacity);
    }
    if (bytes)
        memcpy(e->bytes + e->length, bytes, length);
    else
        memset(e->bytes + e->length, 0, length);
    e->length += length;
}

static inline void encoder_header(struct encoder *e)
{
    e->header.content_bits = (e->length - e->packet) * 8;
    memcpy(e->bytes + e->packet, &e->header, sizeof e->header);
}

static inline void encoder_end_packet(struct encoder *e)
{
    encoder_header(e);
    encoder_raw(e, NULL, e->packet + e->packet_bytes - e->length);
    if (!e->file)
        return;
    fwrite(e->bytes, 1, e->length, e->file);
    e->length = 0;
}

static inline void encoder_begin_packet(struct encoder *e, uint64_t ns)
{
    e->packet = e->length;
    e->header.sequence += e->records > 0;
    e->header.packet_bits = e->packet_bytes * 8;
    e->header.timestamp_begin = e->header.timestamp_end = ns;
    e->timed = e->called = e->has_high = false;
    encoder_raw(e, &e->header, sizeof e->header);
}

/* Room for `size` more bytes in the packet, or in a new one (true). */
static inline bool encoder_room(struct encoder *e, uint64_t ns, size_t size)
{
    if (e->records && e->length - e->packet + size <= e->packet_bytes)
        return false;
    if (e->records)
        encoder_end_packet(e);
    encoder_begin_packet(e, ns);
    return true;
}

static inline void encoder_wrote(struct encoder *e, uint64_t ns)
{
    e->last_ns = e->header.timestamp_end = ns;
    e->timed = true;
    e->records++;
    if (!e->file)
        encoder_header(e);
}

static inline void encode_built_in(struct encoder *e, enum ws_record_id id, uint64_t ns, const void *fields,
                                   size_t size)
{
    struct ws_built_in_header head = {.id = (uint8_t)id, .end_ns = ns};

    encoder_room(e, ns, sizeof head + size);
    encoder_raw(e, &head, sizeof head);
    encoder_raw(e, fields, size);
    encoder_wrote(e, ns);
}

/* The call that the next records belong to. */
static inline void encode_call(struct encoder *e, uint32_t site, uint64_t t, uint64_t end)
{
    e->end_ns = end;
    e->duration_ns = end - t;
    e->site = site;
    e->written = false;
    e->header.calls++;
}

/* The lower half of a request; false where its upper half is not the packet's. */
static inline bool encoder_fits_request(struct encoder *e, uint64_t request)
{
    if (!e->has_high && e->records) {
        e->has_high = true;
        e->header.request_high = (uint32_t)(request >> 32);
    }
    return e->has_high && request >> 32 == e->header.request_high;
}

/* Fields in narrow width; their length, or 0 where a value does not fit. */
static inline size_t encode_narrow(struct encoder *e, const struct ws_record *record, const unsigned char *at,
                                   unsigned char *out, size_t room)
{
    size_t length = 0;

    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_format_info *format = &ws_formats[record->fields[i].format];
        unsigned wide = format->size_bytes, narrow = format->narrow_bytes;
        uint64_t bits = 0, top;
        if (record->fields[i].is_constant)
            continue;
        if (!wide)
            wide = narrow = (unsigned)strlen((const char *)at) + 1;
        if (length + narrow > room)
            return 0;
        if (narrow < wide) {
            memcpy(&bits, at, wide);
            if (format->is_signed)
                bits = (uint64_t)((int64_t)(bits << (64 - 8 * wide)) >> (64 - 8 * wide));
            top = format->is_signed ? bits + (UINT64_C(1) << (8 * narrow - 1)) : bits;
            if (record->fields[i].format == WS_FORMAT_REQUEST ? !encoder_fits_request(e, bits)
                                                              : top >> (8 * narrow))
                return 0;
        }
        memcpy(out + length, at, narrow);
        length += narrow;
        at += wide;
    }
    return length;
}

static inline bool encode_short(struct encoder *e, size_t kind, const void *fields)
{
    const size_t shorts = WS_SHORT_KINDS(e->schema->record_count);
    unsigned char bytes[WS_COMPACT_BYTES + 4096];
    uint64_t head, more = 0;
    size_t head_bytes, length;
    bool tight = e->duration_ns <= UINT16_MAX;

    if (!e->short_forms || kind >= shorts || !e->timed)
        return false;
    if (e->written && !e->called)
        return false;
    if (!e->written &&
        (e->end_ns - e->last_ns >= WS_SHORT_NS || e->duration_ns >= WS_SHORT_NS || e->site > UINT16_MAX))
        return false;
    head_bytes = e->written ? WS_MORE_BYTES : tight ? WS_TIGHT_BYTES : WS_COMPACT_BYTES;
    head = WS_FIRST_SHORT + kind + shorts * (e->written ? 2 : !tight);
    head |= (e->end_ns & (WS_SHORT_NS - 1)) << 8 | e->duration_ns << 32;
    head |= (uint64_t)e->site << (tight ? 48 : 56);
    more = e->site >> 8;
    memcpy(bytes, &head, 8);
    bytes[8] = (unsigned char)more;
    length = encode_narrow(e, &e->schema->records[kind], fields, bytes + head_bytes, 4096);
    if ((length == 0 && e->schema->records[kind].field_count) ||
        e->length - e->packet + head_bytes + length > e->packet_bytes)
        return false;
    encoder_raw(e, bytes, head_bytes + length);
    return true;
}

/* A record of the present call; its fields as a full record has them. */
static inline void encode_record(struct encoder *e, size_t kind, const void *fields, size_t size)
{
    struct ws_full_header head = {.id = WS_FULL_ID,
                                  .kind = (uint16_t)(WS_FIRST_KIND + kind),
                                  .end_ns = e->end_ns,
                                  .duration_ns = e->duration_ns,
                                  .site = e->site,
                                  .follows = e->written};

    if (!e->records || !encode_short(e, kind, fields)) {
        encoder_room(e, e->end_ns, sizeof head + size);
        encoder_raw(e, &head, sizeof head);
        encoder_raw(e, fields, size);
    }
    e->called = e->written = true;
    encoder_wrote(e, e->end_ns);
}

/* The last packet is cut to its content. */
static inline void encoder_finish(struct encoder *e)
{
    e->header.packet_bits = (e->length - e->packet) * 8;
    encoder_header(e);
    if (!e->file)
        return;
    fwrite(e->bytes, 1, e->length, e->file);
    free(e->bytes);
    e->bytes = NULL;
}

#endif
