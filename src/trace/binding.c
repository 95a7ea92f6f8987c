#include "trace/binding.h"

#include "trace/layout.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "streams are little-endian and read in place");

#define MOST_COMPLETIONS 64 /* kinds of records that complete: one or two in practice */

static int find_field(const struct ws_record *record, const char *name)
{
    for (size_t i = 0; name && i < record->field_count; i++)
        if (strcmp(record->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

static int field_of_format(const struct ws_record *record, const char *name, enum ws_format format)
{
    int found = find_field(record, name);
    return found >= 0 && record->fields[found].format == format ? found : -1;
}

/* ---- layout of a record ---- */

static struct ws_bound_field bind_field(const struct ws_field *field, size_t index, size_t at, bool narrow)
{
    const struct ws_format_info *format = &ws_formats[field->format];
    unsigned size = narrow ? format->narrow_bytes : format->size_bytes;
    struct ws_bound_field bound = {.offset = (uint16_t)at, .index = (uint8_t)index};

    bound.shift = size ? (uint8_t)(64 - 8 * size) : 0;
    bound.how = size == 0                                       ? WS_FIELD_STRING
                : field->format == WS_FORMAT_BOOL               ? WS_FIELD_BOOL
                : field->format == WS_FORMAT_BYTES && size == 8 ? WS_FIELD_BYTES
                                                                : WS_FIELD_NUMBER;
    bound.is_signed = format->is_signed;
    return bound;
}

static void lay_out(struct ws_binding *binding, struct ws_bound_record *bound)
{
    const struct ws_record *record = bound->record;

    bound->constants = ws_arena_alloc(&binding->arena, (record->field_count + 1) * sizeof *bound->constants);
    for (int narrow = 0; narrow < 2; narrow++) {
        size_t at = 0;
        bool fixed = true;
        bound->stored[narrow] =
            ws_arena_alloc(&binding->arena, (record->field_count + 1) * sizeof **bound->stored);
        bound->stored_count = bound->fixed_count = bound->constant_count = 0;
        bound->quick = true; /* in the end, of the narrow ones */
        for (size_t i = 0; i < record->field_count; i++) {
            const struct ws_format_info *format = &ws_formats[record->fields[i].format];
            if (record->fields[i].is_constant) {
                bound->constants[bound->constant_count++] =
                    (struct ws_bound_constant){(uint8_t)i, record->fields[i].constant};
                continue;
            }
            fixed &= format->size_bytes != 0;
            bound->stored[narrow][bound->stored_count++] = bind_field(&record->fields[i], i, at, narrow);
            bound->fixed_count += fixed;
            bound->quick &= bound->stored[narrow][bound->stored_count - 1].how == WS_FIELD_NUMBER;
            at += fixed ? (narrow ? format->narrow_bytes : format->size_bytes) : 0;
        }
        bound->fixed_bytes[narrow] = at;
    }
}

/* Puts the request first: of most operations nothing else is wanted to follow them. */
static void put_request_first(struct ws_bound_record *bound)
{
    for (size_t i = 0; i < bound->fixed_count; i++)
        for (int narrow = 0; narrow < 2; narrow++) {
            struct ws_bound_field *stored = bound->stored[narrow], first = stored[i];
            if (first.index != bound->request)
                break;
            stored[i] = stored[0];
            stored[0] = first;
        }
}

static void bind_wanted(struct ws_bound_record *bound)
{
    enum ws_role role = bound->record->role;
    size_t all = bound->fixed_count, *wanted = bound->wanted;
    bool told = bound->resolves || bound->brings;

    for (size_t i = 0; i < WS_READINGS; i++)
        wanted[i] = all;
    if (role == WS_ROLE_PLAIN || (role == WS_ROLE_COMPLETE && !told))
        wanted[WS_READ_OUTCOMES] = 0;
    if (role == WS_ROLE_PLAIN)
        wanted[WS_READ_REQUESTS] = 0;
    if (bound->request < 0 || role == WS_ROLE_PLAIN || role == WS_ROLE_CONTINUE)
        return;
    put_request_first(bound);
    if (told)
        return;
    wanted[WS_READ_REQUESTS] = 1;
    wanted[WS_READ_OUTCOMES] = wanted[WS_READ_OUTCOMES] ? 1 : 0;
}

/* ---- which event a record forms ---- */

static int find_type(const struct ws_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->type_count; i++)
        if (strcmp(schema->types[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool forms_events(enum ws_role role)
{
    return role == WS_ROLE_PLAIN || role == WS_ROLE_START || role == WS_ROLE_INIT;
}

/* Only where the record has every parameter that the knowledge base wants, in the right type. */
static void bind_params(struct ws_binding *binding, struct ws_bound_record *bound,
                        const struct ws_schema *want, int type)
{
    const struct ws_schema_type *wanted = &want->types[type];
    int *fields = ws_arena_alloc(&binding->arena, (wanted->param_count + 1) * sizeof *fields);

    for (size_t i = 0; i < wanted->param_count; i++) {
        fields[i] = find_field(bound->record, wanted->params[i]);
        if (fields[i] < 0 ||
            ws_formats[bound->record->fields[fields[i]].format].type != wanted->param_types[i])
            return;
    }
    bound->fields = fields;
    bound->type = type;
    bound->own_count = binding->types[type].own_count;
}

static struct ws_bound_param bind_param(const struct ws_record *record, size_t field, bool final)
{
    struct ws_bound_param param = {.field = (uint16_t)field, .final = final, .how = WS_PARAM_PLAIN};

    switch (record->fields[field].format) {
    case WS_FORMAT_STRING:
        param.how = WS_PARAM_STRING;
        break;
    case WS_FORMAT_COMM:
        param.how = WS_PARAM_COMM;
        break;
    case WS_FORMAT_COMM_RANK:
        param.how = WS_PARAM_COMM_RANK;
        break;
    case WS_FORMAT_WINDOW:
        param.how = WS_PARAM_WINDOW;
        break;
    default:
        break;
    }
    return param;
}

/* The field of a completion that replaces a field of the operation's record, or -1. */
static int final_of(const struct ws_record *completion, const struct ws_field *field)
{
    int final = find_field(completion, field->final_name);

    if (final >= 0 && ws_formats[completion->fields[final].format].type != ws_formats[field->format].type)
        return -1;
    return final;
}

static struct ws_quick_field quick_field(const struct ws_bound_field *field, size_t before)
{
    uint64_t mask = UINT64_MAX >> field->shift;

    return (struct ws_quick_field){.mask = mask,
                                   .sign = field->is_signed ? mask ^ mask >> 1 : 0,
                                   .offset = (uint16_t)(before + field->offset),
                                   .index = field->index};
}

/* The field as a short record has it; NULL: it is constant. */
static const struct ws_bound_field *stored_field(const struct ws_bound_record *bound, size_t index)
{
    for (size_t i = 0; i < bound->stored_count; i++)
        if (bound->stored[1][i].index == index)
            return &bound->stored[1][i];
    return NULL;
}

static struct ws_bound_param bind_plain(const struct ws_bound_record *bound, size_t field)
{
    struct ws_bound_param param = bind_param(bound->record, field, false);
    const struct ws_bound_field *stored = stored_field(bound, field);

    if (stored)
        param.quick = quick_field(stored, 0);
    else
        param.constant = bound->record->fields[field].constant;
    return param;
}

static void bind_finals(struct ws_binding *binding, struct ws_bound_record *bound)
{
    size_t params = binding->types[bound->type].param_count;
    struct ws_bound_param *plain =
        ws_arena_alloc(&binding->arena, ((binding->completions + 1) * params + 1) * sizeof *plain);

    bound->params = plain;
    bound->translated = ws_arena_alloc(&binding->arena, (params + 1) * sizeof *bound->translated);
    for (size_t i = 0; i < params; i++)
        plain[i] = bind_plain(bound, (size_t)bound->fields[i]);
    for (size_t i = 0; i < params; i++)
        if (plain[i].how != WS_PARAM_PLAIN)
            bound->translated[bound->translated_count++] = (uint16_t)i;
    for (size_t c = 0; c < binding->record_count; c++) {
        const struct ws_bound_record *completion = &binding->records[c];
        for (size_t i = 0; completion->completion >= 0 && i < params; i++) {
            int final = final_of(completion->record, &bound->record->fields[bound->fields[i]]);
            plain[((size_t)completion->completion + 1) * params + i] =
                final < 0 ? plain[i] : bind_param(completion->record, (size_t) final, true);
            if (final >= 0)
                bound->final_by |= UINT64_C(1) << completion->completion;
        }
    }
}

/* Finds the word of a quick record in which all values of the key lie. */
static void pack_key(const struct ws_bound_record *bound, struct ws_bound_key *key, size_t count)
{
    size_t first = SIZE_MAX;

    for (size_t k = 0; k < count; k++) {
        const struct ws_bound_field *field = stored_field(bound, key->field[k]);
        first = field && field->offset < first ? field->offset : first;
    }
    key->offset = first == SIZE_MAX ? 0 : (uint16_t)first;
    for (size_t k = 0; k < count; k++) {
        const struct ws_bound_field *field = stored_field(bound, key->field[k]);
        size_t skipped = field ? 8 * (field->offset - first) : 0;
        key->packed &= !field || skipped <= field->shift;
        if (field && key->packed)
            key->mask |= UINT64_MAX >> field->shift << skipped;
    }
}

/* On one process, indexes tell communicators and windows apart as well as identities do. */
static void bind_keys(struct ws_binding *binding, struct ws_bound_record *bound)
{
    const struct ws_bound_type *type = &binding->types[bound->type];

    bound->keys = ws_arena_alloc(&binding->arena, (type->number_count + 1) * sizeof *bound->keys);
    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_bound_number *number = &type->numbers[i];
        bound->keys[i].direct = true;
        bound->keys[i].number = ++binding->key_count;
        for (size_t k = 0; k < number->by_count; k++) {
            const struct ws_bound_param *param = &bound->params[number->by[k]];
            bound->keys[i].field[k] = (uint8_t)param->field;
            bound->keys[i].direct &= param->how != WS_PARAM_COMM_RANK && param->how != WS_PARAM_STRING;
        }
        bound->keys[i].packed = bound->keys[i].direct && bound->quick;
        if (bound->keys[i].packed)
            pack_key(bound, &bound->keys[i], number->by_count);
    }
}

static void bind_record(struct ws_binding *binding, struct ws_bound_record *bound,
                        const struct ws_schema *want)
{
    const struct ws_record *record = bound->record;
    int type;

    lay_out(binding, bound);
    bound->role = record->role;
    bound->may_wait =
        record->role != WS_ROLE_START && record->role != WS_ROLE_INIT && record->role != WS_ROLE_RESTART;
    bound->request = field_of_format(record, "request", WS_FORMAT_REQUEST);
    bound->from = field_of_format(record, "from", WS_FORMAT_REQUEST);
    bound->comm = field_of_format(record, "comm", WS_FORMAT_COMM);
    bound->cancelled = field_of_format(record, "cancelled", WS_FORMAT_BOOL);
    bound->completion = record->role == WS_ROLE_COMPLETE ? (int)binding->completions++ : -1;
    bound->brings = record->role == WS_ROLE_COMPLETE && record->field_count > 1;
    bound->ends = record->role == WS_ROLE_COMPLETE && !bound->brings;
    bound->quick &= bound->from < 0;
    for (size_t i = 0; i < record->field_count; i++)
        bound->resolves |= record->fields[i].final_name != NULL;
    bind_wanted(bound);
    bound->type = -1;
    bound->type_name = record->type >= 0 ? binding->trace->types[record->type].name : "";
    if (record->type >= 0 && forms_events(record->role) && (type = find_type(want, bound->type_name)) >= 0)
        bind_params(binding, bound, want, type);
}

/* ---- numbers ---- */

static int find_param(const struct ws_schema_type *type, const char *name)
{
    for (size_t i = 0; i < type->param_count; i++)
        if (strcmp(type->params[i], name) == 0)
            return (int)i;
    return -1;
}

/* The counter of a type's own number by so many parameters; counters are named (type, place). */
static int own_number(const struct ws_schema_type *type, size_t by_count)
{
    for (size_t i = 0; i < type->number_count; i++)
        if (!type->numbers[i].of && type->numbers[i].by_count == by_count)
            return (int)i;
    return -1;
}

#define COUNTER(type, place) ((uint32_t)(type)*WS_MOST_NUMBERS + (uint32_t)(place))

static int bind_number(struct ws_binding *binding, const struct ws_schema *want, size_t t, size_t place,
                       struct ws_error *error)
{
    const struct ws_schema_type *type = &want->types[t];
    const struct ws_schema_number *number = &type->numbers[place];
    struct ws_bound_number *bound = &binding->types[t].numbers[place];
    int of = number->of ? find_type(want, number->of) : -1;
    int other = of >= 0 ? own_number(&want->types[of], number->by_count) : -1;

    if (number->of && other < 0)
        return ws_fail(error, WS_BAD_INPUT,
                       "number \"%s\" of \"%s\": \"%s\" counts nothing by as many values", number->name,
                       type->name, number->of);
    *bound = (struct ws_bound_number){.own = !number->of, .plus = number->plus, .by_count = number->by_count};
    bound->counter = number->of ? COUNTER(of, other) : COUNTER(t, place);
    binding->types[t].own_count += bound->own;
    if (number->by_count > WS_MOST_KEY)
        return ws_fail(error, WS_BAD_INPUT, "number \"%s\" of \"%s\" is by more than %d values", number->name,
                       type->name, WS_MOST_KEY);
    bound->by = ws_arena_alloc(&binding->arena, (number->by_count + 1) * sizeof *bound->by);
    for (size_t i = 0; i < number->by_count; i++)
        if ((bound->by[i] = find_param(type, number->by[i])) < 0)
            return ws_fail(error, WS_BAD_INPUT, "number \"%s\" of \"%s\": no parameter \"%s\"", number->name,
                           type->name, number->by[i]);
    return 0;
}

static int bind_types(struct ws_binding *binding, const struct ws_schema *want, struct ws_error *error)
{
    binding->type_count = want->type_count;
    binding->types = ws_arena_alloc(&binding->arena, (want->type_count + 1) * sizeof *binding->types);
    for (size_t t = 0; t < want->type_count; t++) {
        struct ws_bound_type *bound = &binding->types[t];
        size_t count = want->types[t].number_count, bytes;
        bound->param_count = want->types[t].param_count;
        bound->number_count = count;
        bound->numbers = ws_arena_alloc(&binding->arena, (count + 1) * sizeof *bound->numbers);
        binding->most_numbers = count > binding->most_numbers ? count : binding->most_numbers;
        bytes =
            sizeof(struct ws_event) + (WS_ATTR_COUNT + bound->param_count + count) * sizeof(union ws_value);
        binding->event_bytes = bytes > binding->event_bytes ? bytes : binding->event_bytes;
        if (count > WS_MOST_NUMBERS)
            return ws_fail(error, WS_BAD_INPUT, "type \"%s\" has more than %d numbers", want->types[t].name,
                           WS_MOST_NUMBERS);
        for (size_t i = 0; i < count; i++)
            if (bind_number(binding, want, t, i, error) != 0)
                return -1;
    }
    binding->event_bytes += sizeof(const char *);
    return 0;
}

static void list_missing(struct ws_binding *binding, const struct ws_schema *want)
{
    binding->missing = ws_arena_alloc(&binding->arena, (want->type_count + 1) * sizeof *binding->missing);
    for (size_t t = 0; t < want->type_count; t++) {
        bool formed = false;
        for (size_t i = 0; i < binding->record_count; i++)
            formed |= binding->records[i].type == (int)t;
        if (!formed)
            binding->missing[binding->missing_count++] =
                ws_arena_strdup(&binding->arena, want->types[t].name);
    }
}

static const struct ws_quick_field *bind_quick(struct ws_binding *binding,
                                               const struct ws_bound_record *record, size_t head)
{
    struct ws_quick_field *fields =
        ws_arena_alloc(&binding->arena, (record->fixed_count + 1) * sizeof *fields);

    for (size_t i = 0; i < record->fixed_count; i++)
        fields[i] = quick_field(&record->stored[1][i], head);
    return fields;
}

/* What is read of a quick record: constants with the last of its fields. */
static void bind_quick_wanted(const struct ws_bound_record *record, struct ws_bound_opening *opening)
{
    bool starts = record->role == WS_ROLE_START || record->role == WS_ROLE_INIT;

    for (size_t i = 0; i < WS_READINGS; i++) {
        bool all = record->wanted[i] == record->fixed_count;
        opening->wanted[i] = (uint8_t)record->wanted[i];
        if (i != WS_READ_VALUES && starts && record->request >= 0) {
            opening->wanted[i] = 1; /* the request: the rest is read when it is wanted */
            all = false;
        }
        opening->constants[i] = all ? (uint8_t)record->constant_count : 0;
    }
    if (record->role == WS_ROLE_PLAIN)
        opening->wanted[WS_READ_EVENTS] = opening->constants[WS_READ_EVENTS] = 0;
}

static struct ws_bound_opening bind_short(struct ws_binding *binding, const struct ws_bound_record *record,
                                          size_t form)
{
    static const uint8_t heads[] = {WS_TIGHT_BYTES, WS_COMPACT_BYTES, WS_MORE_BYTES};
    struct ws_bound_opening opening = {
        .record = record,
        .form = (uint8_t)(WS_FORM_TIGHT + form),
        .head = heads[form],
        .known = true,
        .quick = record->quick,
        .passes = record->quick && record->ends && heads[form] == WS_MORE_BYTES,
        .request = record->request < 0 ? WS_MOST_FIELDS : (uint8_t)record->request,
        .bytes = (uint16_t)(heads[form] + record->fixed_bytes[1]),
        .duration_mask = form == 0 ? UINT16_MAX : WS_SHORT_NS - 1,
    };

    if (!record->quick)
        return opening;
    bind_quick_wanted(record, &opening);
    opening.fields = bind_quick(binding, record, opening.head);
    if (opening.bytes + sizeof(uint64_t) > binding->plenty)
        binding->plenty = opening.bytes + sizeof(uint64_t);
    return opening;
}

static int64_t value_at(const struct ws_bound_field *field, const uint8_t *fields)
{
    const struct ws_quick_field quick = quick_field(field, 0);

    return ws_quick_value(&quick, fields);
}

int64_t ws_bound_value(const struct ws_bound_record *record, const uint8_t *fields, size_t index)
{
    const struct ws_bound_field *field = stored_field(record, index);

    return field ? value_at(field, fields) : record->record->fields[index].constant;
}

void ws_bound_values(const struct ws_bound_record *record, const uint8_t *fields, union ws_value *values)
{
    for (size_t i = 0; i < record->fixed_count; i++)
        values[record->stored[1][i].index].i = value_at(&record->stored[1][i], fields);
    for (size_t i = 0; i < record->constant_count; i++)
        values[record->constants[i].index].i = record->constants[i].value;
}

static void bind_openings(struct ws_binding *binding)
{
    size_t shorts = WS_SHORT_KINDS(binding->record_count), first = WS_FIRST_SHORT;

    for (size_t i = 0; i < WS_FIRST_SHORT; i++)
        binding->openings[i] = (struct ws_bound_opening){.form = WS_FORM_BUILT_IN, .known = true};
    for (size_t form = 0; form < 3; form++, first += shorts)
        for (size_t i = 0; i < shorts; i++)
            binding->openings[first + i] = bind_short(binding, &binding->records[i], form);
    binding->openings[WS_FULL_ID] = (struct ws_bound_opening){.form = WS_FORM_FULL, .known = true};
}

int ws_binding_make(struct ws_binding *binding, const struct ws_schema *trace, const struct ws_schema *want,
                    struct ws_error *error)
{
    *binding = (struct ws_binding){.trace = trace, .record_count = trace->record_count};
    binding->records = ws_arena_alloc(&binding->arena, (trace->record_count + 1) * sizeof *binding->records);
    if (bind_types(binding, want, error) != 0) {
        ws_binding_free(binding);
        return -1;
    }
    for (size_t i = 0; i < trace->record_count; i++) {
        binding->records[i].record = &trace->records[i];
        if (trace->records[i].field_count > binding->most_fields)
            binding->most_fields = trace->records[i].field_count;
        bind_record(binding, &binding->records[i], want);
    }
    if (binding->completions > MOST_COMPLETIONS) {
        ws_binding_free(binding);
        return ws_fail(error, WS_BAD_INPUT, "the trace has more than %d kinds of completion",
                       MOST_COMPLETIONS);
    }
    for (size_t i = 0; i < trace->record_count; i++)
        if (binding->records[i].type >= 0) {
            bind_finals(binding, &binding->records[i]);
            bind_keys(binding, &binding->records[i]);
        }
    bind_openings(binding);
    list_missing(binding, want);
    return 0;
}

void ws_binding_free(struct ws_binding *binding)
{
    ws_arena_free(&binding->arena);
    *binding = (struct ws_binding){0};
}
