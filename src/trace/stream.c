#include "trace/stream.h"

#include "trace/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULE_MOST 4096 /* bytes of a path */

static uint32_t get_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* ---- the file ---- */

/* Where a stream ends that is still written: what its packets hold at this moment.  Not through a mapping,
 * since what the recorder has reserved and does not need is cut off the file at its end. */
static size_t end_now(int file, size_t size)
{
    struct ws_packet_header header;
    size_t at = 0, end = 0;

    while (at + sizeof header <= size &&
           pread(file, &header, sizeof header, (off_t)at) == (ssize_t)sizeof header &&
           header.magic == WS_CTF_MAGIC && header.content_bits / 8 >= sizeof header &&
           header.content_bits <= header.packet_bits) {
        end = at + (size_t)(header.content_bits / 8);
        if (header.packet_bits / 8 > size - at)
            break;
        at += (size_t)(header.packet_bits / 8);
    }
    return end < size ? end : size;
}

static int map_file(struct ws_stream *stream, const char *path, struct ws_error *error)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    size_t size;
    void *bytes;

    if (file < 0)
        return ws_fail(error, WS_BAD_INPUT, "cannot read: %s", strerror(errno));
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(file);
        return ws_fail(error, WS_BAD_INPUT, "no ordinary file");
    }
    size = stream->growing ? end_now(file, (size_t)info.st_size) : (size_t)info.st_size;
    if (size < sizeof(struct ws_packet_header)) {
        close(file);
        return ws_fail(error, WS_BAD_INPUT, size ? "cut off in its first header" : "empty");
    }
    bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return ws_fail(error, WS_ENVIRONMENT, "cannot map into memory: %s", strerror(errno));
    stream->bytes = bytes;
    stream->size = size;
    return 0;
}

bool ws_stream_name_parse(const char *name, uint32_t *rank, uint32_t *thread)
{
    char again[64];

    if (sscanf(name, "rank-%u.thread-%u", rank, thread) != 2 || *rank >= WS_MOST_RANKS ||
        *thread >= WS_MOST_THREADS)
        return false;
    snprintf(again, sizeof again, "rank-%u.thread-%u", *rank, *thread);
    return strcmp(name, again) == 0;
}

int ws_stream_open(struct ws_stream *stream, const char *path, uint32_t rank, uint32_t thread,
                   const uint8_t uuid[16], bool growing, struct ws_error *error)
{
    struct ws_packet_header header;
    int result;

    *stream = (struct ws_stream){.rank = rank, .thread = thread, .growing = growing};
    if (map_file(stream, path, error) != 0)
        return -1;
    memcpy(&header, stream->bytes, sizeof header);
    if (header.magic != WS_CTF_MAGIC)
        result = ws_fail(error, WS_BAD_INPUT, "no stream of a trace");
    else if (memcmp(header.uuid, uuid, sizeof header.uuid) != 0)
        result = ws_fail(error, WS_BAD_INPUT, "belongs to another trace");
    else if (header.rank != rank || header.thread != thread)
        result =
            ws_fail(error, WS_BAD_INPUT, "is the stream of rank %u, thread %u", header.rank, header.thread);
    else
        return 0;
    ws_stream_close(stream);
    return result;
}

void ws_stream_close(struct ws_stream *stream)
{
    if (stream->bytes)
        munmap((void *)stream->bytes, stream->size);
    free(stream->sites);
    *stream = (struct ws_stream){0};
}

/* ---- memory ---- */

/* The kernel maps so much at once, aligned, where a page is asked for. */
#define WINDOW_BYTES ((size_t)1 << 16)

/* Gives back the pages that were read: what is resident does not grow with the trace.  Strings of operations
 * still lie there, and are fetched again if they are looked at. */
static void release_pages(struct ws_cursor *cursor, size_t end)
{
    if (end <= cursor->released)
        return;
    madvise((void *)(uintptr_t)(cursor->stream->bytes + cursor->released), end - cursor->released,
            MADV_DONTNEED);
    cursor->released = end;
}

/* ---- packets ---- */

static bool stop(struct ws_cursor *cursor, size_t at, const char *damage)
{
    cursor->damage = damage;
    cursor->damage_at = at;
    release_pages(cursor, cursor->stream->size); /* and the rest of the last page */
    cursor->at = cursor->end = cursor->pause = cursor->quick_end = 0;
    cursor->cut = false;
    cursor->packet_end = cursor->stream->size; /* nothing more */
    return false;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/* Enters the packet at packet_end. */
static bool next_packet(struct ws_cursor *cursor)
{
    const struct ws_stream *stream = cursor->stream;
    size_t start = cursor->packet_end, room = stream->size - start;
    struct ws_packet_header header, first;

    if (room == 0)
        return stop(cursor, start, NULL);
    /* Room that the recorder took and a killed rank never used. */
    if (all_zero(stream->bytes + start, room < WS_PACKET_BYTES ? room : WS_PACKET_BYTES))
        return stop(cursor, start, NULL);
    if (room < sizeof header)
        return stop(cursor, start, "cut off in the header of a packet");
    memcpy(&header, stream->bytes + start, sizeof header);
    memcpy(&first, stream->bytes, sizeof first);
    if (header.magic != WS_CTF_MAGIC || memcmp(header.uuid, first.uuid, sizeof header.uuid) != 0 ||
        header.stream_id != 0 || header.rank != stream->rank || header.thread != stream->thread)
        return stop(cursor, start, "foreign bytes in place of a packet");
    if (header.sequence != cursor->sequence)
        return stop(cursor, start, "a packet is missing");
    if (header.packet_bits % 8 || header.content_bits % 8 || header.content_bits > header.packet_bits ||
        header.content_bits / 8 < sizeof header)
        return stop(cursor, start, "a packet of an impossible size");
    cursor->sequence++;
    cursor->lost = header.events_discarded > cursor->lost ? header.events_discarded : cursor->lost;
    cursor->calls = header.calls > cursor->calls ? header.calls : cursor->calls;
    cursor->request_high = header.request_high;
    cursor->timed = cursor->called = false;
    cursor->cut = header.content_bits / 8 > room && !stream->growing;
    cursor->at = start + sizeof header;
    cursor->end = start + (header.content_bits / 8 > room ? room : (size_t)(header.content_bits / 8));
    cursor->packet_end = start + (header.packet_bits / 8 > room ? room : (size_t)(header.packet_bits / 8));
    return true;
}

/* ---- records ---- */

/* Eight bytes, or as many as there are. */
static uint64_t load(const uint8_t *at, size_t room)
{
    uint64_t bits = 0;

    if (room >= sizeof bits)
        memcpy(&bits, at, sizeof bits);
    else
        for (size_t i = 0; i < room; i++)
            bits |= (uint64_t)at[i] << (8 * i);
    return bits;
}

static union ws_value number_of(const struct ws_bound_field *field, uint64_t bits)
{
    bits <<= field->shift;
    return (union ws_value){.i = field->is_signed ? (int64_t)bits >> field->shift
                                                  : (int64_t)(bits >> field->shift)};
}

/* The greatest integer stands for any that is too great. */
static union ws_value value_of(const struct ws_bound_field *field, uint64_t bits)
{
    if (field->how == WS_FIELD_BOOL)
        return (union ws_value){.i = bits << field->shift != 0};
    if (field->how == WS_FIELD_BYTES && bits > INT64_MAX)
        return (union ws_value){.i = INT64_MAX};
    return number_of(field, bits);
}

/* The length of a terminated string with its end, or 0 where it does not end in time. */
static size_t string_bytes(const uint8_t *at, size_t room, size_t most)
{
    const uint8_t *end = memchr(at, 0, room < most + 1 ? room : most + 1);
    return end ? (size_t)(end - at) + 1 : 0;
}

/* The fields from the first string on. */
static size_t take_from_string(struct ws_cursor *cursor, const struct ws_bound_record *record, bool narrow,
                               const uint8_t *at, size_t room)
{
    size_t size = record->fixed_bytes[narrow];

    for (size_t i = record->fixed_count; i < record->stored_count; i++) {
        const struct ws_bound_field *field = &record->stored[narrow][i];
        size_t left = room - size, more = 8 - field->shift / 8;
        if (field->how == WS_FIELD_STRING) {
            cursor->value[field->index].s = (const char *)at + size;
            more = string_bytes(at + size, left, WS_STRING_MOST);
        } else if (more <= left) {
            cursor->value[field->index] = value_of(field, load(at + size, left));
        }
        if (more == 0 || more > left)
            return SIZE_MAX;
        size += more;
    }
    return size;
}

static void take_constants(struct ws_cursor *cursor, const struct ws_bound_record *record)
{
    for (size_t i = 0; i < record->constant_count; i++)
        cursor->value[record->constants[i].index].i = record->constants[i].value;
}

/* Takes the values of a record's fields at `at`, where `room` bytes may be read.  The length of the fields,
 * or SIZE_MAX where they do not fit or make no sense. */
static size_t take_values(struct ws_cursor *cursor, const struct ws_bound_record *record, bool narrow,
                          const uint8_t *at, size_t room)
{
    const struct ws_bound_field *field = record->stored[narrow];
    const struct ws_bound_field *end = field + record->wanted[cursor->reading];

    if (room < record->fixed_bytes[narrow])
        return SIZE_MAX;
    for (; field < end; field++)
        cursor->value[field->index] = value_of(field, load(at + field->offset, room - field->offset));
    take_constants(cursor, record);
    if (record->fixed_count < record->stored_count)
        return take_from_string(cursor, record, narrow, at, room);
    return record->fixed_bytes[narrow];
}

static size_t strings_bytes(const uint8_t *at, size_t room, size_t count)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++) {
        size_t more = string_bytes(at + size, room - size, MODULE_MOST);
        if (!more)
            return SIZE_MAX;
        size += more;
    }
    return size;
}

/* Bytes of a built-in record's fields; SIZE_MAX where they do not fit or make no sense. */
static size_t built_in_bytes(uint8_t id, const uint8_t *at, size_t room)
{
    static const struct {
        size_t fixed, strings;
    } sizes[] = {
        [WS_RECORD_BEGIN] = {16, 3},
        [WS_RECORD_END] = {8, 0},
        [WS_RECORD_SITE] = {14, 1},
        [WS_RECORD_COMM] = {16, 0},
        [WS_RECORD_WINDOW] = {12, 0},
        [WS_RECORD_CLOCK] = {sizeof(struct ws_record_clock), 0},
        [WS_RECORD_OFFSET] = {sizeof(struct ws_record_offset), 0},
        [WS_RECORD_CONTROL] = {9, 1},
    };
    size_t fixed, more;

    if (id >= sizeof sizes / sizeof *sizes)
        return SIZE_MAX;
    fixed = sizes[id].fixed;
    if (room < fixed)
        return SIZE_MAX;
    if (id == WS_RECORD_COMM) {
        more = get_u32(at + 12);
        return more <= (room - fixed) / 4 ? fixed + 4 * more : SIZE_MAX;
    }
    more = strings_bytes(at + fixed, room - fixed, sizes[id].strings);
    return more == SIZE_MAX ? SIZE_MAX : fixed + more;
}

static const char wrong_size[] = "a record of an impossible size";

/* The moment of a record; the reason where it makes no sense. */
static const char *take_time(struct ws_cursor *cursor, uint64_t end_ns, uint64_t duration_ns)
{
    if (end_ns > INT64_MAX || duration_ns > end_ns)
        return "a record of an impossible time";
    if ((int64_t)end_ns < cursor->own_ns)
        return "a record that goes back in time";
    cursor->own_ns = (int64_t)end_ns;
    cursor->end_ns = (int64_t)end_ns;
    cursor->t_ns = (int64_t)(end_ns - duration_ns);
    if (cursor->clock) {
        cursor->end_ns = ws_clock_correct(cursor->clock, cursor->end_ns);
        cursor->t_ns = ws_clock_correct(cursor->clock, cursor->t_ns);
    }
    cursor->timed = true;
    return NULL;
}

/* Each of these takes one record at `at` into the cursor, and its length; the reason where it makes none. */

static const char *take_built_in(struct ws_cursor *cursor, const uint8_t *at, size_t room, size_t *size)
{
    const size_t head = sizeof(struct ws_built_in_header);
    const char *damage;
    int64_t t_ns;
    size_t more;

    if (room < head || (more = built_in_bytes(*at, at + head, room - head)) == SIZE_MAX)
        return wrong_size;
    t_ns = cursor->t_ns;
    if ((damage = take_time(cursor, ws_get_u64(at + 1), 0)))
        return damage;
    cursor->t_ns = t_ns; /* of the call, of which more may come */
    cursor->record = NULL;
    cursor->fields = at + head;
    *size = head + more;
    return NULL;
}

static const char *take_full(struct ws_cursor *cursor, const uint8_t *at, size_t room, size_t *size)
{
    struct ws_full_header header;
    const char *damage;
    size_t more;

    if (room < sizeof header)
        return wrong_size;
    memcpy(&header, at, sizeof header);
    if (header.kind < WS_FIRST_KIND || (size_t)header.kind - WS_FIRST_KIND >= cursor->binding->record_count)
        return "a record of an unknown kind";
    cursor->record = &cursor->binding->records[header.kind - WS_FIRST_KIND];
    more = take_values(cursor, cursor->record, false, at + sizeof header, room - sizeof header);
    if (more == SIZE_MAX)
        return wrong_size;
    if ((damage = take_time(cursor, header.end_ns, header.duration_ns)))
        return damage;
    cursor->site = header.site;
    cursor->follows = header.follows;
    *size = sizeof header + more;
    return NULL;
}

/* The header of a tight or compact record. */
static const char *take_short_header(struct ws_cursor *cursor, const uint8_t *at, bool tight)
{
    const uint64_t low = WS_SHORT_NS - 1;
    uint64_t head = ws_get_u64(at), end_ns = (uint64_t)cursor->own_ns;

    if (!cursor->timed)
        return "a short record without a moment";
    end_ns += ((head >> 8) - end_ns) & low;
    cursor->site = tight ? (uint32_t)(head >> 48) : (uint32_t)(head >> 56) | (uint32_t)at[8] << 8;
    cursor->follows = false;
    return take_time(cursor, end_ns, head >> 32 & (tight ? UINT16_MAX : low));
}

/* What is left to do for a short record whose fields are taken. */
static const char *take_short(struct ws_cursor *cursor, const struct ws_bound_opening *opening,
                              const uint8_t *at)
{
    const struct ws_bound_record *record = opening->record;
    const uint64_t high = (uint64_t)cursor->request_high << 32;

    cursor->record = record;
    if (record->request >= 0)
        cursor->value[record->request].i |= (int64_t)high;
    if (record->from >= 0)
        cursor->value[record->from].i |= (int64_t)high;
    if (opening->form != WS_FORM_MORE)
        return take_short_header(cursor, at, opening->form == WS_FORM_TIGHT);
    cursor->follows = true;
    return cursor->called ? NULL : "a record of no call";
}

/* At the end of a packet, or where pages can be given back; false: at the end of all. */
static bool pause_there(struct ws_cursor *cursor)
{
    const size_t plenty = cursor->binding->plenty;

    while (cursor->at == cursor->end) {
        if (cursor->cut)
            return stop(cursor, cursor->stream->size, "cut off");
        if (!next_packet(cursor))
            return false;
    }
    /* Events are formed of the record before: its window stays, or it would be mapped anew, for good. */
    if (cursor->at - cursor->released >= 3 * WINDOW_BYTES)
        release_pages(cursor, cursor->at - cursor->at % WINDOW_BYTES - WINDOW_BYTES);
    cursor->bytes = cursor->stream->bytes;
    cursor->pause = cursor->released + 3 * WINDOW_BYTES;
    cursor->pause = cursor->end < cursor->pause ? cursor->end : cursor->pause;
    cursor->quick_end = cursor->end < plenty ? 0 : cursor->end - plenty;
    cursor->quick_end = cursor->pause < cursor->quick_end ? cursor->pause : cursor->quick_end;
    return true;
}

/* Takes a record of any kind, of which not all may be there. */
static const char *take_any(struct ws_cursor *cursor, const struct ws_bound_opening *opening,
                            const uint8_t *at, size_t room, size_t *size)
{
    size_t more;

    if (!opening->known)
        return "a record of an unknown kind";
    if (!opening->record)
        return opening->form == WS_FORM_FULL ? take_full(cursor, at, room, size)
                                             : take_built_in(cursor, at, room, size);
    if (room < opening->head || (more = take_values(cursor, opening->record, true, at + opening->head,
                                                    room - opening->head)) == SIZE_MAX)
        return wrong_size;
    *size = opening->head + more;
    return take_short(cursor, opening, at);
}

bool ws_cursor_next_slow(struct ws_cursor *cursor)
{
    const uint8_t *at;
    const char *damage;
    size_t room, size;

    if (cursor->at >= cursor->pause && !pause_there(cursor))
        return false;
    at = cursor->bytes + cursor->at;
    room = cursor->end - cursor->at;
    cursor->id = *at;
    cursor->fields = NULL;
    damage = take_any(cursor, &cursor->binding->openings[*at], at, room, &size);
    if (damage)
        return stop(cursor, cursor->at, damage == wrong_size && cursor->cut ? "cut off in a record" : damage);
    cursor->called |= cursor->record != NULL;
    cursor->at += size;
    return true;
}

/* ---- fields of the built-in records ---- */

void ws_cursor_begin(const struct ws_cursor *cursor, struct ws_begin *begin)
{
    begin->pid = get_u32(cursor->fields);
    begin->size = get_u32(cursor->fields + 4);
    begin->call_cost_ps = ws_get_u64(cursor->fields + 8);
    begin->host = (const char *)cursor->fields + 16;
    begin->library = begin->host + strlen(begin->host) + 1;
    begin->executable = begin->library + strlen(begin->library) + 1;
}

uint64_t ws_cursor_flush_ns(const struct ws_cursor *cursor)
{
    return ws_get_u64(cursor->fields);
}

void ws_cursor_site(const struct ws_cursor *cursor, struct ws_site_definition *site)
{
    site->site = get_u32(cursor->fields);
    memcpy(&site->function, cursor->fields + 4, sizeof site->function);
    site->offset = ws_get_u64(cursor->fields + 6);
    site->module = (const char *)cursor->fields + 14;
}

void ws_cursor_clock(const struct ws_cursor *cursor, struct ws_record_clock *clock)
{
    memcpy(clock, cursor->fields, sizeof *clock);
}

void ws_cursor_offset(const struct ws_cursor *cursor, struct ws_record_offset *offset)
{
    memcpy(offset, cursor->fields, sizeof *offset);
}

void ws_cursor_comm(const struct ws_cursor *cursor, struct ws_comm_definition *comm)
{
    comm->index = get_u32(cursor->fields);
    comm->identity = get_u32(cursor->fields + 4);
    comm->first = get_u32(cursor->fields + 8);
    if (cursor->id != WS_RECORD_COMM)
        return;
    comm->size = get_u32(cursor->fields + 12);
    comm->ranks = cursor->fields + 16;
}

void ws_cursor_control(const struct ws_cursor *cursor, struct ws_control *control)
{
    control->what = cursor->fields[0];
    control->count = ws_get_u64(cursor->fields + 1);
    control->name = (const char *)cursor->fields + 9;
}
