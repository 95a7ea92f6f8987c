#include "trace/writer.h"

#include "trace/layout.h"
#include "util/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MOST 4000 /* bytes of a built-in record's string */

struct ws_writer {
    const struct ws_schema *schema;
    struct ws_text path;
    FILE *file;
    struct ws_packet_header header;
    struct ws_text packet; /* its records */
    struct ws_text record; /* being put together */
    int64_t last_ns;       /* no record is earlier */
    int64_t t_ns, end_ns;  /* the call */
    uint32_t site;
    bool written; /* the call has had a record */
};

struct ws_writer *ws_writer_open(const char *directory, const struct ws_schema *schema, uint32_t rank,
                                 uint32_t thread, struct ws_error *error)
{
    struct ws_writer *writer = ws_alloc(sizeof *writer);
    const char *digits = schema->uuid;

    writer->schema = schema;
    ws_text_printf(&writer->path, "%s/ctf/rank-%u.thread-%u", directory, rank, thread);
    writer->file = fopen(writer->path.bytes, "wbe");
    if (!writer->file) {
        ws_fail(error, WS_ENVIRONMENT, "%s: cannot write: %s", writer->path.bytes, strerror(errno));
        ws_text_free(&writer->path);
        free(writer);
        return NULL;
    }
    writer->header = (struct ws_packet_header){.magic = WS_CTF_MAGIC, .rank = rank, .thread = thread};
    for (size_t i = 0; i < sizeof writer->header.uuid; i++, digits += 2) {
        unsigned byte = 0;
        digits += *digits == '-';
        sscanf(digits, "%2x", &byte);
        writer->header.uuid[i] = (uint8_t)byte;
    }
    return writer;
}

/* ---- packets ---- */

static void end_packet(struct ws_writer *writer)
{
    struct ws_packet_header *header = &writer->header;

    if (!writer->packet.length)
        return;
    header->timestamp_end = (uint64_t)writer->last_ns;
    header->content_bits = header->packet_bits = (sizeof *header + writer->packet.length) * 8;
    fwrite(header, sizeof *header, 1, writer->file);
    fwrite(writer->packet.bytes, 1, writer->packet.length, writer->file);
    header->sequence++;
    ws_text_clear(&writer->packet);
}

/* Adds the record that was put together; `head` is where its moment goes by. */
static void add_record(struct ws_writer *writer, int64_t ns)
{
    if (writer->packet.length && writer->packet.length + writer->record.length > WS_PACKET_BYTES)
        end_packet(writer);
    if (!writer->packet.length)
        writer->header.timestamp_begin = (uint64_t)ns;
    ws_text_add(&writer->packet, writer->record.bytes, writer->record.length);
    ws_text_clear(&writer->record);
}

int ws_writer_close(struct ws_writer *writer, struct ws_error *error)
{
    int result = 0;

    end_packet(writer);
    if ((fflush(writer->file) != 0) | ferror(writer->file) | (fclose(writer->file) != 0))
        result = ws_fail(error, WS_ENVIRONMENT, "%s: cannot write: %s", writer->path.bytes, strerror(errno));
    ws_text_free(&writer->path);
    ws_text_free(&writer->packet);
    ws_text_free(&writer->record);
    free(writer);
    return result;
}

/* ---- built-in records ---- */

static void put(struct ws_writer *writer, const void *bytes, size_t size)
{
    ws_text_add(&writer->record, bytes, size);
}
static void put_u32(struct ws_writer *writer, uint32_t value)
{
    put(writer, &value, sizeof value);
}
static void put_u64(struct ws_writer *writer, uint64_t value)
{
    put(writer, &value, sizeof value);
}
static void put_string(struct ws_writer *writer, const char *text)
{
    put(writer, text, strnlen(text, TEXT_MOST));
    put(writer, "", 1);
}

static int64_t not_before(struct ws_writer *writer, int64_t ns)
{
    if (ns > writer->last_ns)
        writer->last_ns = ns;
    return writer->last_ns;
}

static int64_t begin_built_in(struct ws_writer *writer, enum ws_record_id id, int64_t ns)
{
    struct ws_built_in_header head = {.id = (uint8_t)id, .end_ns = (uint64_t)not_before(writer, ns)};

    put(writer, &head, sizeof head);
    return (int64_t)head.end_ns;
}

void ws_writer_begin(struct ws_writer *writer, int64_t ns, uint32_t size, const char *host,
                     const char *library, const char *executable)
{
    ns = begin_built_in(writer, WS_RECORD_BEGIN, ns);
    put_u32(writer, 0);
    put_u32(writer, size);
    put_u64(writer, 0);
    put_string(writer, host);
    put_string(writer, library);
    put_string(writer, executable);
    add_record(writer, ns);
}

void ws_writer_end(struct ws_writer *writer, int64_t ns)
{
    ns = begin_built_in(writer, WS_RECORD_END, ns);
    put_u64(writer, 0);
    add_record(writer, ns);
}

void ws_writer_clock(struct ws_writer *writer, int64_t ns, uint64_t domain)
{
    struct ws_record_clock clock = {.domain = domain};

    ns = begin_built_in(writer, WS_RECORD_CLOCK, ns);
    clock.kernel_ns = clock.wall_ns = (uint64_t)ns;
    put(writer, &clock, sizeof clock);
    add_record(writer, ns);
}

void ws_writer_site(struct ws_writer *writer, int64_t ns, uint32_t site, uint16_t function,
                    const char *module, uint64_t offset)
{
    ns = begin_built_in(writer, WS_RECORD_SITE, ns);
    put_u32(writer, site);
    put(writer, &function, sizeof function);
    put_u64(writer, offset);
    put_string(writer, module);
    add_record(writer, ns);
}

void ws_writer_comm(struct ws_writer *writer, int64_t ns, uint32_t index, uint32_t identity,
                    const int32_t *ranks, uint32_t size)
{
    for (uint32_t first = 0; first == 0 || first < size; first += WS_COMM_PART) {
        uint32_t count = size - first < WS_COMM_PART ? size - first : WS_COMM_PART;
        ns = begin_built_in(writer, WS_RECORD_COMM, ns);
        put_u32(writer, index);
        put_u32(writer, identity);
        put_u32(writer, first);
        put_u32(writer, count);
        put(writer, ranks + first, count * sizeof *ranks);
        add_record(writer, ns);
    }
}

void ws_writer_window(struct ws_writer *writer, int64_t ns, uint32_t index, uint32_t identity, uint32_t comm)
{
    ns = begin_built_in(writer, WS_RECORD_WINDOW, ns);
    put_u32(writer, index);
    put_u32(writer, identity);
    put_u32(writer, comm);
    add_record(writer, ns);
}

/* ---- calls ---- */

void ws_writer_call(struct ws_writer *writer, int64_t t_ns, int64_t end_ns, uint32_t site)
{
    writer->end_ns = not_before(writer, end_ns);
    writer->t_ns = t_ns < 0 ? 0 : t_ns < writer->end_ns ? t_ns : writer->end_ns;
    writer->site = site;
    writer->written = false;
    writer->header.calls++;
}

void ws_writer_record(struct ws_writer *writer, size_t kind, const union ws_value *values)
{
    const struct ws_record *record = &writer->schema->records[kind];
    struct ws_full_header head = {.id = WS_FULL_ID,
                                  .kind = (uint16_t)(WS_FIRST_KIND + kind),
                                  .end_ns = (uint64_t)writer->end_ns,
                                  .duration_ns = (uint64_t)(writer->end_ns - writer->t_ns),
                                  .site = writer->site,
                                  .follows = writer->written};

    put(writer, &head, sizeof head);
    for (size_t i = 0; i < record->field_count; i++) {
        unsigned size = ws_formats[record->fields[i].format].size_bytes;
        if (record->fields[i].is_constant)
            continue;
        if (size) /* little-endian: the lower bytes come first */
            put(writer, values, size);
        else
            put_string(writer, values->s);
        values++;
    }
    writer->written = true;
    add_record(writer, writer->end_ns);
}
