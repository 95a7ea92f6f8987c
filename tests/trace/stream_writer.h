/* Makes small traces for the tests: a schema like that of MPI, and streams in the layout of trace/layout.h,
 * written by hand as the recorder writes them.
 *
 *     struct writer w = writer_open(dir, 0, 0);
 *     write_begin(&w, 10, 2);                         process begins at 10 ns in a world of 2
 *     write_call(&w, "MPI_Send", 1, 20, 30);          a call at site 1 from 20 to 30 ns ...
 *     write_send(&w, 1, 7);                           ... that sent to rank 1 with tag 7
 *     writer_close(&w);
 */
#ifndef WS_TESTS_TRACE_STREAM_WRITER_H
#define WS_TESTS_TRACE_STREAM_WRITER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "stream_encoder.h"
#include "trace/trace.h"
#include "util/file.h"

#define UNUSED __attribute__((unused))
#define IDENTITY(index) (1000 + (index)) /* of the communicators and windows that processes define */

/* ---- the schema ---- */

struct field_row {
    const char *name;
    enum ws_format format;
    const char *final;
    bool is_constant;
    int64_t constant;
};
struct record_row {
    const char *name, *type;
    enum ws_role role;
    struct field_row fields[8];
};
struct type_row {
    const char *name;
    struct {
        const char *name;
        enum ws_type type;
    } params[7];
    const char *number_by[4]; /* its number is called n */
    const char *of;
    int plus;
};

static const char *const test_functions[] = {
    "MPI_Send",  "MPI_Recv",  "MPI_Isend",     "MPI_Irecv",   "MPI_Wait",      "MPI_Waitall",
    "MPI_Start", "MPI_Probe", "MPI_Send_init", "MPI_Mprobe",  "MPI_Imrecv",    "MPI_Request_free",
    "MPI_Put",   "MPI_Note",  "MPI_Recv_init", "MPI_Barrier", "MPI_Win_start",
};

static const struct type_row test_types[] = {
    {"send",
     {{"peer", WS_TYPE_INTEGER},
      {"tag", WS_TYPE_INTEGER},
      {"comm", WS_TYPE_INTEGER},
      {"bytes", WS_TYPE_INTEGER}},
     {"peer", "tag", "comm"},
     NULL,
     0},
    {"recv",
     {{"peer", WS_TYPE_INTEGER},
      {"tag", WS_TYPE_INTEGER},
      {"comm", WS_TYPE_INTEGER},
      {"bytes", WS_TYPE_INTEGER}},
     {"peer", "tag", "comm"},
     NULL,
     0},
    {"probe",
     {{"peer", WS_TYPE_INTEGER}, {"tag", WS_TYPE_INTEGER}, {"comm", WS_TYPE_INTEGER}},
     {"peer", "tag", "comm"},
     "recv",
     1},
    {"barrier", {{"comm", WS_TYPE_INTEGER}, {"size", WS_TYPE_INTEGER}}, {"comm"}, NULL, 0},
    {"start", {{"window", WS_TYPE_INTEGER}, {"target", WS_TYPE_INTEGER}}, {"window", "target"}, NULL, 0},
    {"rma", {{"window", WS_TYPE_INTEGER}, {"target", WS_TYPE_INTEGER}}, {"window", "target"}, "start", 0},
    {"note",
     {{"text", WS_TYPE_STRING},
      {"value", WS_TYPE_REAL},
      {"at", WS_TYPE_TIME},
      {"flag", WS_TYPE_BOOLEAN},
      {"big", WS_TYPE_INTEGER},
      {"sort", WS_TYPE_INTEGER}},
     {NULL},
     NULL,
     0},
};

#define SEND_FIELDS                                                                                          \
    {.name = "peer", .format = WS_FORMAT_RANK}, {.name = "tag", .format = WS_FORMAT_INT},                    \
        {.name = "comm", .format = WS_FORMAT_COMM},                                                          \
    {                                                                                                        \
        .name = "bytes", .format = WS_FORMAT_BYTES                                                           \
    }
#define RECV_FIELDS                                                                                          \
    {.name = "peer", .format = WS_FORMAT_RANK, .final = "source"},                                           \
        {.name = "tag", .format = WS_FORMAT_INT, .final = "tag"},                                            \
        {.name = "comm", .format = WS_FORMAT_COMM},                                                          \
    {                                                                                                        \
        .name = "bytes", .format = WS_FORMAT_BYTES, .final = "bytes"                                         \
    }
#define REQUEST_FIELD                                                                                        \
    {                                                                                                        \
        .name = "request", .format = WS_FORMAT_REQUEST                                                       \
    }

enum test_record {
    SEND,
    SEND_START,
    SEND_INIT,
    RECV,
    RECV_START,
    RECV_INIT,
    RESTART,
    COMPLETION,
    AS_STARTED,
    FREE,
    CONTINUE,
    PROBE,
    BARRIER,
    START,
    RMA,
    NOTE,
    TAGGED
};
static const struct record_row test_records[] = {
    [SEND] = {"send", "send", WS_ROLE_PLAIN, {SEND_FIELDS}},
    [SEND_START] = {"send_start", "send", WS_ROLE_START, {SEND_FIELDS, REQUEST_FIELD}},
    [SEND_INIT] = {"send_init", "send", WS_ROLE_INIT, {SEND_FIELDS, REQUEST_FIELD}},
    [RECV] = {"recv", "recv", WS_ROLE_PLAIN, {SEND_FIELDS}},
    [RECV_START] = {"recv_start", "recv", WS_ROLE_START, {RECV_FIELDS, REQUEST_FIELD}},
    [RECV_INIT] = {"recv_init", "recv", WS_ROLE_INIT, {RECV_FIELDS, REQUEST_FIELD}},
    [RESTART] = {"restart", NULL, WS_ROLE_RESTART, {REQUEST_FIELD}},
    [COMPLETION] = {"completion",
                    NULL,
                    WS_ROLE_COMPLETE,
                    {REQUEST_FIELD,
                     {.name = "source", .format = WS_FORMAT_COMM_RANK},
                     {.name = "tag", .format = WS_FORMAT_INT},
                     {.name = "bytes", .format = WS_FORMAT_BYTES},
                     {.name = "cancelled", .format = WS_FORMAT_BOOL}}},
    [AS_STARTED] = {"completion_as_started", NULL, WS_ROLE_COMPLETE, {REQUEST_FIELD}},
    [FREE] = {"free", NULL, WS_ROLE_FREE, {REQUEST_FIELD}},
    [CONTINUE] = {"continue",
                  NULL,
                  WS_ROLE_CONTINUE,
                  {{.name = "from", .format = WS_FORMAT_REQUEST}, REQUEST_FIELD}},
    [PROBE] = {"probe",
               "probe",
               WS_ROLE_PLAIN,
               {{.name = "peer", .format = WS_FORMAT_RANK},
                {.name = "tag", .format = WS_FORMAT_INT},
                {.name = "comm", .format = WS_FORMAT_COMM}}},
    [BARRIER] = {"barrier",
                 "barrier",
                 WS_ROLE_PLAIN,
                 {{.name = "comm", .format = WS_FORMAT_COMM}, {.name = "size", .format = WS_FORMAT_UINT}}},
    [START] = {"start",
               "start",
               WS_ROLE_PLAIN,
               {{.name = "window", .format = WS_FORMAT_WINDOW},
                {.name = "target", .format = WS_FORMAT_RANK}}},
    [RMA] = {"rma",
             "rma",
             WS_ROLE_PLAIN,
             {{.name = "window", .format = WS_FORMAT_WINDOW}, {.name = "target", .format = WS_FORMAT_RANK}}},
    [NOTE] = {"note",
              "note",
              WS_ROLE_PLAIN,
              {{.name = "text", .format = WS_FORMAT_STRING},
               {.name = "value", .format = WS_FORMAT_REAL},
               {.name = "at", .format = WS_FORMAT_TIME},
               {.name = "flag", .format = WS_FORMAT_BOOL},
               {.name = "big", .format = WS_FORMAT_LONG},
               {.name = "sort", .format = WS_FORMAT_INT, .is_constant = true, .constant = -42}}},
    [TAGGED] = {"completion_of_7",
                NULL,
                WS_ROLE_COMPLETE,
                {REQUEST_FIELD,
                 {.name = "source", .format = WS_FORMAT_COMM_RANK},
                 {.name = "tag", .format = WS_FORMAT_INT, .is_constant = true, .constant = 7},
                 {.name = "bytes", .format = WS_FORMAT_BYTES}}},
};
enum test_type { T_SEND, T_RECV, T_PROBE, T_BARRIER, T_START, T_RMA, T_NOTE };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void fill_type(struct ws_schema *schema, struct ws_schema_type *type, const struct type_row *row)
{
    type->name = row->name;
    type->params = ws_arena_alloc(&schema->arena, sizeof(char *) * 8);
    type->param_types = ws_arena_alloc(&schema->arena, sizeof(enum ws_type) * 8);
    for (; row->params[type->param_count].name; type->param_count++) {
        type->params[type->param_count] = row->params[type->param_count].name;
        type->param_types[type->param_count] = row->params[type->param_count].type;
    }
    if (!row->number_by[0])
        return;
    type->number_count = 1;
    type->numbers = ws_arena_alloc(&schema->arena, sizeof *type->numbers);
    *type->numbers = (struct ws_schema_number){.name = "n", .of = row->of, .plus = row->plus};
    type->numbers->by = ws_arena_alloc(&schema->arena, sizeof(char *) * 4);
    for (; row->number_by[type->numbers->by_count]; type->numbers->by_count++)
        type->numbers->by[type->numbers->by_count] = row->number_by[type->numbers->by_count];
}

static void fill_record(struct ws_schema *schema, struct ws_record *record, const struct record_row *row)
{
    record->name = row->name;
    record->role = row->role;
    record->type = -1;
    for (size_t t = 0; row->type && t < schema->type_count; t++)
        if (strcmp(row->type, schema->types[t].name) == 0)
            record->type = (int)t;
    record->fields = ws_arena_alloc(&schema->arena, sizeof *record->fields * 8);
    for (; record->field_count < 8 && row->fields[record->field_count].name; record->field_count++)
        record->fields[record->field_count] = (struct ws_field){
            .name = row->fields[record->field_count].name,
            .format = row->fields[record->field_count].format,
            .final = -1,
            .final_name = row->fields[record->field_count].final,
            .is_constant = row->fields[record->field_count].is_constant,
            .constant = row->fields[record->field_count].constant,
        };
}

/* Free by ws_schema_free. */
static UNUSED struct ws_schema test_schema(void)
{
    struct ws_schema schema = {.runtime = "mpi",
                               .type_count = COUNT(test_types),
                               .record_count = COUNT(test_records),
                               .function_count = COUNT(test_functions)};

    schema.functions = ws_arena_alloc(&schema.arena, sizeof test_functions);
    memcpy(schema.functions, test_functions, sizeof test_functions);
    schema.types = ws_arena_alloc(&schema.arena, schema.type_count * sizeof *schema.types);
    for (size_t i = 0; i < schema.type_count; i++)
        fill_type(&schema, &schema.types[i], &test_types[i]);
    schema.records = ws_arena_alloc(&schema.arena, schema.record_count * sizeof *schema.records);
    for (size_t i = 0; i < schema.record_count; i++)
        fill_record(&schema, &schema.records[i], &test_records[i]);
    return schema;
}

/* ---- folders ---- */

/* A new trace without streams in a new folder; its path is in a static buffer. */
static UNUSED const char *test_trace(void)
{
    static char path[256];
    struct ws_schema schema = test_schema();
    struct ws_error error;

    snprintf(path, sizeof path, "%s/whyslow-test-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(path));
    if (ws_trace_create(path, &schema, &error) != 0)
        fail_msg("%s", error.text);
    ws_schema_free(&schema);
    return path;
}

static UNUSED void remove_folder(const char *path)
{
    char **names = ws_folder_names(path, "", NULL), full[1024];

    for (size_t i = 0; names && names[i]; i++) {
        snprintf(full, sizeof full, "%s/%s", path, names[i]);
        if (ws_is_folder(full))
            remove_folder(full);
        else
            unlink(full);
    }
    ws_names_free(names);
    rmdir(path);
}

static UNUSED const char *dir; /* of the test that runs */

static UNUSED int set_up(void **state)
{
    (void)state;
    dir = test_trace();
    return 0;
}

static UNUSED int tear_down(void **state)
{
    (void)state;
    remove_folder(dir);
    return 0;
}

/* ---- streams ---- */

/* A place in the code; one for each function that is called there is what the stream defines. */
struct writer_site {
    uint32_t site;
    uint16_t function;
    uint64_t offset;
    char module[256];
    uint32_t id; /* in the stream; 0: not defined yet */
};
struct writer {
    char path[512];
    struct ws_schema *schema;
    struct encoder e;
    struct writer_site sites[32];
    size_t site_count;
    uint32_t next_id;
};

static UNUSED struct writer writer_open(const char *directory, uint32_t rank, uint32_t thread)
{
    struct writer w = {.schema = malloc(sizeof *w.schema)};
    uint8_t uuid[16];

    assert_int_equal(ws_schema_read(directory, w.schema, NULL), 0);
    snprintf(w.path, sizeof w.path, "%s/ctf/rank-%u.thread-%u", directory, rank, thread);
    for (size_t i = 0, at = 0; i < 16; i++, at += 2) {
        at += w.schema->uuid[at] == '-';
        uuid[i] = (uint8_t)strtoul((char[]){w.schema->uuid[at], w.schema->uuid[at + 1], 0}, NULL, 16);
    }
    w.e = encoder_new(w.schema, uuid, rank, thread);
    w.next_id = (uint32_t)w.schema->function_count;
    return w;
}

/* Writes the file. */
static UNUSED void writer_close(struct writer *w)
{
    struct ws_error error;

    encoder_finish(&w->e);
    if (ws_file_write(w->path, (char *)w->e.bytes, w->e.length, &error) != 0)
        fail_msg("%s", error.text);
    free(w->e.bytes);
    w->e.bytes = NULL;
    ws_schema_free(w->schema);
    free(w->schema);
}

static void write_built_in(struct writer *w, enum ws_record_id id, uint64_t ns, const void *fields,
                           size_t size)
{
    encode_built_in(&w->e, id, ns, fields, size);
}

static void write_record(struct writer *w, enum test_record kind, const void *fields, size_t size)
{
    encode_record(&w->e, kind, fields, size);
}

static size_t append(char *at, const char *text)
{
    strcpy(at, text);
    return strlen(text) + 1;
}

static UNUSED void write_begin_on(struct writer *w, uint64_t ns, uint32_t size, const char *host)
{
    char fields[512];
    uint32_t pid = 1000 + w->e.header.rank;
    uint64_t cost_ps = 50000;
    size_t length = 16;

    memcpy(fields, &pid, 4);
    memcpy(fields + 4, &size, 4);
    memcpy(fields + 8, &cost_ps, 8);
    length += append(fields + length, host);
    length += append(fields + length, "Test MPI 1.0");
    length += append(fields + length, "/opt/app");
    write_built_in(w, WS_RECORD_BEGIN, ns, fields, length);
}

static UNUSED void write_begin(struct writer *w, uint64_t ns, uint32_t size)
{
    write_begin_on(w, ns, size, "node0");
}

static UNUSED void write_end(struct writer *w, uint64_t ns)
{
    uint64_t flush_ns = 7;
    write_built_in(w, WS_RECORD_END, ns, &flush_ns, sizeof flush_ns);
}

static void write_definition(struct writer *w, uint64_t ns, const struct writer_site *site)
{
    char fields[512];

    memcpy(fields, &site->id, 4);
    memcpy(fields + 4, &site->function, 2);
    memcpy(fields + 6, &site->offset, 8);
    write_built_in(w, WS_RECORD_SITE, ns, fields, 14 + append(fields + 14, site->module));
}

/* Calls may name this place from now on; what the stream defines are the functions called there. */
static UNUSED void write_site(struct writer *w, uint64_t ns, uint32_t site, uint64_t offset,
                              const char *module)
{
    struct writer_site *made = &w->sites[w->site_count++];

    (void)ns;
    *made = (struct writer_site){.site = site, .offset = offset};
    strcpy(made->module, module);
}

/* The stream's number for a function called at a site: defined now, if it was not yet. */
static uint32_t site_id(struct writer *w, uint32_t site, uint16_t function)
{
    struct writer_site *found = NULL;

    if (site == 0)
        return function;
    for (size_t i = 0; i < w->site_count; i++) {
        if (w->sites[i].site != site)
            continue;
        found = &w->sites[i];
        if (found->id && found->function == function)
            return found->id;
    }
    if (!found)
        return w->next_id + 1000; /* never defined */
    if (found->id) {
        w->sites[w->site_count] = *found;
        found = &w->sites[w->site_count++];
    }
    found->function = function;
    found->id = w->next_id++;
    write_definition(w, w->e.last_ns, found);
    return found->id;
}

/* A part of it. */
static UNUSED void write_comm_from(struct writer *w, uint64_t ns, uint32_t comm, uint32_t first, uint32_t size,
                                   const int32_t *ranks)
{
    uint32_t fields[4 + 2 * WS_COMM_PART] = {comm, IDENTITY(comm), first, size};

    memcpy(fields + 4, ranks, size * sizeof *ranks);
    write_built_in(w, WS_RECORD_COMM, ns, fields, (4 + size) * sizeof *fields);
}

static UNUSED void write_comm(struct writer *w, uint64_t ns, uint32_t comm, uint32_t size,
                              const int32_t *ranks)
{
    write_comm_from(w, ns, comm, 0, size, ranks);
}

/* Whose clock it is, and the time of day at this moment. */
static UNUSED void write_clock(struct writer *w, uint64_t ns, uint64_t domain, uint64_t wall_ns)
{
    struct ws_record_clock clock = {.domain = domain, .kernel_ns = ns, .wall_ns = wall_ns};

    write_built_in(w, WS_RECORD_CLOCK, ns, &clock, sizeof clock);
}

static UNUSED void write_offset(struct writer *w, uint64_t ns, int64_t offset_ns, uint64_t bound_ns)
{
    struct ws_record_offset offset = {ns, offset_ns, bound_ns};

    write_built_in(w, WS_RECORD_OFFSET, ns, &offset, sizeof offset);
}

static UNUSED void write_window(struct writer *w, uint64_t ns, uint32_t window, uint32_t comm)
{
    write_built_in(w, WS_RECORD_WINDOW, ns, (uint32_t[]){window, IDENTITY(window), comm}, 12);
}

/* The call that the next records belong to. */
static UNUSED void write_call(struct writer *w, const char *function, uint32_t site, uint64_t t, uint64_t end)
{
    uint16_t index = 0;

    while (strcmp(test_functions[index], function) != 0)
        index++;
    encode_call(&w->e, site_id(w, site, index), t, end);
}

struct __attribute__((packed)) message_fields {
    int32_t peer, tag;
    uint32_t comm;
    uint64_t bytes, request;
};

static void write_message(struct writer *w, enum test_record kind, int32_t peer, int32_t tag, uint32_t comm,
                          uint64_t request)
{
    struct message_fields fields = {peer, tag, comm, 8, request};
    size_t size = kind == SEND || kind == RECV ? offsetof(struct message_fields, request) : sizeof fields;
    write_record(w, kind, &fields, size);
}

static UNUSED void write_send(struct writer *w, int32_t peer, int32_t tag)
{
    write_message(w, SEND, peer, tag, WS_COMM_WORLD_ID, 0);
}

static UNUSED void write_recv(struct writer *w, int32_t peer, int32_t tag)
{
    write_message(w, RECV, peer, tag, WS_COMM_WORLD_ID, 0);
}

static UNUSED void write_completion(struct writer *w, uint64_t request, int32_t source, int32_t tag,
                                    int cancelled)
{
    struct __attribute__((packed)) {
        uint64_t request;
        int32_t source, tag;
        uint64_t bytes;
        uint8_t cancelled;
    } fields = {request, source, tag, 16, (uint8_t)cancelled};
    write_record(w, COMPLETION, &fields, sizeof fields);
}

static UNUSED void write_handle(struct writer *w, enum test_record kind, uint64_t request)
{
    write_record(w, kind, &request, sizeof request);
}

static UNUSED void write_continue(struct writer *w, uint64_t from, uint64_t request)
{
    write_record(w, CONTINUE, (uint64_t[]){from, request}, 16);
}

static UNUSED void write_words(struct writer *w, enum test_record kind, uint32_t a, uint32_t b, uint32_t c)
{
    write_record(w, kind, (uint32_t[]){a, b, c}, kind == PROBE ? 12 : 8);
}

static UNUSED void write_note(struct writer *w, const char *text, double value, int64_t at, uint8_t flag,
                              int64_t big)
{
    char fields[2048];
    size_t size = append(fields, text);

    memcpy(fields + size, &value, 8);
    memcpy(fields + size + 8, &at, 8);
    memcpy(fields + size + 16, &flag, 1);
    memcpy(fields + size + 17, &big, 8);
    write_record(w, NOTE, fields, size + 25);
}

/* ---- reading ---- */

#define PARAM(event, index) ((event)->value[WS_ATTR_COUNT + (index)])
#define ATTR(event, name) ((event)->value[WS_ATTR_##name])
#define NUMBER(event) PARAM(event, (event)->type == T_PROBE ? 3 : (event)->type == T_BARRIER ? 1 : 4).i

struct reading {
    struct ws_trace *trace;
    struct ws_event **events;
    size_t count, capacity;
};

/* All events of a trace, by the schema of the tests. */
static UNUSED struct reading read_trace(const char *directory)
{
    struct ws_schema schema = test_schema();
    struct ws_error error = {0};
    struct reading reading = {0};
    const struct ws_event *event;

    reading.trace = ws_trace_open(directory, &schema, &error);
    if (!reading.trace)
        fail_msg("%s", error.text);
    while (ws_trace_next(reading.trace, &event, &error) == 1) {
        const struct ws_schema_type *type = &schema.types[event->type];
        size_t slots = WS_ATTR_COUNT + type->param_count + type->number_count;
        size_t size = sizeof *event + slots * sizeof *event->value;
        WS_PUSH(reading.events, reading.count, reading.capacity) = memcpy(ws_alloc(size), event, size);
    }
    ws_schema_free(&schema);
    return reading;
}

static UNUSED void reading_free(struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        free(reading->events[i]);
    free(reading->events);
    ws_trace_close(reading->trace);
}

/* The warning that holds these words, or NULL. */
static UNUSED const char *find_warning(const struct ws_trace *trace, const char *words)
{
    size_t count;
    const char *const *list = ws_trace_warnings(trace, &count);

    for (size_t i = 0; i < count; i++)
        if (strstr(list[i], words))
            return list[i];
    return NULL;
}

#endif
