/* The CTF 1.8 metadata (TSDL) of a trace: what babeltrace2, Trace Compass and Python's bt2 read it by.
 * It states trace/layout.h in CTF's words: each kind of record is one event there for each of its forms, all
 * of its name.  What follows the time stamp is the event's own context, since CTF readers drop what they do
 * not know in an event header.  Names of fields get a leading underscore, which readers take off again: so
 * none is a keyword of TSDL. */
#include "trace/layout.h"
#include "trace/schema.h"

static const char preamble[] =
    "/* CTF 1.8 */\n\n"
    "typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
    "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
    "typealias integer { size = 16; align = 8; signed = true; } := int16_t;\n"
    "typealias integer { size = 24; align = 8; signed = false; } := uint24_t;\n"
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
    "} := timestamp_t;\n\n"
    "typealias integer {\n"
    "    size = 24; align = 8; signed = false; map = clock.monotonic.value;\n"
    "} := timestamp24_t;\n\n";

/* Names that a reader may know by the CTF specification come first, without an underscore. */
static const char packet_context[] = "    packet.context := struct {\n"
                                     "        timestamp_t timestamp_begin;\n"
                                     "        timestamp_t timestamp_end;\n"
                                     "        uint64_t content_size;\n"
                                     "        uint64_t packet_size;\n"
                                     "        uint64_t events_discarded;\n"
                                     "        uint64_t calls;\n"
                                     "        uint32_t rank;\n"
                                     "        uint32_t thread;\n"
                                     "        uint32_t packet_seq_num;\n"
                                     "        uint32_t request_high;\n"
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
    {WS_RECORD_SITE, "define_site",
     "uint32_t _site; function_t _function; uint64_t _offset; string _module;"},
    {WS_RECORD_COMM, "define_comm",
     "uint32_t _comm; uint32_t _identity; uint32_t _first; uint32_t _size; int32_t _ranks[_size];"},
    {WS_RECORD_WINDOW, "define_window", "uint32_t _window; uint32_t _identity; uint32_t _comm;"},
    {WS_RECORD_CLOCK, "clock",
     "uint64_t _domain; uint64_t _kernel_ns; uint64_t _wall_ns; uint32_t _error_ppb;"},
    {WS_RECORD_OFFSET, "clock_offset", "uint64_t _own_ns; int64_t _offset_ns; uint64_t _bound_ns;"},
    {WS_RECORD_CONTROL, "control", "uint8_t _what; uint64_t _count; string _name;"},
};

static void add_event_head(struct ws_text *out, const char *name, size_t id)
{
    ws_text_printf(out, "event {\n    name = \"%s\";\n    id = %zu;\n    stream_id = 0;\n", name, id);
}

/* Numbers of functions; the sites with these numbers are calls from unknown places. */
static void add_functions(struct ws_text *out, const struct ws_schema *schema)
{
    ws_text_puts(out, "typealias enum : uint16_t {\n");
    for (size_t i = 0; i < schema->function_count; i++)
        ws_text_printf(out, "    \"%s\" = %zu,\n", schema->functions[i], i);
    ws_text_printf(out, "%s} := function_t;\n\n", schema->function_count ? "" : "    \"none\" = 0,\n");
}

static void add_built_in(struct ws_text *out)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++) {
        add_event_head(out, built_in[i].name, built_in[i].id);
        ws_text_printf(out, "    fields := struct { %s };\n};\n\n", built_in[i].fields);
    }
}

static const char *type_of(enum ws_format format, bool narrow)
{
    static const char *const types[2][9] = {
        {"string", "uint8_t", "uint16_t", "uint24_t", "uint32_t", "", "", "", "uint64_t"},
        {"string", "", "int16_t", "", "int32_t", "", "", "", "int64_t"},
    };
    const struct ws_format_info *info = &ws_formats[format];

    return info->is_real ? "double" : types[info->is_signed][narrow ? info->narrow_bytes : info->size_bytes];
}

/* One form of a kind of record. */
static void add_record(struct ws_text *out, const struct ws_record *record, size_t id, const char *context,
                       bool narrow)
{
    add_event_head(out, record->name, id);
    if (context)
        ws_text_printf(out, "    context := struct { %s };\n", context);
    ws_text_puts(out, "    fields := struct {");
    for (size_t i = 0; i < record->field_count; i++)
        if (!record->fields[i].is_constant)
            ws_text_printf(out, " %s _%s;", type_of(record->fields[i].format, narrow),
                           record->fields[i].name);
    ws_text_puts(out, " };\n};\n\n");
}

static void add_records(struct ws_text *out, const struct ws_schema *schema)
{
    size_t shorts = WS_SHORT_KINDS(schema->record_count);

    for (size_t i = 0; i < schema->record_count; i++) {
        const struct ws_record *record = &schema->records[i];
        add_record(out, record, WS_FIRST_KIND + i, "uint64_t _duration; uint32_t _site; uint8_t _follows;",
                   false);
        if (i >= shorts)
            continue;
        add_record(out, record, WS_FIRST_SHORT + i, "uint16_t _duration; uint16_t _site;", true);
        add_record(out, record, WS_FIRST_SHORT + shorts + i, "uint24_t _duration; uint16_t _site;", true);
        add_record(out, record, WS_FIRST_SHORT + 2 * shorts + i, NULL, true);
    }
}

static void add_stream(struct ws_text *out, const struct ws_schema *schema)
{
    static const char *const forms[] = {"tight", "compact", "more"};
    size_t shorts = WS_SHORT_KINDS(schema->record_count), first = WS_FIRST_SHORT;

    ws_text_printf(out,
                   "stream {\n    id = 0;\n%s    event.header := struct {\n"
                   "        enum : uint8_t { built_in = 0 ... %d, ",
                   packet_context, WS_FIRST_SHORT - 1);
    for (size_t i = 0; i < 3 && shorts; i++, first += shorts)
        ws_text_printf(out, "%s = %zu ... %zu, ", forms[i], first, first + shorts - 1);
    ws_text_printf(out,
                   "full = %d } id;\n        variant <id> { /* timestamp: the call's end */\n"
                   "            struct { timestamp_t timestamp; } built_in;\n%s"
                   "            struct { uint16_t id; timestamp_t timestamp; } full;\n"
                   "        } v;\n    };\n};\n\n",
                   WS_FULL_ID,
                   shorts ? "            struct { timestamp24_t timestamp; } tight;\n"
                            "            struct { timestamp24_t timestamp; } compact;\n"
                            "            struct { } more; /* that of the record before */\n"
                          : "");
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
    add_functions(out, schema);
    add_built_in(out);
    add_records(out, schema);
}
