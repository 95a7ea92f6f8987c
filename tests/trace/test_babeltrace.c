/* Any reader of the Common Trace Format reads our traces: babeltrace2 takes the trace's folder as it is,
 * warns of nothing, and sees the same records with the same values as our own reader. */
#include "stream_writer.h"

#include "trace/run.h"
#include "trace/stream.h"
#include "util/text.h"

/* ---- our reader, in babeltrace2's words ---- */

static void print_field(const struct ws_cursor *cursor, size_t i, const char *comma, struct ws_text *out)
{
    const struct ws_field *field = &cursor->record->record->fields[i];
    union ws_value value = cursor->value[i];

    ws_text_printf(out, "%s%s = ", comma, field->name);
    if (field->format == WS_FORMAT_STRING)
        ws_text_printf(out, "\"%s\"", value.s);
    else if (field->format == WS_FORMAT_REAL)
        ws_text_printf(out, "%g", value.r);
    else if (field->format == WS_FORMAT_REQUEST && cursor->id != WS_FULL_ID)
        ws_text_printf(out, "%u", (uint32_t)value.i); /* the other half is the packet's */
    else
        ws_text_printf(out, "%lld", (long long)value.i);
}

static void print_built_in(const struct ws_cursor *cursor, struct ws_text *out)
{
    struct ws_site_definition site;
    struct ws_comm_definition comm;
    struct ws_begin begin;

    switch (cursor->id) {
    case WS_RECORD_BEGIN:
        ws_cursor_begin(cursor, &begin);
        ws_text_printf(out,
                       "pid = %u, size = %u, call_cost_ps = %llu, host = \"%s\", library = \"%s\", "
                       "executable = \"%s\"",
                       begin.pid, begin.size, (unsigned long long)begin.call_cost_ps, begin.host,
                       begin.library, begin.executable);
        break;
    case WS_RECORD_END:
        ws_text_printf(out, "flush_ns = %llu", (unsigned long long)ws_cursor_flush_ns(cursor));
        break;
    case WS_RECORD_SITE:
        ws_cursor_site(cursor, &site);
        ws_text_printf(out,
                       "site = %u, function = ( \"%s\" : container = %u ), offset = %llu, module = \"%s\"",
                       site.site, test_functions[site.function], site.function,
                       (unsigned long long)site.offset, site.module);
        break;
    case WS_RECORD_COMM:
        ws_cursor_comm(cursor, &comm);
        ws_text_printf(out, "comm = %u, identity = %u, first = %u, size = %u, ranks = [", comm.index,
                       comm.identity, comm.first, comm.size);
        for (uint32_t i = 0; i < comm.size; i++) {
            int32_t rank;
            memcpy(&rank, comm.ranks + 4 * i, 4);
            ws_text_printf(out, "%s [%u] = %d", i ? "," : "", i, rank);
        }
        ws_text_puts(out, " ]");
        break;
    default:
        ws_cursor_comm(cursor, &comm);
        ws_text_printf(out, "window = %u, identity = %u, comm = %u", comm.index, comm.identity, comm.comm);
        break;
    }
}

static uint64_t forms[WS_FORM_FULL + 1]; /* how many records of each were compared */

static enum ws_form form_of(const struct ws_cursor *cursor)
{
    size_t shorts = WS_SHORT_KINDS(cursor->binding->record_count);

    if (!cursor->record || cursor->id == WS_FULL_ID)
        return cursor->record ? WS_FORM_FULL : WS_FORM_BUILT_IN;
    return WS_FORM_TIGHT + (enum ws_form)((cursor->id - WS_FIRST_SHORT) / shorts);
}

static void print_record(const struct ws_cursor *cursor, struct ws_text *out)
{
    static const char *const built_in[] = {"process_begin", "process_end", "define_site", "define_comm",
                                           "define_window"};
    enum ws_form form = form_of(cursor);
    const char *comma = "";

    forms[form]++;
    ws_text_printf(out, "[%lld.%09lld] %s: { calls = %llu, rank = %u, thread = %u, request_high = %u }, ",
                   (long long)cursor->end_ns / 1000000000, (long long)cursor->end_ns % 1000000000,
                   cursor->record ? cursor->record->record->name : built_in[cursor->id],
                   (unsigned long long)cursor->calls, cursor->stream->rank, cursor->stream->thread,
                   cursor->request_high);
    if (form == WS_FORM_TIGHT || form == WS_FORM_COMPACT || form == WS_FORM_FULL)
        ws_text_printf(out, "{ duration = %lld, site = %u", (long long)(cursor->end_ns - cursor->t_ns),
                       cursor->site);
    if (form == WS_FORM_FULL)
        ws_text_printf(out, ", follows = %d", cursor->follows);
    ws_text_puts(out, form == WS_FORM_MORE || form == WS_FORM_BUILT_IN ? "{ " : " }, { ");
    for (size_t i = 0; cursor->record && i < cursor->record->record->field_count; i++) {
        if (cursor->record->record->fields[i].is_constant)
            continue;
        print_field(cursor, i, comma, out);
        comma = ", ";
    }
    if (!cursor->record)
        print_built_in(cursor, out);
    ws_text_puts(out, " }\n");
}

/* All records of one stream. */
static char *our_lines(uint32_t rank, uint32_t thread)
{
    struct ws_schema want = test_schema(), schema;
    struct ws_stream stream;
    struct ws_text out = {0};
    struct ws_cursor cursor = {.stream = &stream};
    struct ws_binding binding;
    uint8_t uuid[16];
    char path[512];

    assert_int_equal(ws_schema_read(dir, &schema, NULL), 0);
    assert_int_equal(ws_binding_make(&binding, &schema, &want, NULL), 0);
    snprintf(path, sizeof path, "%s/ctf/rank-%u.thread-%u", dir, rank, thread);
    struct writer w = writer_open(dir, rank, thread);
    memcpy(uuid, w.e.header.uuid, sizeof uuid);
    ws_schema_free(w.schema);
    free(w.schema);
    assert_int_equal(ws_stream_open(&stream, path, rank, thread, uuid, false, NULL), 0);
    cursor.binding = &binding;
    while (ws_cursor_next(&cursor, WS_READ_VALUES))
        print_record(&cursor, &out);
    assert_null(cursor.damage);
    ws_stream_close(&stream);
    ws_binding_free(&binding);
    ws_schema_free(&schema);
    ws_schema_free(&want);
    return out.bytes;
}

/* ---- babeltrace2 ---- */

static char *output_of(const char *command, int *status)
{
    FILE *pipe = popen(command, "r");
    struct ws_text out = {0};
    char chunk[4096];
    size_t got;

    assert_non_null(pipe);
    while ((got = fread(chunk, 1, sizeof chunk, pipe)) > 0)
        ws_text_add(&out, chunk, got);
    *status = pclose(pipe);
    return out.bytes ? out.bytes : ws_strdup("");
}

/* Its lines of one stream, without the difference to the line before. */
static char *lines_of(const char *all, uint32_t rank, uint32_t thread)
{
    struct ws_text out = {0};
    char mark[64];

    snprintf(mark, sizeof mark, ", rank = %u, thread = %u, ", rank, thread);
    for (const char *line = all, *end; *line; line = end + 1) {
        const char *delta = strstr(line, " (+"), *after = strstr(line, ") "), *found = strstr(line, mark);
        end = strchr(line, '\n');
        assert_non_null(end);
        if (!found || found > end || !delta || !after)
            continue;
        ws_text_add(&out, line, (size_t)(delta - line));
        ws_text_add(&out, after + 1, (size_t)(end - after));
    }
    return out.bytes ? out.bytes : ws_strdup("");
}

static void compare(size_t streams, const uint32_t (*stream)[2], uint64_t records)
{
    char command[512], *text, *mine, *theirs;
    uint64_t lines = 0;
    int status;

    snprintf(command, sizeof command, "babeltrace2 --clock-seconds --clock-gmt %s 2>&1 >/dev/null", dir);
    text = output_of(command, &status);
    assert_string_equal(text, ""); /* no word on its standard error */
    assert_int_equal(status, 0);
    free(text);
    snprintf(command, sizeof command, "babeltrace2 --clock-seconds --clock-gmt %s 2>/dev/null", dir);
    text = output_of(command, &status);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, records);
    for (size_t i = 0; i < streams; i++) {
        mine = our_lines(stream[i][0], stream[i][1]);
        theirs = lines_of(text, stream[i][0], stream[i][1]);
        assert_string_equal(theirs, mine);
        free(mine);
        free(theirs);
    }
    free(text);
}

static bool is_installed(void)
{
    int status;
    free(output_of("babeltrace2 --version 2>&1", &status));
    return status == 0;
}

/* Every kind of record, several packets, two ranks and a second thread; beside trace.json and run.json. */
static void babeltrace_reads_what_we_read(void **state)
{
    struct ws_run run = {.command = "mpirun ./a"};
    uint64_t records = 0;
    static const uint32_t streams[][2] = {{0, 0}, {0, 1}, {1, 0}};

    (void)state;
    if (!is_installed())
        skip();
    assert_int_equal(ws_run_write(dir, &run, NULL), 0);
    for (size_t i = 0; i < COUNT(streams); i++) {
        struct writer w = writer_open(dir, streams[i][0], streams[i][1]);
        w.e.packet_bytes = i == 1 ? WS_PACKET_BYTES : 512;
        if (streams[i][1] == 0)
            write_begin(&w, 1000000000, 2);
        write_site(&w, 1000000110, 1, 0x1000, "/a module");
        write_comm(&w, 1000000115, 9, 2, (const int32_t[]){1, 0});
        write_window(&w, 1000000116, 5, 9);
        for (uint64_t t = 1000000120 + i; t < 1000009000; t += 1000) {
            write_call(&w, "MPI_Note", 1, t, t + 10);
            write_note(&w, t % 2 ? "odd" : "even", -0.25, -77, 1, INT64_MIN);
            write_call(&w, "MPI_Send", 1, t + 15, t + 20);
            write_send(&w, 1, -3);
            write_call(&w, "MPI_Irecv", 1, t + 20, t + 30);
            write_message(&w, RECV_START, -2, -1, 9, 0x7ffff7a0b0c0);
            write_call(&w, "MPI_Send_init", 1, t + 31, t + 32);
            write_message(&w, SEND_INIT, 1, 7, 9, 0xB0);
            write_call(&w, "MPI_Start", 1, t + 40, t + 41);
            write_handle(&w, RESTART, 0xB0);
            write_call(&w, "MPI_Waitall", 1, t + 60, t + 200);
            write_completion(&w, 0x7ffff7a0b0c0, 0, 7, 0);
            write_completion(&w, 0xB0, 0, 7, 1);
            write_call(&w, "MPI_Probe", 1, t + 210, t + 220);
            write_words(&w, PROBE, 1, 7, 1);
            write_call(&w, "MPI_Imrecv", 1, t + 241, t + 242);
            write_continue(&w, 0x1, 0xA0);
            write_call(&w, "MPI_Request_free", 1, t + 250, t + 260);
            write_handle(&w, FREE, 0xA0);
            write_call(&w, "MPI_Wait", 1, t + 262, t + 264);
            write_handle(&w, AS_STARTED, 0x7ffff7a0b0c4);
            write_call(&w, "MPI_Put", 1, t + 265, t + 270);
            write_words(&w, RMA, 5, 1, 0);
        }
        write_call(&w, "MPI_Put", 1, 1000009000, 1000009000 + 70000);
        write_words(&w, RMA, 5, 1, 0);
        write_call(&w, "MPI_Put", 1, 1000009000, 1000009000 + (1 << 25));
        write_words(&w, RMA, 5, 1, 0);
        write_end(&w, 1100000000);
        records += w.e.records;
        writer_close(&w);
    }
    compare(COUNT(streams), streams, records);
    for (size_t i = 0; i < COUNT(forms); i++)
        assert_true(forms[i] >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(babeltrace_reads_what_we_read, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
