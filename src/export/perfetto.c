/* Perfetto's own format, a sequence of packets in protobuf's encoding
 * (perfetto/protos/perfetto/trace/trace_packet.proto): a process for each rank, a track for each of its
 * threads and one for its waiting, flows from sends to receives.  What repeats (names, call sites) is written
 * once and referred to by its number. */
#include "export/formats.h"

#include "export/dictionary.h"
#include "util/alloc.h"
#include "util/pack.h"
#include "util/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of fields, as the .proto files give them. */
enum {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE_ID = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_TRACK_DESCRIPTOR = 60,
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT_UUID = 5,
    PROCESS_PID = 1,
    PROCESS_NAME = 6,
    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,
    EVENT_CATEGORY_IIDS = 3,
    EVENT_DEBUG_ANNOTATIONS = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK_UUID = 11,
    EVENT_SOURCE_LOCATION_IID = 34,
    EVENT_FLOW_IDS = 47,
    EVENT_TERMINATING_FLOW_IDS = 48,
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_ENTRIES = 11,
    INTERNED_CATEGORIES = 1,
    INTERNED_NAMES = 2,
    INTERNED_ANNOTATION_NAMES = 3,
    INTERNED_SOURCE_LOCATIONS = 4,
    INTERNED_IID = 1,
    INTERNED_NAME = 2,
    LOCATION_FILE = 2,
    LOCATION_FUNCTION = 3,
    LOCATION_LINE = 4,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
#define SEQUENCE_ID 1

struct perfetto {
    struct ws_text packet, event, interned, piece, inner; /* being put together */
    struct ws_dictionary *categories, *names, *annotation_names;
    bool *locations; /* of sites: written already */
    size_t location_count;
    uint32_t *threads; /* [ranks]: described so far */
    bool *waits;       /* [ranks]: has a track for its waiting */
    uint32_t next_tid;
    bool any; /* a packet was written */
};

/* ---- protobuf ---- */

static void put_number(struct ws_text *out, unsigned field, uint64_t value)
{
    ws_pack_number(out, (uint64_t)field << 3);
    ws_pack_number(out, value);
}

static void put_fixed(struct ws_text *out, unsigned field, uint64_t value)
{
    ws_pack_number(out, (uint64_t)field << 3 | 1);
    ws_text_add(out, (const char *)&value, sizeof value); /* little-endian */
}

static void put_bytes(struct ws_text *out, unsigned field, const char *bytes, size_t length)
{
    ws_pack_number(out, (uint64_t)field << 3 | 2);
    ws_pack_number(out, length);
    ws_text_add(out, bytes, length);
}

static void put_text(struct ws_text *out, unsigned field, const char *text)
{
    char *valid = ws_utf8_copy(text, false);

    put_bytes(out, field, valid, strlen(valid));
    free(valid);
}

/* A message that was put together elsewhere, which is empty then. */
static void put_message(struct ws_text *out, unsigned field, struct ws_text *message)
{
    put_bytes(out, field, ws_text_string(message), message->length);
    ws_text_clear(message);
}

static int write_packet(struct ws_export *out)
{
    struct perfetto *perfetto = out->state;
    size_t wrote;

    if (perfetto->interned.length)
        put_message(&perfetto->packet, PACKET_INTERNED_DATA, &perfetto->interned);
    put_number(&perfetto->packet, PACKET_SEQUENCE_ID, SEQUENCE_ID);
    put_number(&perfetto->packet, PACKET_SEQUENCE_FLAGS, perfetto->any ? NEEDS_STATE : STATE_CLEARED);
    perfetto->any = true;
    put_message(&perfetto->event, TRACE_PACKET, &perfetto->packet);
    wrote = fwrite(perfetto->event.bytes, 1, perfetto->event.length, out->file);
    if (wrote != perfetto->event.length)
        return ws_fail(out->error, WS_ENVIRONMENT, "%s: cannot write", out->path);
    ws_text_clear(&perfetto->event);
    return 0;
}

/* ---- what is written once ---- */

static uint64_t intern(struct perfetto *perfetto, struct ws_dictionary *dictionary, unsigned field,
                       const char *text)
{
    uint32_t known = ws_dictionary_count(dictionary), number = ws_dictionary_text(dictionary, text);
    struct ws_text entry = {0};

    if (number == known) {
        put_number(&entry, INTERNED_IID, (uint64_t)number + 1);
        put_text(&entry, INTERNED_NAME, text);
        put_message(&perfetto->interned, field, &entry);
        ws_text_free(&entry);
    }
    return (uint64_t)number + 1;
}

/* The number of a call site; 0: unknown. */
static uint64_t intern_site(struct ws_export *out, int64_t site)
{
    struct perfetto *perfetto = out->state;
    const struct ws_site *at = ws_trace_site(out->trace, site);

    if (site <= 0 || (!*at->function && !*at->file))
        return 0;
    if ((size_t)site >= perfetto->location_count) {
        size_t larger = 2 * (size_t)site + 64;
        perfetto->locations = ws_realloc_array(perfetto->locations, larger, sizeof *perfetto->locations);
        memset(perfetto->locations + perfetto->location_count, 0, larger - perfetto->location_count);
        perfetto->location_count = larger;
    }
    if (!perfetto->locations[site]) {
        put_number(&perfetto->inner, INTERNED_IID, (uint64_t)site);
        put_text(&perfetto->inner, LOCATION_FILE, at->file);
        put_text(&perfetto->inner, LOCATION_FUNCTION, at->function);
        put_number(&perfetto->inner, LOCATION_LINE, (uint64_t)at->line);
        put_message(&perfetto->interned, INTERNED_SOURCE_LOCATIONS, &perfetto->inner);
        perfetto->locations[site] = true;
    }
    return (uint64_t)site;
}

/* ---- tracks ---- */

static uint64_t uuid_of_rank(uint32_t rank)
{
    return ((uint64_t)rank + 1) << 32;
}
static uint64_t uuid_of_thread(uint32_t rank, uint32_t thread)
{
    return uuid_of_rank(rank) + 2 + thread;
}
static uint64_t uuid_of_waiting(uint32_t rank)
{
    return uuid_of_rank(rank) + 1;
}

static int write_descriptor(struct ws_export *out)
{
    struct perfetto *perfetto = out->state;

    put_message(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, &perfetto->piece);
    return write_packet(out);
}

/* Process 0 has a meaning of its own in Perfetto: pids are ranks + 1. */
static int describe_rank(struct ws_export *out, uint32_t rank)
{
    struct perfetto *perfetto = out->state;
    struct ws_text name = {0};

    ws_text_printf(&name, "rank %u on %s", rank, out->info->rank[rank].host);
    put_number(&perfetto->inner, PROCESS_PID, (uint64_t)rank + 1);
    put_text(&perfetto->inner, PROCESS_NAME, name.bytes);
    put_number(&perfetto->piece, DESCRIPTOR_UUID, uuid_of_rank(rank));
    put_message(&perfetto->piece, DESCRIPTOR_PROCESS, &perfetto->inner);
    ws_text_free(&name);
    return write_descriptor(out);
}

static int describe_threads(struct ws_export *out, uint32_t rank, uint32_t thread)
{
    struct perfetto *perfetto = out->state;

    for (; perfetto->threads[rank] <= thread; perfetto->threads[rank]++) {
        char name[32];
        snprintf(name, sizeof name, "thread %u", perfetto->threads[rank]);
        put_number(&perfetto->inner, THREAD_PID, (uint64_t)rank + 1);
        put_number(&perfetto->inner, THREAD_TID, (uint64_t)out->info->ranks + 1 + perfetto->next_tid++);
        put_text(&perfetto->inner, THREAD_NAME, name);
        put_number(&perfetto->piece, DESCRIPTOR_UUID, uuid_of_thread(rank, perfetto->threads[rank]));
        put_number(&perfetto->piece, DESCRIPTOR_PARENT_UUID, uuid_of_rank(rank));
        put_message(&perfetto->piece, DESCRIPTOR_THREAD, &perfetto->inner);
        if (write_descriptor(out) != 0)
            return -1;
    }
    return 0;
}

static int describe_waiting(struct ws_export *out, uint32_t rank)
{
    struct perfetto *perfetto = out->state;

    if (perfetto->waits[rank])
        return 0;
    perfetto->waits[rank] = true;
    put_number(&perfetto->piece, DESCRIPTOR_UUID, uuid_of_waiting(rank));
    put_number(&perfetto->piece, DESCRIPTOR_PARENT_UUID, uuid_of_rank(rank));
    put_text(&perfetto->piece, DESCRIPTOR_NAME, "waiting");
    return write_descriptor(out);
}

/* ---- slices ---- */

static int write_event(struct ws_export *out, uint64_t track, int64_t ns, unsigned type)
{
    struct perfetto *perfetto = out->state;
    int64_t since = ws_since(out, ns);

    put_number(&perfetto->piece, EVENT_TYPE, type);
    put_number(&perfetto->piece, EVENT_TRACK_UUID, track);
    put_number(&perfetto->packet, PACKET_TIMESTAMP, (uint64_t)(since < 0 ? 0 : since));
    put_message(&perfetto->packet, PACKET_TRACK_EVENT, &perfetto->piece);
    return write_packet(out);
}

/* The begin of a slice; what is in `piece` goes with it. */
static int begin_slice(struct ws_export *out, uint64_t track, int64_t ns, const char *category,
                       const char *name)
{
    struct perfetto *perfetto = out->state;

    put_number(&perfetto->piece, EVENT_CATEGORY_IIDS,
               intern(perfetto, perfetto->categories, INTERNED_CATEGORIES, category));
    put_number(&perfetto->piece, EVENT_NAME_IID, intern(perfetto, perfetto->names, INTERNED_NAMES, name));
    return write_event(out, track, ns, SLICE_BEGIN);
}

static uint64_t annotation_name(struct perfetto *perfetto, const char *name)
{
    return intern(perfetto, perfetto->annotation_names, INTERNED_ANNOTATION_NAMES, name);
}

static void put_value(struct ws_export *out, struct ws_text *to, enum ws_type type, union ws_value value)
{
    struct ws_text words = {0};

    if (type == WS_TYPE_STRING) {
        put_text(to, ANNOTATION_STRING, value.s);
    } else if (type == WS_TYPE_SITE) {
        put_text(to, ANNOTATION_STRING, ws_site_words(out, value.i, &words));
    } else if (type == WS_TYPE_REAL) {
        uint64_t bits;
        memcpy(&bits, &value.r, sizeof bits);
        put_fixed(to, ANNOTATION_DOUBLE, bits);
    } else {
        put_number(to, type == WS_TYPE_BOOLEAN ? ANNOTATION_BOOL : ANNOTATION_INT, (uint64_t)value.i);
    }
    ws_text_free(&words);
}

/* An entry of the dictionary that is put together in `inner`. */
static void put_entry(struct ws_export *out, const char *name, enum ws_type type, union ws_value value)
{
    struct perfetto *perfetto = out->state;
    struct ws_text entry = {0};

    put_number(&entry, ANNOTATION_NAME_IID, annotation_name(perfetto, name));
    put_value(out, &entry, type, value);
    put_message(&perfetto->inner, ANNOTATION_ENTRIES, &entry);
    ws_text_free(&entry);
}

static void put_params(struct ws_export *out, const struct ws_event *event)
{
    const struct ws_schema_type *type = &out->schema->types[ws_type_of(event)];
    const union ws_value *value = event->value + WS_ATTR_COUNT;
    struct perfetto *perfetto = out->state;

    put_number(&perfetto->inner, ANNOTATION_NAME_IID, annotation_name(perfetto, type->name));
    if (ws_is_start(event))
        put_entry(out, "starts", WS_TYPE_BOOLEAN, (union ws_value){.i = 1});
    for (size_t i = 0; i < type->param_count; i++)
        put_entry(out, type->params[i], type->param_types[i], *value++);
    for (size_t i = 0; i < type->number_count; i++)
        put_entry(out, type->numbers[i].name, WS_TYPE_INTEGER, *value++);
    put_message(&perfetto->piece, EVENT_DEBUG_ANNOTATIONS, &perfetto->inner);
}

/* A flow leaves where a send begins and ends where a receive does, that of messages that were received only.
 */
static void put_flows(struct ws_export *out, const struct ws_shown_call *call, enum ws_means means)
{
    struct perfetto *perfetto = out->state;

    for (size_t i = 0; i < call->event_count; i++) {
        const struct ws_event *event = call->events[i];
        const struct ws_meaning *meaning = &out->meanings[ws_type_of(event)];
        bool wanted = means == WS_MEANS_SEND ? ws_is_start(event) || event->mark == 0 : !ws_is_start(event);
        if (meaning->means == means && wanted && ws_known(meaning, event, WS_KNOWN_PEER, -1) >= 0)
            put_fixed(&perfetto->piece, means == WS_MEANS_SEND ? EVENT_FLOW_IDS : EVENT_TERMINATING_FLOW_IDS,
                      ws_message_id(meaning, event));
    }
}

static int write_call(struct ws_export *out, const struct ws_shown_call *call)
{
    struct perfetto *perfetto = out->state;
    uint64_t track = uuid_of_thread(call->rank, call->thread), site;

    if (describe_threads(out, call->rank, call->thread) != 0)
        return -1;
    site = intern_site(out, call->site);
    if (site)
        put_number(&perfetto->piece, EVENT_SOURCE_LOCATION_IID, site);
    for (size_t i = 0; i < call->event_count; i++)
        put_params(out, call->events[i]);
    put_flows(out, call, WS_MEANS_SEND);
    if (begin_slice(out, track, call->t_ns, "call", call->function) != 0)
        return -1;
    put_flows(out, call, WS_MEANS_RECV);
    return write_event(out, track, call->end_ns, SLICE_END);
}

static int write_waited(struct ws_export *out, const struct ws_waited *waited)
{
    struct perfetto *perfetto = out->state;
    uint64_t track = uuid_of_waiting(waited->rank);

    if (describe_waiting(out, waited->rank) != 0)
        return -1;
    put_number(&perfetto->inner, ANNOTATION_NAME_IID, annotation_name(perfetto, "problem"));
    put_value(out, &perfetto->inner, WS_TYPE_STRING, (union ws_value){.s = waited->id});
    put_message(&perfetto->piece, EVENT_DEBUG_ANNOTATIONS, &perfetto->inner);
    if (waited->cause_rank != UINT32_MAX) {
        put_number(&perfetto->inner, ANNOTATION_NAME_IID, annotation_name(perfetto, "waits_for"));
        put_value(out, &perfetto->inner, WS_TYPE_INTEGER, (union ws_value){.i = waited->cause_rank});
        put_message(&perfetto->piece, EVENT_DEBUG_ANNOTATIONS, &perfetto->inner);
    }
    if (begin_slice(out, track, waited->from_ns, "waiting", waited->name) != 0)
        return -1;
    return write_event(out, track, waited->to_ns, SLICE_END);
}

/* ---- the file ---- */

static int begin(struct ws_export *out)
{
    struct perfetto *perfetto = out->state = ws_alloc(sizeof *perfetto);

    perfetto->categories = ws_dictionary_new();
    perfetto->names = ws_dictionary_new();
    perfetto->annotation_names = ws_dictionary_new();
    perfetto->threads = ws_alloc_array(out->info->ranks, sizeof *perfetto->threads);
    perfetto->waits = ws_alloc_array(out->info->ranks, sizeof *perfetto->waits);
    for (uint32_t r = 0; r < out->info->ranks; r++)
        if (out->info->rank[r].present && describe_rank(out, r) != 0)
            return -1;
    return 0;
}

static int end(struct ws_export *out, bool failed)
{
    struct perfetto *perfetto = out->state;

    (void)failed;
    ws_dictionary_free(perfetto->categories);
    ws_dictionary_free(perfetto->names);
    ws_dictionary_free(perfetto->annotation_names);
    free(perfetto->locations);
    free(perfetto->threads);
    free(perfetto->waits);
    ws_text_free(&perfetto->packet);
    ws_text_free(&perfetto->event);
    ws_text_free(&perfetto->interned);
    ws_text_free(&perfetto->piece);
    ws_text_free(&perfetto->inner);
    free(perfetto);
    return 0;
}

const struct ws_export_ops ws_export_perfetto = {
    .format = {.name = "perfetto",
               .line = "Perfetto's own format (ui.perfetto.dev), for traces of any size",
               .suffix = ".pftrace",
               .streams = true},
    .begin = begin,
    .call = write_call,
    .waited = write_waited,
    .end = end,
};
