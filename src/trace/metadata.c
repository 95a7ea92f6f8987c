/* The CTF 1.8 metadata (TSDL) of a trace: what babeltrace2, Trace Compass and Python's bt2 read it by.
 * It states trace/layout.h in CTF's words.  The record header's fields after the time stamp are the
 * stream's event context, since CTF readers drop what they do not know in an event header.  Names of
 * fields get a leading underscore, which readers take off again: so none is a keyword of TSDL. */
#include "trace/layout.h"
#include "trace/schema.h"

static const char preamble[] =
    "/* CTF 1.8 */\n\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
    "typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
    "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
    "typealias integer { size = 64; align = 8; signed = true; } := int64_t;\n"
    "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := double;\n\n";

static const char clock_and_packet[] =
    "clock {\n"
    "    name = \"monotonic\";\n"
    "    description = \"raw monotonic clock of the node\";\n"
    "    freq = 1000000000; /* ns */\n"
    "    offset = 0;\n"
    "};\n\n"
    "typealias integer {\n"
    "    size = 64; align = 8; signed = false; map = clock.monotonic.value;\n"
    "} := timestamp_t;\n\n";

/* Names that a reader may know by the CTF specification come first, without an underscore. */
static const char packet_context[] = "    packet.context := struct {\n"
                                     "        timestamp_t timestamp_begin;\n"
                                     "        timestamp_t timestamp_end;\n"
                                     "        uint64_t content_size;\n"
                                     "        uint64_t packet_size;\n"
                                     "        uint64_t events_discarded;\n"
                                     "        uint32_t rank;\n"
                                     "        uint32_t thread;\n"
                                     "        uint32_t packet_seq_num;\n"
                                     "    };\n"
                                     "    event.header := struct {\n"
                                     "        uint16_t id;\n"
                                     "        timestamp_t timestamp; /* the call's end */\n"
                                     "    };\n";

/* The records of trace/layout.h that every trace has. */
static const struct {
    enum ws_record_id id;
    const char *name, *fields;
} built_in[] = {
    {WS_RECORD_BEGIN, "process_begin",
     "uint32_t _pid; uint32_t _size; uint64_t _call_cost_ps; string _host; string _library; "
     "string _executable;"},
    {WS_RECORD_END, "process_end", "uint64_t _flush_ns;"},
    {WS_RECORD_SITE, "define_site", "uint32_t _site; uint64_t _offset; string _module;"},
    {WS_RECORD_COMM, "define_comm", "uint32_t _comm; uint32_t _size; int32_t _ranks[_size];"},
    {WS_RECORD_WINDOW, "define_window", "uint32_t _window; uint32_t _comm;"},
};

static void add_event_head(struct ws_text *out, const char *name, size_t id)
{
    ws_text_printf(out, "event {\n    name = \"%s\";\n    id = %zu;\n    stream_id = 0;\n", name, id);
}

static void add_built_in(struct ws_text *out)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        add_event_head(out, built_in[i].name, built_in[i].id);
        ws_text_printf(out, "    fields := struct { %s };\n};\n\n", built_in[i].fields);
    }
}

static void add_record(struct ws_text *out, const struct ws_record *record, size_t id)
{
    add_event_head(out, record->name, id);
    ws_text_puts(out, "    fields := struct {\n");
    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_format_info *format = &ws_formats[record->fields[i].format];
        ws_text_printf(out, "        %s _%s;\n", format->size_bytes ? format->c_type : "string",
                       record->fields[i].name);
    }
    ws_text_puts(out, "    };\n};\n\n");
}

static void add_stream(struct ws_text *out, const struct ws_schema *schema)
{
    ws_text_printf(out, "stream {\n    id = 0;\n%s    event.context := struct {\n", packet_context);
    ws_text_puts(out, "        uint64_t _duration;\n        enum : uint16_t {\n");
    for (size_t i = 0; i < schema->function_count; i++)
        ws_text_printf(out, "            \"%s\" = %zu,\n", schema->functions[i], i);
    if (schema->function_count == 0)
        ws_text_puts(out, "            \"none\" = 0,\n");
    ws_text_puts(out,
                 "        } _function;\n        uint32_t _site;\n        uint32_t _call;\n    };\n};\n\n");
}

void ws_schema_metadata(const struct ws_schema *schema, struct ws_text *out)
{
    ws_text_puts(out, preamble);
    ws_text_printf(out,
                   "trace {\n    major = 1;\n    minor = 8;\n    uuid = \"%s\";\n    byte_order = le;\n"
                   "    packet.header := struct {\n        uint32_t magic;\n        uint8_t uuid[16];\n"
                   "        uint32_t stream_id;\n    };\n};\n\n",
                   schema->uuid);
    ws_text_printf(out,
                   "env {\n    tracer_name = \"whyslow\";\n    tracer_version = \"%s\";\n"
                   "    trace_format = %d;\n    runtime = \"%s\";\n};\n\n",
                   WHYSLOW_VERSION, WS_TRACE_FORMAT, schema->runtime);
    ws_text_puts(out, clock_and_packet);
    add_stream(out, schema);
    add_built_in(out);
    for (size_t i = 0; i < schema->record_count; i++)
        add_record(out, &schema->records[i], i + WS_FIRST_RECORD);
}
