#include "export/otf2/otf2.h"

#include "util/alloc.h"
#include "util/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD_GROUP 0 /* all processes; groups of communicators follow */

OTF2_StringRef ws_otf2_string(struct ws_otf2_archive *archive, const char *text)
{
    char *valid = ws_utf8_copy(text, false);
    uint32_t number = ws_dictionary_text(archive->texts, valid);

    free(valid);
    return number;
}

OTF2_RegionRef ws_otf2_region(struct ws_otf2_archive *archive, const char *function)
{
    return ws_dictionary_text(archive->regions, function);
}

OTF2_SourceCodeLocationRef ws_otf2_place(struct ws_otf2_archive *archive, const char *file, int line)
{
    struct ws_otf2_place place = {ws_otf2_string(archive, file), (uint32_t)line};

    return ws_dictionary_put(archive->places, &place, sizeof place);
}

/* ---- groups and communicators ---- */

static OTF2_GroupRef put_group(struct ws_otf2_archive *archive, OTF2_GroupType type, const uint64_t *members,
                               uint32_t count)
{
    struct ws_text bytes = {0};
    uint64_t kind = type;
    uint32_t number;

    ws_text_add(&bytes, (const char *)&kind, sizeof kind);
    ws_text_add(&bytes, (const char *)members, count * sizeof *members);
    number = ws_dictionary_put(archive->groups, bytes.bytes, bytes.length);
    ws_text_free(&bytes);
    return WORLD_GROUP + 1 + number;
}

OTF2_GroupRef ws_otf2_group_of_one(struct ws_otf2_archive *archive, int64_t rank)
{
    uint64_t member = (uint64_t)rank;

    return put_group(archive, OTF2_GROUP_TYPE_COMM_GROUP, &member,
                     rank >= 0 && rank < archive->out->info->ranks);
}

/* The members of a communicator as a process knows them. */
static OTF2_GroupRef group_of_comm(struct ws_otf2_archive *archive, uint32_t rank, int64_t identity)
{
    const int32_t *ranks;
    uint32_t count = ws_trace_peers(archive->out->trace, rank, identity, &ranks), kept = 0;
    uint64_t *members = ws_alloc_array(count, sizeof *members);
    OTF2_GroupRef group;

    for (uint32_t i = 0; i < count; i++) {
        int64_t member = ranks ? ranks[i] : (int64_t)i;
        if (member >= 0 && member < archive->out->info->ranks)
            members[kept++] = (uint64_t)member;
    }
    group = identity == 2 ? put_group(archive, OTF2_GROUP_TYPE_COMM_SELF, NULL, 0)
                          : put_group(archive, OTF2_GROUP_TYPE_COMM_GROUP, members, kept);
    free(members);
    return group;
}

OTF2_CommRef ws_otf2_comm(struct ws_otf2_archive *archive, uint32_t rank, int64_t identity)
{
    uint32_t number = ws_dictionary_put(archive->comm_names, &identity, sizeof identity);

    if (number == archive->comm_count)
        WS_PUSH(archive->comms, archive->comm_count, archive->comm_capacity) =
            (struct ws_otf2_comm){identity, group_of_comm(archive, rank, identity)};
    return number;
}

uint32_t ws_otf2_rank_in(struct ws_otf2_archive *archive, OTF2_CommRef comm, int64_t rank)
{
    size_t length;
    OTF2_GroupRef group = archive->comms[comm].group;
    const char *bytes = ws_dictionary_get(archive->groups, group - WORLD_GROUP - 1, &length);
    uint64_t member;

    /* Most communicators are the world in order. */
    if (rank >= 0 && ((uint64_t)rank + 2) * sizeof member <= length) {
        memcpy(&member, bytes + ((uint64_t)rank + 1) * sizeof member, sizeof member);
        if (member == (uint64_t)rank)
            return (uint32_t)rank;
    }
    for (size_t at = sizeof member; at < length; at += sizeof member) {
        memcpy(&member, bytes + at, sizeof member);
        if (member == (uint64_t)rank)
            return (uint32_t)(at / sizeof member - 1);
    }
    return 0;
}

OTF2_RmaWinRef ws_otf2_window(struct ws_otf2_archive *archive, int64_t identity)
{
    uint32_t number = ws_dictionary_put(archive->window_names, &identity, sizeof identity);

    if (number == archive->window_count)
        WS_PUSH(archive->windows, archive->window_count, archive->window_capacity) =
            (struct ws_otf2_window){identity, OTF2_UNDEFINED_COMM};
    return number;
}

void ws_otf2_window_made(struct ws_otf2_archive *archive, int64_t identity, OTF2_CommRef comm)
{
    OTF2_RmaWinRef window = ws_otf2_window(archive, identity);

    archive->windows[window].comm = comm;
}

/* ---- attributes ---- */

struct param {
    uint64_t type;
    char name[56];
};

static OTF2_AttributeRef attribute_of(struct ws_otf2_archive *archive, const char *name, OTF2_Type type)
{
    struct param param = {.type = type};

    snprintf(param.name, sizeof param.name, "%s", name);
    return WS_OTF2_FIRST_PARAM + ws_dictionary_put(archive->params, &param, sizeof param);
}

/* How the records of a type store a parameter: as a plain value, or as the index of a communicator or window.
 */
static enum ws_format format_of(const struct ws_schema *schema, uint32_t type, const char *name)
{
    for (size_t r = 0; r < schema->record_count; r++)
        for (size_t i = 0; (uint32_t)schema->records[r].type == type && i < schema->records[r].field_count;
             i++)
            if (strcmp(schema->records[r].fields[i].name, name) == 0)
                return schema->records[r].fields[i].format;
    return WS_FORMAT_LONG;
}

static void add_param(struct ws_otf2_archive *archive, uint32_t rank, enum ws_format format, const char *name,
                      union ws_value value)
{
    OTF2_AttributeList *list = archive->attributes;

    if (format == WS_FORMAT_COMM && value.i)
        OTF2_AttributeList_AddCommRef(list, attribute_of(archive, name, OTF2_TYPE_COMM),
                                      ws_otf2_comm(archive, rank, value.i));
    else if (format == WS_FORMAT_WINDOW)
        OTF2_AttributeList_AddRmaWinRef(list, attribute_of(archive, name, OTF2_TYPE_RMA_WIN),
                                        ws_otf2_window(archive, value.i));
    else if (format == WS_FORMAT_STRING)
        OTF2_AttributeList_AddStringRef(list, attribute_of(archive, name, OTF2_TYPE_STRING),
                                        ws_otf2_string(archive, value.s));
    else if (format == WS_FORMAT_REAL)
        OTF2_AttributeList_AddDouble(list, attribute_of(archive, name, OTF2_TYPE_DOUBLE), value.r);
    else if (format != WS_FORMAT_COMM)
        OTF2_AttributeList_AddInt64(list, attribute_of(archive, name, OTF2_TYPE_INT64), value.i);
}

void ws_otf2_add_params(struct ws_otf2_archive *archive, uint32_t rank, uint32_t type,
                        const struct ws_event *event)
{
    const struct ws_schema_type *of = &archive->out->schema->types[type];

    for (size_t i = 0; i < of->param_count; i++)
        add_param(archive, rank, format_of(archive->out->schema, type, of->params[i]), of->params[i],
                  event->value[WS_ATTR_COUNT + i]);
}

/* ---- writing ---- */

struct writing {
    struct ws_otf2_archive *archive;
    OTF2_GlobalDefWriter *writer;
    OTF2_StringRef empty;
};

static void check(const struct writing *writing, OTF2_ErrorCode code)
{
    if (writing->writer)
        ws_otf2_check(writing->archive, code);
}

static OTF2_StringRef printed(const struct writing *writing, const char *format, long long number)
{
    char text[64];

    snprintf(text, sizeof text, format, number);
    return ws_otf2_string(writing->archive, text);
}

static OTF2_StringRef location_name(const struct writing *writing, uint32_t rank, uint32_t thread)
{
    char text[64];

    snprintf(text, sizeof text, thread ? "rank %u, thread %u" : "rank %u", rank, thread);
    return ws_otf2_string(writing->archive, text);
}

static OTF2_StringRef comm_name(const struct writing *writing, int64_t identity)
{
    if (identity == 1)
        return ws_otf2_string(writing->archive, "MPI_COMM_WORLD");
    if (identity == 2)
        return ws_otf2_string(writing->archive, "MPI_COMM_SELF");
    return printed(writing, "communicator %lld", identity);
}

static void write_comms(const struct writing *writing)
{
    struct ws_otf2_archive *archive = writing->archive;
    uint32_t ranks = archive->out->info->ranks;
    uint64_t *members = ws_alloc_array(ranks, sizeof *members);

    for (uint32_t r = 0; r < ranks; r++)
        members[r] = ws_otf2_location_ref(r, 0);
    check(writing, OTF2_GlobalDefWriter_WriteGroup(writing->writer, WORLD_GROUP, writing->empty,
                                                   OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                                   OTF2_GROUP_FLAG_NONE, ranks, members));
    free(members);
    for (uint32_t g = 0; g < ws_dictionary_count(archive->groups); g++) {
        size_t length;
        const char *bytes = ws_dictionary_get(archive->groups, g, &length);
        uint64_t type;
        memcpy(&type, bytes, sizeof type);
        check(writing, OTF2_GlobalDefWriter_WriteGroup(
                           writing->writer, WORLD_GROUP + 1 + g, writing->empty, (OTF2_GroupType)type,
                           OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)(length / sizeof type - 1),
                           (const uint64_t *)bytes + 1));
    }
    for (uint32_t c = 0; c < archive->comm_count; c++)
        check(writing, OTF2_GlobalDefWriter_WriteComm(
                           writing->writer, c, comm_name(writing, archive->comms[c].identity),
                           archive->comms[c].group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    for (uint32_t w = 0; w < archive->window_count; w++)
        check(writing, OTF2_GlobalDefWriter_WriteRmaWin(
                           writing->writer, w, printed(writing, "window %lld", archive->windows[w].identity),
                           archive->windows[w].comm, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS));
}

static OTF2_RegionRole role_of(const char *function)
{
    return strstr(function, "end") || strstr(function, "ecv") ? OTF2_REGION_ROLE_POINT2POINT
           : strstr(function, "Win_")                         ? OTF2_REGION_ROLE_RMA
           : strstr(function, "arrier")                       ? OTF2_REGION_ROLE_BARRIER
                                                              : OTF2_REGION_ROLE_FUNCTION;
}

static void write_regions(const struct writing *writing)
{
    struct ws_otf2_archive *archive = writing->archive;

    for (uint32_t r = 0; r < ws_dictionary_count(archive->regions); r++) {
        const char *function = ws_dictionary_get(archive->regions, r, NULL);
        OTF2_StringRef name = ws_otf2_string(archive, function);
        check(writing, OTF2_GlobalDefWriter_WriteRegion(writing->writer, r, name, name, writing->empty,
                                                        role_of(function), OTF2_PARADIGM_MPI,
                                                        OTF2_REGION_FLAG_NONE, writing->empty, 0, 0));
    }
    for (uint32_t p = 0; p < ws_dictionary_count(archive->places); p++) {
        struct ws_otf2_place place;
        memcpy(&place, ws_dictionary_get(archive->places, p, NULL), sizeof place);
        check(writing,
              OTF2_GlobalDefWriter_WriteSourceCodeLocation(writing->writer, p, place.file, place.line));
    }
}

static void write_attribute(const struct writing *writing, OTF2_AttributeRef self, const char *name,
                            OTF2_Type type)
{
    check(writing, OTF2_GlobalDefWriter_WriteAttribute(
                       writing->writer, self, ws_otf2_string(writing->archive, name), writing->empty, type));
}

static void write_attributes(const struct writing *writing)
{
    write_attribute(writing, WS_OTF2_CALLER_ATTRIBUTE, WS_OTF2_CALLER, OTF2_TYPE_STRING);
    write_attribute(writing, WS_OTF2_CALL_SITE_ATTRIBUTE, WS_OTF2_CALL_SITE, OTF2_TYPE_SOURCE_CODE_LOCATION);
    for (uint32_t p = 0; p < ws_dictionary_count(writing->archive->params); p++) {
        struct param param;
        char name[sizeof param.name + sizeof WS_OTF2_PARAM];
        memcpy(&param, ws_dictionary_get(writing->archive->params, p, NULL), sizeof param);
        snprintf(name, sizeof name, "%s%s", WS_OTF2_PARAM, param.name);
        write_attribute(writing, WS_OTF2_FIRST_PARAM + p, name, (OTF2_Type)param.type);
    }
    check(writing, OTF2_GlobalDefWriter_WriteParameter(writing->writer, 0,
                                                       ws_otf2_string(writing->archive, WS_OTF2_EVENT),
                                                       OTF2_PARAMETER_TYPE_STRING));
}

/* A machine for each host, a location group for each rank, a location for each of its threads. */
static void write_processes(const struct writing *writing)
{
    struct ws_otf2_archive *archive = writing->archive;
    const struct ws_trace_info *info = archive->out->info;
    struct ws_dictionary *hosts = ws_dictionary_new();
    OTF2_StringRef machine = ws_otf2_string(archive, "machine"), node = ws_otf2_string(archive, "node");

    check(writing, OTF2_GlobalDefWriter_WriteSystemTreeNode(writing->writer, 0, machine, machine,
                                                            OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t r = 0; r < info->ranks; r++) {
        uint32_t known = ws_dictionary_count(hosts), host = ws_dictionary_text(hosts, info->rank[r].host);
        if (host == known)
            check(writing,
                  OTF2_GlobalDefWriter_WriteSystemTreeNode(
                      writing->writer, 1 + host, ws_otf2_string(archive, info->rank[r].host), node, 0));
        check(writing, OTF2_GlobalDefWriter_WriteLocationGroup(
                           writing->writer, r, printed(writing, "rank %lld", r),
                           OTF2_LOCATION_GROUP_TYPE_PROCESS, 1 + host, OTF2_UNDEFINED_LOCATION_GROUP));
        for (uint32_t t = 0; t < archive->threads[r]; t++) {
            uint64_t events = 0;
            if (archive->ranks[r][t].writer)
                OTF2_EvtWriter_GetNumberOfEvents(archive->ranks[r][t].writer, &events);
            check(writing, OTF2_GlobalDefWriter_WriteLocation(writing->writer, ws_otf2_location_ref(r, t),
                                                              location_name(writing, r, t),
                                                              OTF2_LOCATION_TYPE_CPU_THREAD, events, r));
        }
    }
    ws_dictionary_free(hosts);
}

static void write_strings(const struct writing *writing)
{
    for (uint32_t s = 0; s < ws_dictionary_count(writing->archive->texts); s++)
        check(writing, OTF2_GlobalDefWriter_WriteString(writing->writer, s,
                                                        ws_dictionary_get(writing->archive->texts, s, NULL)));
}

static void write_what_refers_to_strings(const struct writing *writing)
{
    write_processes(writing);
    write_attributes(writing);
    write_regions(writing);
    write_comms(writing);
}

/* Strings come before what refers to them, and are known after it: so that is gone through once without a
 * writer, which OTF2 refuses each time. */
int ws_otf2_write_definitions(struct ws_otf2_archive *archive)
{
    struct writing writing = {archive, NULL, ws_otf2_string(archive, "")};
    int64_t length = ws_since(archive->out, archive->out->end_ns);

    write_what_refers_to_strings(&writing);
    ws_text_clear(&archive->words);
    writing.writer = OTF2_Archive_GetGlobalDefWriter(archive->archive);
    archive->failed |= !writing.writer;
    check(&writing, OTF2_GlobalDefWriter_WriteClockProperties(writing.writer, 1000000000, 0,
                                                              (uint64_t)(length < 0 ? 0 : length) + 1,
                                                              OTF2_UNDEFINED_TIMESTAMP));
    write_strings(&writing);
    write_what_refers_to_strings(&writing);
    return archive->failed ? -1 : 0;
}
