/* The schema of the trace that a recorder made from this knowledge base writes. */
#include "tracegen/internal.h"

#include "trace/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *copy(struct ws_schema *schema, const char *text)
{
    return text ? ws_arena_strdup(&schema->arena, text) : NULL;
}

static int rule_type(const struct ws_trace_rule *rule)
{
    return rule->type ? (int)rule->type->index : -1;
}

/* ---- types ---- */

static void add_numbers(struct ws_schema *schema, struct ws_schema_type *made,
                        const struct ws_trace_rule *rule)
{
    made->number_count = rule->number_count;
    made->numbers = ws_arena_alloc(&schema->arena, (rule->number_count + 1) * sizeof *made->numbers);
    for (size_t i = 0; i < rule->number_count; i++) {
        const struct ws_number *number = &rule->numbers[i];
        const char **by = ws_arena_alloc(&schema->arena, (number->by_count + 1) * sizeof *by);
        for (size_t j = 0; j < number->by_count; j++)
            by[j] = copy(schema, number->by[j]);
        made->numbers[i] = (struct ws_schema_number){
            .name = copy(schema, number->name),
            .by = by,
            .by_count = number->by_count,
            .of = copy(schema, number->of),
            .plus = number->plus,
        };
    }
}

static int add_types(struct ws_schema *schema, const struct ws_kb *kb, struct ws_error *error)
{
    schema->type_count = kb->simple_count;
    schema->types = ws_arena_alloc(&schema->arena, (kb->simple_count + 1) * sizeof *schema->types);
    for (size_t i = 0; i < kb->simple_count; i++) {
        const struct ws_event_type *type = kb->types[i];
        const struct ws_trace_rule *rule = ws_type_rule(kb, type);
        struct ws_schema_type *made = &schema->types[i];
        if (!rule || type->slot_count < type->attribute_count + rule->number_count)
            return ws_fail(error, WS_BAD_INPUT, "event type '%s' has no trace rule", type->name);
        made->name = copy(schema, type->name);
        made->param_count = type->slot_count - type->attribute_count - rule->number_count;
        made->params = ws_arena_alloc(&schema->arena, (made->param_count + 1) * sizeof *made->params);
        made->param_types =
            ws_arena_alloc(&schema->arena, (made->param_count + 1) * sizeof *made->param_types);
        for (size_t j = 0; j < made->param_count; j++) {
            made->params[j] = copy(schema, type->slots[type->attribute_count + j].name);
            made->param_types[j] = type->slots[type->attribute_count + j].type;
        }
        add_numbers(schema, made, rule);
    }
    return 0;
}

/* ---- functions ---- */

static bool is_named(const struct ws_kb *kb, const struct ws_function *function)
{
    for (size_t i = 0; i < kb->trace_rule_count; i++)
        for (size_t j = 0; j < kb->trace_rules[i]->function_count; j++)
            if (kb->trace_rules[i]->functions[j] == function)
                return true;
    return false;
}

static int add_functions(struct ws_schema *schema, const struct ws_kb *kb, struct ws_error *error)
{
    schema->functions = ws_arena_alloc(&schema->arena, (kb->function_count + 1) * sizeof *schema->functions);
    for (size_t i = 0; i < kb->function_count; i++)
        if (is_named(kb, kb->functions[i]))
            schema->functions[schema->function_count++] = copy(schema, kb->functions[i]->name);
    if (schema->function_count > UINT16_MAX)
        return ws_fail(error, WS_BAD_INPUT, "the trace rules name more than %d functions", UINT16_MAX);
    return 0;
}

size_t ws_tracegen_function(const struct ws_schema *schema, const char *name)
{
    size_t i = 0;

    while (i < schema->function_count && strcmp(schema->functions[i], name) != 0)
        i++;
    return i;
}

/* ---- records ---- */

/* A source that is an integer and nothing else: it is the same in all records of its kind. */
static bool is_constant(const struct ws_param *param, int64_t *value)
{
    char *end;

    if (!param->source || param->final || !ws_may_be_constant(ws_format_find(param->format)))
        return false;
    errno = 0;
    *value = strtoll(param->source, &end, 0);
    if (end == param->source || errno != 0)
        return false;
    return end[strspn(end, " \t\r\n")] == '\0';
}

static struct ws_field make_field(struct ws_schema *schema, const struct ws_param *param)
{
    struct ws_field field = {
        .name = copy(schema, param->name),
        .format = ws_format_find(param->format),
        .final = -1,
        .final_name = copy(schema, param->final),
    };

    field.is_constant = is_constant(param, &field.constant);
    if (field.format == WS_FORMAT_BOOL)
        field.constant = field.constant != 0;
    return field;
}

static bool same_field(const struct ws_field *field, const struct ws_param *param)
{
    int64_t value = 0;
    bool constant = is_constant(param, &value);

    if (field->format == WS_FORMAT_BOOL)
        value = value != 0;
    return strcmp(field->name, param->name) == 0 && field->format == ws_format_find(param->format) &&
           ws_same_text(field->final_name, param->final) && field->is_constant == constant &&
           (!constant || field->constant == value);
}

static bool same_record(const struct ws_record *record, const struct ws_trace_rule *rule)
{
    if (record->type != rule_type(rule) || record->role != rule->role ||
        record->field_count != rule->param_count)
        return false;
    for (size_t i = 0; i < rule->param_count; i++)
        if (!same_field(&record->fields[i], &rule->params[i]))
            return false;
    return true;
}

size_t ws_tracegen_record(const struct ws_schema *schema, const struct ws_trace_rule *rule)
{
    size_t i = 0;

    while (i < schema->record_count && !same_record(&schema->records[i], rule))
        i++;
    return i;
}

static bool record_name_taken(const struct ws_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->record_count; i++)
        if (strcmp(schema->records[i].name, name) == 0)
            return true;
    return false;
}

/* "send", "send_start"; "send_2" where that is taken by a record with other fields. */
static const char *record_name(struct ws_schema *schema, const struct ws_trace_rule *rule)
{
    static const char *const endings[] = {[WS_ROLE_START] = "_start", [WS_ROLE_INIT] = "_init"};
    const char *ending = rule->role < sizeof endings / sizeof *endings ? endings[rule->role] : NULL;
    const char *base = ws_arena_printf(&schema->arena, "%s%s", rule->event, ending ? ending : ""),
               *name = base;

    for (int i = 2; record_name_taken(schema, name); i++)
        name = ws_arena_printf(&schema->arena, "%s_%d", base, i);
    return name;
}

#define TWIN_ENDING "_as_started"

static const struct ws_field *request_of(const struct ws_record *record)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (record->fields[i].format == WS_FORMAT_REQUEST && strcmp(record->fields[i].name, "request") == 0)
            return &record->fields[i];
    return NULL;
}

/* Beside a completion a kind of record for those that change nothing of what the start said. */
static void add_twin(struct ws_schema *schema, const struct ws_record *completion)
{
    const struct ws_field *request = request_of(completion);
    struct ws_record twin = {.type = -1, .role = WS_ROLE_COMPLETE, .field_count = 1};

    if (completion->role != WS_ROLE_COMPLETE || !request || completion->field_count == 1)
        return;
    twin.name = ws_arena_printf(&schema->arena, "%s" TWIN_ENDING, completion->name);
    if (record_name_taken(schema, twin.name))
        return;
    twin.fields = ws_arena_alloc(&schema->arena, sizeof *twin.fields);
    twin.fields[0] = *request;
    schema->records[schema->record_count++] = twin;
}

size_t ws_tracegen_twin(const struct ws_schema *schema, size_t completion)
{
    const struct ws_record *record = &schema->records[completion];
    size_t length = strlen(record->name), next = completion + 1;

    if (record->role == WS_ROLE_COMPLETE && next < schema->record_count &&
        strncmp(schema->records[next].name, record->name, length) == 0 &&
        strcmp(schema->records[next].name + length, TWIN_ENDING) == 0)
        return next;
    return schema->record_count;
}

static int add_record(struct ws_schema *schema, const struct ws_trace_rule *rule, struct ws_error *error)
{
    struct ws_record made = {
        .name = record_name(schema, rule),
        .type = rule_type(rule),
        .role = rule->role,
        .field_count = rule->param_count,
        .fields = ws_arena_alloc(&schema->arena, (rule->param_count + 1) * sizeof *made.fields),
    };

    for (size_t i = 0; i < rule->param_count; i++) {
        const struct ws_param *param = &rule->params[i];
        enum ws_format format = ws_format_find(param->format);
        if (format == WS_FORMAT_COUNT)
            return ws_fail(error, WS_BAD_INPUT, "event '%s': unknown format '%s'", rule->event,
                           param->format);
        made.fields[i] = make_field(schema, param);
    }
    schema->records[schema->record_count++] = made;
    add_twin(schema, &made);
    return 0;
}

static int add_records(struct ws_schema *schema, const struct ws_kb *kb, struct ws_error *error)
{
    schema->records =
        ws_arena_alloc(&schema->arena, (2 * kb->trace_rule_count + 1) * sizeof *schema->records);
    for (size_t i = 0; i < kb->trace_rule_count; i++) {
        if (kb->trace_rules[i]->function_count == 0 ||
            ws_tracegen_record(schema, kb->trace_rules[i]) < schema->record_count)
            continue;
        if (add_record(schema, kb->trace_rules[i], error) != 0)
            return -1;
    }
    if (schema->record_count > UINT16_MAX - WS_FIRST_KIND)
        return ws_fail(error, WS_BAD_INPUT, "the trace rules need too many kinds of records");
    return 0;
}

/* `final` by its place in the first kind of completion that has a parameter of this name. */
static int find_final(const struct ws_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->record_count; i++)
        for (size_t j = 0; schema->records[i].role == WS_ROLE_COMPLETE && j < schema->records[i].field_count;
             j++)
            if (strcmp(schema->records[i].fields[j].name, name) == 0)
                return (int)j;
    return -1;
}

static void resolve_finals(struct ws_schema *schema)
{
    for (size_t i = 0; i < schema->record_count; i++)
        for (size_t j = 0; j < schema->records[i].field_count; j++) {
            struct ws_field *field = &schema->records[i].fields[j];
            if (field->final_name)
                field->final = find_final(schema, field->final_name);
        }
}

int ws_schema_from_kb(const struct ws_kb *kb, struct ws_schema *schema, struct ws_error *error)
{
    *schema = (struct ws_schema){0};
    schema->runtime = copy(schema, kb->runtime);
    if (strcmp(kb->about.process, "rank") != 0)
        schema->process = copy(schema, kb->about.process);
    if (add_types(schema, kb, error) != 0 || add_functions(schema, kb, error) != 0 ||
        add_records(schema, kb, error) != 0) {
        ws_schema_free(schema);
        return -1;
    }
    resolve_finals(schema);
    return 0;
}
