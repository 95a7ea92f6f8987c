/* The wrappers in C.  What they call is in recorder/hot.h, what they know of the runtime in the knowledge
 * base's support.h.  Names that begin with ws_ are ours; all others are arguments of the wrapped function, so
 * that the rules' expressions stand as they were written, under #line of their file. */
#include "tracegen/internal.h"

#include "trace/layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Thread scratch of a wrapper: arrays of `in` values and statuses.  support.c uses the ones above. */
#define SCRATCH_SLOTS 13
#define MOST_COMPARED 2 /* values of struct ws_start */
#define SHARED_LEAST                                                                                         \
    64 /* functions with records of one kind, from which on they share the code that writes it */

struct generator {
    const struct ws_kb *kb;
    const struct ws_schema *schema;
    struct ws_text *out;
    size_t counted; /* bytes of `out` whose lines are counted */
    int line;
    struct ws_error *error;
    /* the function being written */
    const struct ws_function *function;
    const struct ws_trace_rule **rules;
    size_t rule_count;
    bool before, after; /* hooks */
    int slots;          /* scratch given out */
    /* What a started operation's end is compared by (struct ws_start): names of fields of completions */
    const char *compared[MOST_COMPARED];
    size_t compared_count;
    bool remembers; /* there are kinds of records for completions that bring nothing new */
};

#define PUT(generator, ...) ws_text_printf((generator)->out, __VA_ARGS__)

/* ---- places ---- */

/* The compiler speaks of the rule's file from here on. */
static void at_rule(struct generator *g, struct ws_pos pos)
{
    if (!pos.file)
        return;
    PUT(g, "#line %d \"", pos.line > 0 ? pos.line : 1);
    for (const char *c = pos.file; *c; c++)
        PUT(g, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    PUT(g, "\"\n");
}

/* ... and of the generated file again. */
static void at_home(struct generator *g, struct ws_pos pos)
{
    if (!pos.file)
        return;
    for (; g->counted < g->out->length; g->counted++)
        g->line += g->out->bytes[g->counted] == '\n';
    PUT(g, "#line %d \"wrappers.c\"\n", g->line + 2);
}

/* ---- the function ---- */

static void put_parameters(struct generator *g)
{
    for (size_t i = 0; i < g->function->argument_count; i++) {
        const struct ws_argument *argument = &g->function->arguments[i];
        size_t length = strlen(argument->type);
        PUT(g, "%s%s%s%s", i ? ", " : "", argument->type,
            length && argument->type[length - 1] == '*' ? "" : " ", argument->name);
    }
    if (g->function->argument_count == 0)
        PUT(g, "void");
}

static void put_arguments(struct generator *g, const char *first)
{
    const char *comma = *first ? ", " : "";

    PUT(g, "(%s", first);
    for (size_t i = 0; i < g->function->argument_count; i++) {
        PUT(g, "%s%s", comma, g->function->arguments[i].name);
        comma = ", ";
    }
    PUT(g, ")");
}

static bool returns(const struct generator *g)
{
    return strcmp(g->function->return_type, "void") != 0;
}

static void put_call(struct generator *g, const char *indent)
{
    PUT(g, "%s%sWS_NEXT(ws_next_%s)", indent, returns(g) ? "ws_result = " : "", g->function->name);
    put_arguments(g, "");
    PUT(g, ";\n%sWS_BACK;\n", indent);
}

static void put_before(struct generator *g, const char *indent, const char *condition)
{
    if (!g->before)
        return;
    PUT(g, "%s%sws_before_%s", indent, condition, g->function->name);
    put_arguments(g, "");
    PUT(g, ";\n");
}

static void put_after(struct generator *g, const char *indent, const char *condition)
{
    if (!g->after)
        return;
    PUT(g, "%s%sws_after_%s", indent, condition, g->function->name);
    put_arguments(g, returns(g) ? "ws_result" : "");
    PUT(g, ";\n");
}

/* A call that is not recorded: it was made within a recorded one, or nothing is. */
static void put_plain_call(struct generator *g, const char *indent)
{
    put_before(g, indent, "if (ws_outer) ");
    put_call(g, indent);
    put_after(g, indent, "if (ws_outer) ");
    PUT(g, "%sreturn%s;\n", indent, returns(g) ? " ws_result" : "");
}

/* A call that no rule names: what it calls itself is not recorded either. */
static void put_guarded_call(struct generator *g)
{
    PUT(g, "    struct ws_stream *const ws_me = ws_enter();\n");
    put_before(g, "    ", "if (ws_outer) ");
    put_call(g, "    ");
    put_after(g, "    ", "if (ws_outer) ");
    PUT(g, "    if (ws_me)\n        ws_leave(ws_me);\n");
    PUT(g, "    return%s;\n", returns(g) ? " ws_result" : "");
}

/* Does any kind of `has` hold for a rule of the function? */
static bool any_rule(const struct generator *g, bool (*has)(const struct ws_trace_rule *rule))
{
    for (size_t i = 0; i < g->rule_count; i++)
        if (has(g->rules[i]))
            return true;
    return false;
}

static bool completes(const struct ws_trace_rule *rule)
{
    return rule->role == WS_ROLE_COMPLETE;
}

static bool has_in(const struct ws_trace_rule *rule)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (rule->params[i].kind == WS_PARAM_IN)
            return true;
    return false;
}

static bool needs_scratch(const struct ws_trace_rule *rule)
{
    return rule->each && has_in(rule);
}

static bool buffers(const struct generator *g)
{
    for (size_t i = 0; i < g->function->argument_count; i++)
        if (g->function->arguments[i].ignore && g->function->arguments[i].length)
            return true;
    return false;
}

/* ---- before the call ---- */

/* The number of a scratch array, or -1. */
static int take_slot(struct generator *g)
{
    if (g->slots == SCRATCH_SLOTS)
        return ws_fail(
            g->error, WS_BAD_INPUT,
            "the trace rules of %s need more than %d arrays of values that are read before the call",
            g->function->name, SCRATCH_SLOTS);
    return g->slots++;
}

/* The function gets a buffer where the program wants no status. */
static int put_substitutes(struct generator *g)
{
    for (size_t i = 0; i < g->function->argument_count; i++) {
        const struct ws_argument *argument = &g->function->arguments[i];
        int slot;
        if (!argument->ignore)
            continue;
        if (!argument->length) {
            PUT(g, "    __typeof__(*%s) ws_own_%s = {0};\n", argument->name, argument->name);
            PUT(g, "    if (%s == %s)\n        %s = &ws_own_%s;\n", argument->name, argument->ignore,
                argument->name, argument->name);
            continue;
        }
        if ((slot = take_slot(g)) < 0)
            return -1;
        PUT(g, "    if (%s == %s) {\n", argument->name, argument->ignore);
        PUT(g, "        %s = ws_scratch(ws_me, %d, (%s), sizeof *%s);\n", argument->name, slot,
            argument->length, argument->name);
        PUT(g, "        if (!%s) {\n            %s = %s;\n            goto ws_plain;\n        }\n    }\n",
            argument->name, argument->name, argument->ignore);
    }
    return 0;
}

static const struct ws_field *field_of(const struct generator *g, const struct ws_trace_rule *rule,
                                       size_t index)
{
    return &g->schema->records[ws_tracegen_record(g->schema, rule)].fields[index];
}

/* The declaration of a constant for a field. */
static void declare(char *buffer, size_t size, const struct ws_field *field, const char *prefix,
                    const char *name)
{
    const char *c_type = ws_formats[field->format].c_type;

    snprintf(buffer, size, "%s%s%s%s%.200s", field->format == WS_FORMAT_STRING ? "" : "const ", c_type,
             c_type[strlen(c_type) - 1] == '*' ? "" : " ", prefix, name);
}

/* A value of a source, converted as it is stored. */
static void put_source(struct generator *g, const struct ws_trace_rule *rule, size_t index,
                       const char *indent, const char *left)
{
    const struct ws_param *param = &rule->params[index];
    bool boolean = field_of(g, rule, index)->format == WS_FORMAT_BOOL;

    at_rule(g, param->pos);
    PUT(g, "%s%s = %s(%s);\n", indent, left, boolean ? "(uint8_t)!!" : "", param->source);
    at_home(g, param->pos);
}

static int put_in_array(struct generator *g, const struct ws_trace_rule *rule, size_t number, size_t index)
{
    const struct ws_param *param = &rule->params[index];
    const char *c_type = ws_formats[field_of(g, rule, index)->format].c_type;
    char left[512];
    int slot;

    if ((slot = take_slot(g)) < 0)
        return -1;
    PUT(g, "    %s%s*ws_in%zu_%s = ws_scratch(ws_me, %d, ws_of%zu, sizeof *ws_in%zu_%s);\n", c_type,
        c_type[strlen(c_type) - 1] == '*' ? "" : " ", number, param->name, slot, number, number, param->name);
    PUT(g, "    if (!ws_in%zu_%s)\n        goto ws_plain;\n", number, param->name);
    PUT(g, "    for (int i = 0; i < ws_of%zu; i++)\n", number);
    snprintf(left, sizeof left, "ws_in%zu_%.200s[i]", number, param->name);
    put_source(g, rule, index, "        ", left);
    return 0;
}

static int put_in_values(struct generator *g, const struct ws_trace_rule *rule, size_t number)
{
    char left[512], prefix[64];

    if (!has_in(rule))
        return 0;
    if (rule->each) {
        at_rule(g, rule->event_pos);
        PUT(g, "    const int ws_of%zu = (%s);\n", number, rule->of ? rule->of : rule->each);
        at_home(g, rule->event_pos);
    }
    for (size_t i = 0; i < rule->param_count; i++) {
        if (rule->params[i].kind != WS_PARAM_IN || field_of(g, rule, i)->is_constant)
            continue;
        if (!rule->each) {
            snprintf(prefix, sizeof prefix, "ws_in%zu_", number);
            declare(left, sizeof left, field_of(g, rule, i), prefix, rule->params[i].name);
            put_source(g, rule, i, "    ", left);
        } else if (put_in_array(g, rule, number, i) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- after the call ---- */

/* The declaration of the value of a field that is stored. */
static void put_value(struct generator *g, const struct ws_trace_rule *rule, size_t number, size_t index,
                      const char *indent)
{
    const struct ws_param *param = &rule->params[index];
    const struct ws_field *field = field_of(g, rule, index);
    char left[512];

    if (field->is_constant)
        return;
    declare(left, sizeof left, field, "ws_value_", param->name);
    if (param->kind == WS_PARAM_OUT)
        put_source(g, rule, index, indent, left);
    else
        PUT(g, "%s%s = ws_in%zu_%s%s;\n", indent, left, number, param->name, rule->each ? "[ws_from]" : "");
    if (field->format == WS_FORMAT_STRING)
        PUT(g, "%sconst size_t ws_length_%s = ws_text_length(ws_value_%s);\n", indent, param->name,
            param->name);
}

static void put_values(struct generator *g, const struct ws_trace_rule *rule, size_t number,
                       const char *indent)
{
    for (size_t i = 0; i < rule->param_count; i++)
        put_value(g, rule, number, i, indent);
}

/* The question whether the values fit a short record; false: they always do. */
static bool put_fits(struct generator *g, const struct ws_record *record)
{
    const char *between = "";

    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_field *field = &record->fields[i];
        const struct ws_format_info *format = &ws_formats[field->format];
        if (field->is_constant || format->narrow_bytes == format->size_bytes)
            continue;
        if (field->format == WS_FORMAT_REQUEST)
            PUT(g, "%sws_fits_request(ws_me, ws_value_%s)", between, field->name);
        else
            PUT(g, "%sWS_FITS%s(ws_value_%s, %u)", between, format->is_signed ? "_SIGNED" : "", field->name,
                8 * format->narrow_bytes);
        between = " &&\n                    ";
    }
    PUT(g, "%s", *between ? "\n                    ? " : "");
    return *between != '\0';
}

/* Bytes of the fields, of a text only its end; then what the texts add. */
static void put_size(struct generator *g, const struct ws_record *record, bool narrow)
{
    size_t size = 0;

    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_format_info *format = &ws_formats[record->fields[i].format];
        if (!record->fields[i].is_constant)
            size += format->size_bytes == 0 ? 1 : narrow ? format->narrow_bytes : format->size_bytes;
    }
    PUT(g, "%zu", size);
    for (size_t i = 0; i < record->field_count; i++)
        if (record->fields[i].format == WS_FORMAT_STRING)
            PUT(g, " + ws_length_%s", record->fields[i].name);
}

static void put_fields(struct generator *g, const struct ws_record *record, bool narrow, const char *indent)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_field *field = &record->fields[i];
        const struct ws_format_info *format = &ws_formats[field->format];
        if (field->is_constant)
            continue;
        if (field->format == WS_FORMAT_STRING)
            PUT(g, "%s    ws_at = ws_put_text(ws_at, ws_value_%s, ws_length_%s);\n", indent, field->name,
                field->name);
        else if (narrow && format->narrow_bytes < format->size_bytes)
            PUT(g, "%s    WS_PUT_NARROW(ws_at, ws_value_%s, %u);\n", indent, field->name,
                format->narrow_bytes);
        else
            PUT(g, "%s    WS_PUT(ws_at, ws_value_%s);\n", indent, field->name);
    }
}

static bool has_text(const struct ws_record *record)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (record->fields[i].format == WS_FORMAT_STRING)
            return true;
    return false;
}

/* Short where its values fit and the call is a short one. */
static void put_written(struct generator *g, size_t kind, const char *indent)
{
    const struct ws_record *record = &g->schema->records[kind];
    bool may_not_fit;

    PUT(g, "%sws_at = ", indent);
    may_not_fit = put_fits(g, record);
    PUT(g, "ws_record(ws_me, %zu, %zu, ", kind, g->schema->record_count);
    put_size(g, record, true);
    PUT(g, ")%s;\n%sif (ws_at) {\n", may_not_fit ? " : NULL" : "", indent);
    put_fields(g, record, true, indent);
    PUT(g, "%s} else if ((ws_at = ws_record_full(ws_me, %zu, ", indent, kind);
    put_size(g, record, false);
    PUT(g, "))) {\n");
    put_fields(g, record, false, indent);
    PUT(g, "%s}\n%sif (ws_at)\n%s    ws_record_end(ws_me, ws_at);\n", indent, indent, indent);
}

/* ---- what was started, and what its end brings ---- */

/* A rank that was named is the rank that it came from: only whether it was named is to be known. */
static bool is_settled_by_name(const struct ws_schema *schema, const struct ws_field *field)
{
    if (field->format != WS_FORMAT_RANK)
        return false;
    for (size_t i = 0; i < schema->record_count; i++)
        for (size_t k = 0; schema->records[i].role == WS_ROLE_COMPLETE && k < schema->records[i].field_count;
             k++)
            if (strcmp(schema->records[i].fields[k].name, field->final_name) == 0)
                return schema->records[i].fields[k].format == WS_FORMAT_COMM_RANK;
    return false;
}

static size_t find_compared(const struct generator *g, const char *name)
{
    size_t i = 0;

    while (i < g->compared_count && strcmp(g->compared[i], name) != 0)
        i++;
    return i;
}

/* Which values the ends of operations are compared by; too many of them, or others than integers: then none
 * are remembered. */
static void find_all_compared(struct generator *g)
{
    const struct ws_schema *schema = g->schema;

    for (size_t i = 0; i < schema->record_count; i++) {
        g->remembers |= ws_tracegen_twin(schema, i) < schema->record_count;
        for (size_t k = 0; k < schema->records[i].field_count; k++) {
            const struct ws_field *field = &schema->records[i].fields[k];
            if (!field->final_name || is_settled_by_name(schema, field) ||
                find_compared(g, field->final_name) < g->compared_count)
                continue;
            if (g->compared_count == MOST_COMPARED || field->format == WS_FORMAT_STRING ||
                field->format == WS_FORMAT_REAL) {
                g->remembers = false;
                return;
            }
            g->compared[g->compared_count++] = field->final_name;
        }
    }
}

static void put_started(struct generator *g, const struct ws_record *record, const char *indent)
{
    const char *values[MOST_COMPARED] = {NULL};
    size_t found = 0;
    bool finals = false;

    PUT(g, "%sws_started(ws_me, ws_value_request, ", indent);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_field *field = &record->fields[i];
        if (!field->final_name)
            continue;
        finals = true;
        if (is_settled_by_name(g->schema, field)) {
            PUT(g, "ws_value_%s < 0 ? WS_START_OPEN : ", field->name);
        } else {
            values[find_compared(g, field->final_name)] = field->name;
            found++;
        }
    }
    if (finals && found < g->compared_count) { /* there is nothing to compare all with */
        PUT(g, "WS_START_OPEN, 0, 0);\n");
        return;
    }
    PUT(g, "%s", finals ? "WS_START_KNOWN" : "WS_START_SETTLED");
    for (size_t i = 0; i < MOST_COMPARED; i++)
        PUT(g, ", %s%s", values[i] ? "(int64_t)ws_value_" : "0", values[i] ? values[i] : "");
    PUT(g, ");\n");
}

/* ---- what is only counted ---- */

static const struct ws_schema_type *type_of(const struct generator *g, const struct ws_record *record)
{
    return record->type >= 0 ? &g->schema->types[record->type] : NULL;
}

static const struct ws_field *find_field(const struct ws_record *record, const char *name)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (strcmp(record->fields[i].name, name) == 0)
            return &record->fields[i];
    return NULL;
}

static bool is_counted_by(const struct ws_schema_type *type, const char *name)
{
    for (size_t i = 0; type && i < type->number_count; i++)
        for (size_t j = 0; !type->numbers[i].of && j < type->numbers[i].by_count; j++)
            if (strcmp(type->numbers[i].by[j], name) == 0)
                return true;
    return false;
}

/* The counter of a number: its type and how many values it counts by, as the reader tells them apart. */
static size_t counter_of(const struct generator *g, const struct ws_schema_type *type,
                         const struct ws_schema_number *number)
{
    size_t of = (size_t)(type - g->schema->types);

    for (size_t i = 0; number->of && i < g->schema->type_count; i++)
        if (strcmp(g->schema->types[i].name, number->of) == 0)
            of = i;
    return of * 64 + number->by_count;
}

/* "WS_CHANNEL(WS_MIX(WS_MIX(7, ws_value_peer), ws_value_comm))" */
static void put_channel(struct generator *g, const struct ws_record *record,
                        const struct ws_schema_number *number)
{
    PUT(g, "WS_CHANNEL(");
    for (size_t i = 0; i < number->by_count; i++)
        PUT(g, "WS_MIX(");
    PUT(g, "UINT64_C(%zu)", counter_of(g, type_of(g, record), number) + 1);
    for (size_t i = 0; i < number->by_count; i++) {
        const struct ws_field *field = find_field(record, number->by[i]);
        if (!field || field->is_constant)
            PUT(g, ", %" PRId64 ")", field ? field->constant : 0);
        else
            PUT(g, ", ws_value_%s)", field->name);
    }
    if (number->by_count == 0)
        PUT(g, " * WS_HASH");
    PUT(g, ")");
}

/* The channels that a record counts on; looks: and those whose numbers it takes. */
static void put_channels(struct generator *g, const struct ws_record *record, bool looks)
{
    const struct ws_schema_type *type = type_of(g, record);
    const char *between = "";

    for (size_t i = 0; type && i < type->number_count; i++) {
        if (type->numbers[i].of && !looks)
            continue;
        PUT(g, "%s", between);
        put_channel(g, record, &type->numbers[i]);
        between = " | ";
    }
    PUT(g, "%s", *between ? "" : "0");
}

/* Before a record that takes numbers: what was counted on its channels is to stand before it.  A receive from
 * anyone may come to belong to any channel, and so may what a restarted request stands for. */
static void put_told(struct generator *g, const struct ws_record *record, const char *indent)
{
    const struct ws_schema_type *type = type_of(g, record);
    bool any = false;

    if (record->role != WS_ROLE_RESTART &&
        (!type || type->number_count == 0 ||
         (record->role != WS_ROLE_PLAIN && record->role != WS_ROLE_START)))
        return;
    PUT(g, "%sif (WS_RARELY(ws_me->pending))\n%s    ws_count_told(ws_me, ", indent, indent);
    for (size_t i = 0; record->role == WS_ROLE_START && i < record->field_count; i++) {
        const struct ws_field *field = &record->fields[i];
        if (!field->final_name || !is_counted_by(type, field->name))
            continue;
        PUT(g, "%sws_value_%s < 0", any ? " || " : "", field->name);
        any = true;
    }
    if (record->role == WS_ROLE_RESTART) {
        PUT(g, "UINT64_MAX);\n");
        return;
    }
    PUT(g, "%s", any ? " ? UINT64_MAX : " : "");
    put_channels(g, record, true);
    PUT(g, ");\n");
}

/* All fields in full width; those that no number is counted by are left zero. */
static void put_counted_fields(struct generator *g, const struct ws_record *record, const char *indent)
{
    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_field *field = &record->fields[i];
        if (field->is_constant)
            continue;
        if (is_counted_by(type_of(g, record), field->name))
            PUT(g, "%s    WS_PUT(ws_at, ws_value_%s);\n", indent, field->name);
        else
            PUT(g, "%s    ws_at += sizeof ws_value_%s;\n", indent, field->name);
    }
}

/* An operation that may be counted instead of written: a whole one, where recording is stopped or its site has
 * had its share; for the latter also one that has no outcome but its end. */
static bool may_be_counted(const struct generator *g, const struct ws_record *record)
{
    if (has_text(record) || record->type < 0)
        return false;
    if (record->role == WS_ROLE_PLAIN)
        return true;
    if (record->role != WS_ROLE_START || !g->remembers || !find_field(record, "request"))
        return false;
    for (size_t i = 0; i < record->field_count; i++)
        if (record->fields[i].final_name)
            return false;
    return true;
}

/* The record of an operation, or a count instead. */
static void put_own_record(struct generator *g, size_t kind, const char *indent)
{
    const struct ws_record *record = &g->schema->records[kind];
    const struct ws_field *bytes = find_field(record, "bytes");
    bool counted = may_be_counted(g, record), start = record->role == WS_ROLE_START;
    char inner[64];

    snprintf(inner, sizeof inner, "%s%s", indent, counted ? "    " : "");
    if (counted) {
        PUT(g, "%sif (WS_RARELY(ws_me->control%s) &&\n%s    (ws_at = ws_counted(ws_me, %zu, ", indent,
            start ? " == WS_SAMPLED_OUT && ws_me->starts" : "", indent, kind);
        put_size(g, record, false);
        PUT(g, "))) {\n");
        put_counted_fields(g, record, indent);
        PUT(g, "%s    ws_count(ws_me, ", indent);
        put_channels(g, record, false);
        PUT(g, ", %s%s);\n", bytes && !bytes->is_constant ? "ws_value_" : "",
            bytes && !bytes->is_constant ? "bytes" : "0");
        if (start)
            PUT(g, "%s    ws_started(ws_me, ws_value_request, WS_START_COUNTED, 0, 0);\n", indent);
        PUT(g, "%s} else {\n", indent);
    }
    put_told(g, record, inner);
    put_written(g, kind, inner);
    if (start && find_field(record, "request") && g->remembers)
        put_started(g, record, inner);
    if (counted)
        PUT(g, "%s}\n", indent);
}

/* Hundreds of functions that differ in a type write the same records: one function for all keeps the library
 * small and its build short, for two nanoseconds a call. */
static bool is_shared(const struct generator *g, size_t kind)
{
    const struct ws_record *record = &g->schema->records[kind];
    size_t functions = 0;

    for (size_t i = 0; i < g->kb->trace_rule_count; i++)
        if (ws_tracegen_record(g->schema, g->kb->trace_rules[i]) == kind)
            functions += g->kb->trace_rules[i]->function_count;
    return record->role == WS_ROLE_PLAIN && !has_text(record) && functions >= SHARED_LEAST;
}

static void put_shared_writer(struct generator *g, size_t kind)
{
    const struct ws_record *record = &g->schema->records[kind];
    char declared[512];

    PUT(g, "\n/* %s */\nstatic __attribute__((noinline)) void ws_write_%zu(struct ws_stream *ws_me",
        record->name, kind);
    for (size_t i = 0; i < record->field_count; i++) {
        if (record->fields[i].is_constant)
            continue;
        declare(declared, sizeof declared, &record->fields[i], "ws_value_", record->fields[i].name);
        PUT(g, ", %s", declared);
    }
    PUT(g, ")\n{\n    unsigned char *ws_at;\n\n");
    put_own_record(g, kind, "    ");
    PUT(g, "}\n");
}

static void put_record(struct generator *g, size_t kind, const char *indent)
{
    const struct ws_record *record = &g->schema->records[kind];

    if (!is_shared(g, kind)) {
        put_own_record(g, kind, indent);
        return;
    }
    PUT(g, "%sws_write_%zu(ws_me", indent, kind);
    for (size_t i = 0; i < record->field_count; i++)
        if (!record->fields[i].is_constant)
            PUT(g, ", ws_value_%s", record->fields[i].name);
    PUT(g, ");\n");
}

static int field_index(const struct ws_trace_rule *rule, const char *name)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (strcmp(rule->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Whether the end brought what the start had said.  Constants stand for themselves. */
static void put_comparison(struct generator *g, const struct ws_trace_rule *rule, const char *indent)
{
    for (size_t i = 0; i < g->compared_count; i++) {
        int index = field_index(rule, g->compared[i]);
        if (index < 0)
            continue; /* the end says nothing of it */
        PUT(g, "%sws_as_started = ws_as_started && ws_start->value[%zu] == ", indent, i);
        if (field_of(g, rule, (size_t)index)->is_constant)
            PUT(g, "(%s);\n", rule->params[index].source);
        else
            PUT(g, "(int64_t)ws_value_%s;\n", g->compared[i]);
    }
}

/* A completion's record, or that of its twin where nothing came of it that the start had not said. */
static void put_completion(struct generator *g, const struct ws_trace_rule *rule, size_t number, size_t kind,
                           const char *indent)
{
    int cancelled = field_index(rule, "cancelled"), request = field_index(rule, "request");
    char inner[64];

    snprintf(inner, sizeof inner, "%s    ", indent);
    put_value(g, rule, number, (size_t)request, indent);
    PUT(g, "%sconst struct ws_start *ws_start = ws_start_of(ws_me, ws_value_request);\n", indent);
    PUT(g, "%sbool ws_as_started = ws_start != NULL;\n", indent);
    PUT(g, "%sconst bool ws_told = !ws_start || ws_start->state != WS_START_COUNTED;\n", indent);
    if (cancelled >= 0 && !field_of(g, rule, (size_t)cancelled)->is_constant) {
        put_value(g, rule, number, (size_t)cancelled, indent);
        PUT(g, "%sif (WS_RARELY(!ws_told && ws_value_cancelled))\n%s    ws_count_cancelled();\n", indent, indent);
        PUT(g, "%sws_as_started = ws_as_started && !ws_value_cancelled;\n", indent);
    }
    PUT(g, "%sif (ws_told && (!ws_as_started || ws_start->state != WS_START_SETTLED)) {\n", indent);
    for (size_t i = 0; i < rule->param_count; i++)
        if ((int)i != request && (int)i != cancelled)
            put_value(g, rule, number, i, inner);
    put_comparison(g, rule, inner);
    PUT(g, "%sif (!ws_as_started) {\n", inner);
    snprintf(inner, sizeof inner, "%s        ", indent);
    put_record(g, kind, inner);
    PUT(g, "%s    }\n%s}\n%sif (ws_told && ws_as_started) {\n", indent, indent, indent);
    snprintf(inner, sizeof inner, "%s    ", indent);
    put_record(g, ws_tracegen_twin(g->schema, kind), inner);
    PUT(g, "%s}\n", indent);
}

/* The values and the record of one operation. */
static void put_operation(struct generator *g, const struct ws_trace_rule *rule, size_t number,
                          const char *indent)
{
    size_t kind = ws_tracegen_record(g->schema, rule);
    bool handled = g->remembers && field_index(rule, "request") >= 0;

    if (handled && ws_tracegen_twin(g->schema, kind) < g->schema->record_count) {
        put_completion(g, rule, number, kind, indent);
        return;
    }
    put_values(g, rule, number, indent);
    put_record(g, kind, indent);
    if (handled && rule->role == WS_ROLE_INIT)
        put_started(g, &g->schema->records[kind], indent);
    if (handled && rule->role == WS_ROLE_CONTINUE && field_index(rule, "from") >= 0)
        PUT(g, "%sws_start_moved(ws_me, ws_value_from, ws_value_request);\n", indent);
}

/* Waiting for a request that is none completes nothing. */
static bool skips_no_request(const struct ws_trace_rule *rule)
{
    return rule->role == WS_ROLE_COMPLETE || rule->role == WS_ROLE_RESTART || rule->role == WS_ROLE_FREE;
}

static void put_condition(struct generator *g, const struct ws_trace_rule *rule, const char *indent)
{
    if (!rule->condition)
        return;
    at_rule(g, rule->event_pos);
    PUT(g, "%sif (%s)\n", indent, rule->condition);
    at_home(g, rule->event_pos);
}

static const struct ws_param *in_request(const struct ws_trace_rule *rule)
{
    for (size_t i = 0; i < rule->param_count; i++)
        if (rule->params[i].kind == WS_PARAM_IN && strcmp(rule->params[i].name, "request") == 0)
            return &rule->params[i];
    return NULL;
}

/* "if" and a block that writes the record. */
static void put_guarded_record(struct generator *g, const struct ws_trace_rule *rule, size_t number,
                               const char *indent, const char *inner)
{
    if (skips_no_request(rule) && in_request(rule))
        PUT(g, "%sif (ws_in%zu_request%s != WS_NO_REQUEST)\n", indent, number, rule->each ? "[ws_from]" : "");
    put_condition(g, rule, indent);
    PUT(g, "%s{\n", indent);
    put_operation(g, rule, number, inner);
    PUT(g, "%s}\n", indent);
}

static void put_each(struct generator *g, const struct ws_trace_rule *rule, size_t number)
{
    at_rule(g, rule->event_pos);
    PUT(g, "        const int ws_each%zu = (%s);\n", number, rule->each);
    at_home(g, rule->event_pos);
    PUT(g, "        for (int i = 0; i < ws_each%zu; i++) {\n", number);
    if (has_in(rule)) {
        at_rule(g, rule->event_pos);
        PUT(g, "            const int ws_from = (%s);\n", rule->index ? rule->index : "i");
        at_home(g, rule->event_pos);
        PUT(g, "            if (ws_from < 0 || ws_from >= ws_of%zu)\n                continue;\n", number);
    }
    put_guarded_record(g, rule, number, "            ", "                ");
    PUT(g, "        }\n");
}

/* The results of the call with which a rule's event is recorded. */
static const char *outcome(const struct ws_trace_rule *rule)
{
    return completes(rule) ? "WS_COMPLETED" : "WS_SUCCEEDED";
}

static bool has_despite(const struct ws_trace_rule *rule)
{
    return rule->despite != NULL;
}

/* Whether a call that failed did for a rule what it is recorded for. */
static void put_despite(struct generator *g)
{
    for (size_t i = 0; i < g->rule_count; i++) {
        const struct ws_trace_rule *rule = g->rules[i];
        if (!rule->despite)
            continue;
        at_rule(g, rule->event_pos);
        PUT(g, "    const bool ws_despite%zu = !%s(ws_result) && (%s);\n", i, outcome(rule), rule->despite);
        at_home(g, rule->event_pos);
    }
}

static void put_rule(struct generator *g, const struct ws_trace_rule *rule, size_t number)
{
    bool stricter = returns(g) && g->rule_count > 1 &&
                    (any_rule(g, has_despite) || (any_rule(g, completes) && !completes(rule)));

    PUT(g, "        /* %s */\n", g->schema->records[ws_tracegen_record(g->schema, rule)].name);
    if (stricter)
        PUT(g, "        if (%s(ws_result)", outcome(rule));
    if (stricter && rule->despite)
        PUT(g, " || ws_despite%zu", number);
    if (stricter)
        PUT(g, ") {\n");
    if (rule->each)
        put_each(g, rule, number);
    else
        put_guarded_record(g, rule, number, "        ", "            ");
    if (stricter)
        PUT(g, "        }\n");
}

static void put_records(struct generator *g)
{
    const char *open = g->before ? "ws_me->packet && " : ""; /* the hook may have ended the recording */
    const char *test = any_rule(g, completes) ? "WS_COMPLETED" : "WS_SUCCEEDED";
    bool grouped = *open && any_rule(g, has_despite);

    if (returns(g)) {
        if (strcmp(g->function->return_type, "int") == 0)
            PUT(g, "    ws_me->result = ws_result;\n");
        put_despite(g);
        PUT(g, "    if (%s%s%s(ws_result)", open, grouped ? "(" : "", test);
        for (size_t i = 0; i < g->rule_count; i++)
            if (g->rules[i]->despite)
                PUT(g, " || ws_despite%zu", i);
        PUT(g, "%s) {\n", grouped ? ")" : "");
    } else {
        PUT(g, "    if (%s1) {\n", open);
    }
    PUT(g, "        unsigned char *ws_at;\n");
    PUT(g, "        ws_call(ws_me, %zu, ws_begin, ws_end, ws_place);\n",
        ws_tracegen_function(g->schema, g->function->name));
    for (size_t i = 0; i < g->rule_count; i++)
        put_rule(g, g->rules[i], i);
    PUT(g, "    }\n");
}

/* An event that says nothing but how long the call took can be divided where calls lie in it. */
static bool is_in_pieces(const struct generator *g)
{
    const struct ws_trace_rule *rule = g->rules[0];

    return g->function->calls_back && g->rule_count == 1 && rule->role == WS_ROLE_PLAIN && rule->param_count == 0 &&
           !rule->condition && !rule->each;
}

/* The call whose records are to be written.  Where it runs code of the program, what that calls is recorded too, and may
 * have ended the recording. */
static void put_timed_call(struct generator *g)
{
    bool pieces = is_in_pieces(g);

    PUT(g, "    WS_COMPUTED;\n    ws_begin = ws_clock_ns();\n");
    if (pieces)
        PUT(g,
            "    const struct ws_outer ws_around = ws_me->outer;\n"
            "    ws_me->outer = (struct ws_outer){ws_begin, ws_me->frame, ws_place, %zu, %zu, %zu};\n",
            ws_tracegen_record(g->schema, g->rules[0]), g->schema->record_count,
            ws_tracegen_function(g->schema, g->function->name));
    if (g->function->calls_back)
        PUT(g, "    ws_leave(ws_me);\n");
    put_call(g, "    ");
    if (g->function->calls_back) {
        PUT(g, "    if (ws_enter() != ws_me) {\n");
        put_after(g, "        ", "");
        PUT(g, "        return%s;\n    }\n", returns(g) ? " ws_result" : "");
    }
    if (pieces)
        PUT(g, "    ws_begin = ws_me->outer.kinds ? ws_me->outer.since_ns : ws_begin;\n    ws_me->outer = ws_around;\n");
    PUT(g, "    ws_end = ws_clock_ns();\n");
}

static int put_recorded_call(struct generator *g)
{
    PUT(g, "    void *const ws_place = ws_call_site();\n");
    PUT(g, "    struct ws_stream *const ws_me = ws_enter();\n    uint64_t ws_begin, ws_end;\n");
    PUT(g, "    if (!ws_me) {\n");
    put_plain_call(g, "        ");
    PUT(g, "    }\n");
    if (put_substitutes(g) != 0)
        return -1;
    for (size_t i = 0; i < g->rule_count; i++)
        if (put_in_values(g, g->rules[i], i) != 0)
            return -1;
    put_before(g, "    ", "");
    put_timed_call(g);
    put_records(g);
    put_after(g, "    ", "");
    PUT(g, "    ws_leave(ws_me);\n    return%s;\n", returns(g) ? " ws_result" : "");
    if (any_rule(g, needs_scratch) || buffers(g)) {
        PUT(g, "ws_plain:\n    ws_leave(ws_me);\n");
        put_plain_call(g, "    ");
    }
    return 0;
}

/* Fortran knows no case, so its compilers choose one. */
static void put_in_case(struct generator *g, int (*convert)(int))
{
    for (const char *c = g->function->name; *c; c++)
        PUT(g, "%c", convert((unsigned char)*c));
}

static void put_fortran_names(struct generator *g)
{
    PUT(g, "WS_FORTRAN_NAMES(");
    put_in_case(g, tolower);
    PUT(g, ", ");
    put_in_case(g, toupper);
    PUT(g, ")\n");
}

static void put_head(struct generator *g, const char *before, const char *behind)
{
    const struct ws_function *function = g->function;

    at_rule(g, function->pos);
    PUT(g, "%s%s %s(", before, function->return_type, function->name);
    put_parameters(g);
    PUT(g, ")%s\n", behind);
    at_home(g, function->pos);
}

/* The library's second name for the function is the recorder's too. */
static void put_second_name(struct generator *g)
{
    const char *name = g->function->name, *prefix = g->kb->about.prefix;

    if (*prefix)
        PUT(g, "WS_SECOND_NAME(%s, %s%s)\n", name, prefix, name);
}

static int put_wrapper(struct generator *g)
{
    const struct ws_function *function = g->function;
    bool probed = function->optional && g->kb->about.header;

    PUT(g, "\n");
    if (probed)
        PUT(g, "#if WS_HAVE_ALL || defined WS_HAVE_%s\n", function->name);
    if (!g->kb->about.header)
        put_head(g, "WS_EXPORT ", ";");
    PUT(g, "static __typeof__(&%s) ws_next_%s;\n", function->name, function->name);
    put_head(g, "WS_EXPORT ", "\n{");
    if (returns(g))
        PUT(g, "    %s ws_result;\n", function->return_type);
    PUT(g, "    WS_HERE;\n");
    if (g->before || g->after)
        PUT(g, "    const bool ws_outer = !ws_inside();\n");
    PUT(g, "    WS_RESOLVE(ws_next_%s, WS_ORIGINAL(\"%s\", \"%s\"));\n", function->name, g->kb->about.prefix,
        function->name);
    if (g->rule_count == 0)
        put_guarded_call(g);
    else if (put_recorded_call(g) != 0)
        return -1;
    PUT(g, "}\n");
    put_second_name(g);
    if (g->rule_count)
        put_fortran_names(g);
    if (probed)
        PUT(g, "#endif\n");
    return 0;
}

/* ---- all of them ---- */

/* The support code wants to hear of a call by a function with this name, whether a rule names the call or
 * not. */
static bool has_hook(const struct ws_kb *kb, const char *when, const char *function)
{
    size_t length = strlen(when);

    for (size_t i = 0; i < kb->helper_count; i++)
        if (strncmp(kb->helpers[i], when, length) == 0 && strcmp(kb->helpers[i] + length, function) == 0)
            return true;
    return false;
}

static bool applies(const struct ws_trace_rule *rule, const struct ws_function *function)
{
    for (size_t i = 0; i < rule->function_count; i++)
        if (rule->functions[i] == function)
            return true;
    return false;
}

static int put_function(struct generator *g, const struct ws_function *function)
{
    g->function = function;
    g->rule_count = 0;
    for (size_t i = 0; i < g->kb->trace_rule_count; i++)
        if (applies(g->kb->trace_rules[i], function))
            g->rules[g->rule_count++] = g->kb->trace_rules[i];
    g->before = has_hook(g->kb, "ws_before_", function->name);
    g->after = has_hook(g->kb, "ws_after_", function->name);
    g->slots = 0;
    return g->rule_count || g->before || g->after || function->guarded ? put_wrapper(g) : 0;
}

/* What a runtime's support.h need not say where the usual will do. */
static void put_usual(struct generator *g)
{
    static const char *const usual[][2] = {
        {"WS_SUCCEEDED(result)", "1"}, /* every call is recorded, whatever it returns */
        {"WS_COMPLETED(result)", "WS_SUCCEEDED(result)"},
        {"WS_NO_REQUEST", "UINT64_MAX"},
        {"WS_HAVE_ALL", "0"},
        {"WS_FORTRAN_NAMES(lower, upper)", ""},
        {"WS_ORIGINAL(prefix, name)", "prefix name"}, /* what is called on */
        {"WS_SECOND_NAME(name, second)",
         "extern __typeof__(name) second __attribute__((alias(#name), visibility(\"default\")));"},
    };

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        PUT(g, "#ifndef %.*s\n#define %s %s\n#endif\n", (int)strcspn(usual[i][0], "("), usual[i][0], usual[i][0],
            usual[i][1]);
}

/* Where to look for a function that the linker's order does not lead to. */
static void put_libraries(struct generator *g)
{
    PUT(g, "\nconst char *const ws_runtime_libraries[] = {");
    for (const char *const *library = g->kb->about.libraries; *library; library++)
        PUT(g, "\"%s\", ", *library);
    PUT(g, "NULL};\n");
}

int ws_tracegen_wrappers(const struct ws_kb *kb, const struct ws_schema *schema, struct ws_text *out,
                         struct ws_error *error)
{
    struct generator g = {.kb = kb, .schema = schema, .out = out, .counted = out->length, .error = error};
    int result = 0;

    g.rules = ws_alloc_array(kb->trace_rule_count + 1, sizeof *g.rules);
    find_all_compared(&g);
    PUT(&g,
        "/* Recorder of the runtime '%s', made by Whyslow from its knowledge base. */\n"
        "#include \"recorder/hot.h\"\n#include \"support.h\"\n\n",
        kb->runtime);
    put_usual(&g);
    put_libraries(&g);
    PUT(&g, "\nconst uint32_t ws_function_count = %zu;\n", schema->function_count);
    for (size_t kind = 0; kind < schema->record_count; kind++)
        if (is_shared(&g, kind))
            put_shared_writer(&g, kind);
    for (size_t i = 0; result == 0 && i < kb->function_count; i++)
        result = put_function(&g, kb->functions[i]);
    free(g.rules);
    return result;
}
