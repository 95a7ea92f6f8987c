/* The schema of the trace that a recorder made from this knowledge base writes. */
#include "tracegen/internal.h"

#include "trace/layout.h"

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

static bool same_record(const struct ws_record *record, const struct ws_trace_rule *rule)
{
    if (record->type != rule_type(rule) || record->role != rule->role ||
        record->field_count != rule->param_count)
        return false;
    for (size_t i = 0; i < rule->param_count; i++) {
        const struct ws_field *field = &record->fields[i];
        if (strcmp(field->name, rule->params[i].name) != 0 ||
            field->format != ws_format_find(rule->params[i].format) ||
            !ws_same_text(field->final_name, rule->params[i].final))
            return false;
    }
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
        made.fields[i] = (struct ws_field){
            .name = copy(schema, param->name),
            .format = format,
            .final = -1,
            .final_name = copy(schema, param->final),
        };
    }
    schema->records[schema->record_count++] = made;
    return 0;
}

static int add_records(struct ws_schema *schema, const struct ws_kb *kb, struct ws_error *error)
{
    schema->records = ws_arena_alloc(&schema->arena, (kb->trace_rule_count + 1) * sizeof *schema->records);
    for (size_t i = 0; i < kb->trace_rule_count; i++) {
        if (kb->trace_rules[i]->function_count == 0 ||
            ws_tracegen_record(schema, kb->trace_rules[i]) < schema->record_count)
            continue;
        if (add_record(schema, kb->trace_rules[i], error) != 0)
            return -1;
    }
    if (schema->record_count > UINT16_MAX - WS_FIRST_RECORD)
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
    if (add_types(schema, kb, error) != 0 || add_functions(schema, kb, error) != 0 ||
        add_records(schema, kb, error) != 0) {
        ws_schema_free(schema);
        return -1;
    }
    resolve_finals(schema);
    return 0;
}
