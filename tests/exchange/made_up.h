/* Made-up traces of MPI programs, by the shipped rules: what the recorder would write of calls that are
 * listed here.
 *
 *     made_begin();
 *     made_place(0, 2);                                  rank 0 of 2
 *     made_call("MPI_Send", "send", 100, (int64_t[]){1, 7, WS_COMM_WORLD_ID, 64});
 *     made_end();                                        its values: the fields of the record but the
 * constants struct ws_exchange exchange = made_read(&options); made_finish(&exchange); */
#ifndef WS_TESTS_EXCHANGE_MADE_UP_H
#define WS_TESTS_EXCHANGE_MADE_UP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "../trace/stream_encoder.h"
#include "exchange/rows.h"
#include "tracegen/internal.h"
#include "util/file.h"

#define UNUSED __attribute__((unused))

static struct {
    struct ws_kb kb;
    struct ws_schema schema;
    char folder[64];
    struct encoder e;
    uint64_t now_ns;
    bool broken; /* the stream ends without an end */
} made;

static UNUSED void made_begin(void)
{
    struct ws_error error;

    if (ws_kb_load(&made.kb, SOURCE_DIR "/kb/mpi", NULL, 0, NULL, &error) != 0 ||
        ws_schema_from_kb(&made.kb, &made.schema, &error) != 0)
        fail_msg("%s", error.text);
    strcpy(made.folder, "/tmp/whyslow-test-exchange-XXXXXX");
    assert_non_null(mkdtemp(made.folder));
    if (ws_trace_create(made.folder, &made.schema, &error) != 0)
        fail_msg("%s", error.text);
}

static UNUSED void made_place_on(uint32_t rank, uint32_t size, const char *host)
{
    unsigned char fields[256] = {0};
    uint64_t cost_ps = 50000;
    uint8_t uuid[16];
    size_t length;

    for (size_t i = 0, at = 0; i < 16; i++, at += 2) {
        at += made.schema.uuid[at] == '-';
        uuid[i] = (uint8_t)strtoul((char[]){made.schema.uuid[at], made.schema.uuid[at + 1], 0}, NULL, 16);
    }
    made.e = encoder_new(&made.schema, uuid, rank, 0);
    memcpy(fields + 4, &size, 4);
    memcpy(fields + 8, &cost_ps, 8);
    length = 16 + (size_t)sprintf((char *)fields + 16, "%s", host) + 1;
    length += (size_t)sprintf((char *)fields + length, "Test MPI 1.0") + 1;
    length += (size_t)sprintf((char *)fields + length, "/opt/app") + 1;
    encode_built_in(&made.e, WS_RECORD_BEGIN, 1000, fields, length);
    made.now_ns = 1000;
}

static UNUSED void made_place(uint32_t rank, uint32_t size)
{
    made_place_on(rank, size, "node0");
}

/* A communicator that this place knows by this index; -1: a process of another world. */
static UNUSED void made_comm(uint32_t index, uint32_t size, const int32_t *ranks)
{
    uint32_t fields[64] = {index, 1000 + index, 0, size};

    memcpy(fields + 4, ranks, size * sizeof *ranks);
    encode_built_in(&made.e, WS_RECORD_COMM, made.now_ns, fields, (4 + size) * sizeof *fields);
}

static UNUSED void made_control(enum ws_control_what what, uint64_t count, const char *name)
{
    unsigned char fields[64] = {(unsigned char)what};

    memcpy(fields + 1, &count, sizeof count);
    strcpy((char *)fields + 9, name);
    encode_built_in(&made.e, WS_RECORD_CONTROL, made.now_ns, fields, 9 + strlen(name) + 1);
}

/* One more record of the present call. */
static UNUSED void made_record(const char *function, const char *type, const int64_t *values)
{
    const struct ws_trace_rule *rule = ws_type_rule_of(&made.kb, ws_kb_type(&made.kb, type), function);
    size_t kind, length = 0;
    const struct ws_record *record;
    unsigned char fields[512];

    assert_non_null(rule);
    kind = ws_tracegen_record(&made.schema, rule);
    record = &made.schema.records[kind];
    for (size_t i = 0; i < record->field_count; i++) {
        unsigned bytes = ws_formats[record->fields[i].format].size_bytes;
        if (record->fields[i].is_constant)
            continue;
        memcpy(fields + length, values++, bytes);
        length += bytes;
    }
    encode_record(&made.e, kind, fields, length);
}

/* A call of 10 ns that begins `later_ns` after the one before. */
static UNUSED void made_call(const char *function, const char *type, uint64_t later_ns, const int64_t *values)
{
    made.now_ns += later_ns + 10;
    encode_call(&made.e, (uint32_t)ws_tracegen_function(&made.schema, function), made.now_ns - 10,
                made.now_ns);
    made_record(function, type, values);
}

static UNUSED void made_end_at(uint64_t end_ns)
{
    uint64_t flush_ns = 0;
    char path[128];

    if (!made.broken)
        encode_built_in(&made.e, WS_RECORD_END, end_ns, &flush_ns, sizeof flush_ns);
    encoder_finish(&made.e);
    snprintf(path, sizeof path, "%s/ctf/rank-%u.thread-0", made.folder, made.e.header.rank);
    assert_int_equal(ws_file_write(path, (char *)made.e.bytes, made.e.length, NULL), 0);
    free(made.e.bytes);
}

static UNUSED void made_end(void)
{
    made_end_at(made.now_ns + 10);
}

static UNUSED struct ws_exchange made_read(const struct ws_exchange_options *options)
{
    static const struct ws_exchange_options none;
    struct ws_exchange exchange;
    struct ws_error error;

    if (ws_exchange_read(made.folder, &made.kb, options ? options : &none, &exchange, &error) != 0)
        fail_msg("%s", error.text);
    return exchange;
}

static UNUSED void made_remove(const char *path)
{
    char **names = ws_folder_names(path, "", NULL), full[512];

    for (size_t i = 0; names && names[i]; i++) {
        snprintf(full, sizeof full, "%s/%s", path, names[i]);
        if (ws_is_folder(full))
            made_remove(full);
        else
            unlink(full);
    }
    ws_names_free(names);
    rmdir(path);
}

static UNUSED void made_finish(struct ws_exchange *exchange)
{
    ws_exchange_free(exchange);
    made_remove(made.folder);
    ws_schema_free(&made.schema);
    ws_kb_free(&made.kb);
    made.broken = false;
}

#endif
