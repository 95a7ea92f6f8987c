/* trace.json: the schema of a trace, written and read. */
#include "trace/schema.h"

#include "trace/layout.h"
#include "trace/stream.h"
#include "util/file.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Far above any knowledge base, low enough that no damaged file keeps the reader busy. */
#define SCHEMA_MOST_BYTES ((size_t)16 << 20)
#define MOST_KINDS ((size_t)4096) /* of records, of types, of fields in one of them */
#define MOST_FUNCTIONS ((size_t)UINT16_MAX)
#define MOST_NAME 255

/* Features that a trace may require of its reader: none yet. */
static const char *const features[] = {NULL};

/* ---- checks, on what is written as on what is read ---- */

static bool is_name(const char *name)
{
    size_t length = strlen(name);

    if (length == 0 || length > MOST_NAME || isdigit((unsigned char)name[0]))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_')
            return false;
    return true;
}

static int check_name(const char *path, const char *what, const char *name, struct ws_error *error)
{
    if (is_name(name))
        return 0;
    return ws_fail(error, WS_BAD_INPUT, "%s: \"%.60s\" cannot be the name of a %s", path, name, what);
}

bool ws_may_be_constant(enum ws_format format)
{
    return format != WS_FORMAT_STRING && format != WS_FORMAT_REAL && format != WS_FORMAT_REQUEST &&
           format != WS_FORMAT_COMM && format != WS_FORMAT_WINDOW;
}

static int param_index(const struct ws_schema_type *type, const char *name)
{
    for (size_t i = 0; i < type->param_count; i++)
        if (strcmp(type->params[i], name) == 0)
            return (int)i;
    return -1;
}

static int field_index(const struct ws_record *record, const char *name)
{
    for (size_t i = 0; i < record->field_count; i++)
        if (strcmp(record->fields[i].name, name) == 0)
            return (int)i;
    return -1;
}

static const struct ws_schema_type *find_type(const struct ws_schema *schema, const char *name)
{
    for (size_t i = 0; i < schema->type_count; i++)
        if (strcmp(schema->types[i].name, name) == 0)
            return &schema->types[i];
    return NULL;
}

static int check_type(const struct ws_schema *schema, const struct ws_schema_type *type, const char *path,
                      struct ws_error *error)
{
    if (check_name(path, "type", type->name, error) != 0)
        return -1;
    if (find_type(schema, type->name) != type)
        return ws_fail(error, WS_BAD_INPUT, "%s: type \"%s\" is there twice", path, type->name);
    for (size_t i = 0; i < type->param_count; i++) {
        if (check_name(path, "parameter", type->params[i], error) != 0)
            return -1;
        if (param_index(type, type->params[i]) != (int)i)
            return ws_fail(error, WS_BAD_INPUT, "%s: type \"%s\" has parameter \"%s\" twice", path,
                           type->name, type->params[i]);
    }
    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_schema_number *number = &type->numbers[i];
        if (check_name(path, "number", number->name, error) != 0)
            return -1;
        if (number->of && !find_type(schema, number->of))
            return ws_fail(error, WS_BAD_INPUT, "%s: number \"%s\" of type \"%s\" counts \"%s\", no type",
                           path, number->name, type->name, number->of);
        for (size_t k = 0; k < number->by_count; k++)
            if (param_index(type, number->by[k]) < 0)
                return ws_fail(error, WS_BAD_INPUT,
                               "%s: number \"%s\" of type \"%s\" is by \"%s\", no parameter", path,
                               number->name, type->name, number->by[k]);
    }
    return 0;
}

static int check_record(const struct ws_schema *schema, const struct ws_record *record, const char *path,
                        struct ws_error *error)
{
    if (check_name(path, "record", record->name, error) != 0)
        return -1;
    if (record->type < -1 || record->type >= (int64_t)schema->type_count)
        return ws_fail(error, WS_BAD_INPUT, "%s: record \"%s\" forms a type that is not there", path,
                       record->name);
    if (record->field_count > WS_MOST_FIELDS)
        return ws_fail(error, WS_BAD_INPUT, "%s: record \"%s\" has more than %d fields", path, record->name,
                       WS_MOST_FIELDS);
    for (size_t i = 0; i < record->field_count; i++) {
        if (check_name(path, "field", record->fields[i].name, error) != 0)
            return -1;
        if (record->fields[i].is_constant && !ws_may_be_constant(record->fields[i].format))
            return ws_fail(error, WS_BAD_INPUT, "%s: field \"%s\" of record \"%s\" cannot be constant", path,
                           record->fields[i].name, record->name);
        if (field_index(record, record->fields[i].name) != (int)i)
            return ws_fail(error, WS_BAD_INPUT, "%s: record \"%s\" has field \"%s\" twice", path,
                           record->name, record->fields[i].name);
    }
    return 0;
}

static int check(const struct ws_schema *schema, const char *path, struct ws_error *error)
{
    if (schema->record_count > MOST_KINDS || schema->type_count > MOST_KINDS ||
        schema->function_count > MOST_FUNCTIONS)
        return ws_fail(error, WS_BAD_INPUT, "%s: too many kinds of records, types or functions", path);
    if (check_name(path, "runtime", schema->runtime, error) != 0 ||
        (schema->process && check_name(path, "process", schema->process, error) != 0))
        return -1;
    for (size_t i = 0; i < schema->function_count; i++)
        if (check_name(path, "function", schema->functions[i], error) != 0)
            return -1;
    for (size_t i = 0; i < schema->type_count; i++)
        if (check_type(schema, &schema->types[i], path, error) != 0)
            return -1;
    for (size_t i = 0; i < schema->record_count; i++)
        if (check_record(schema, &schema->records[i], path, error) != 0)
            return -1;
    return 0;
}

/* ---- writing ---- */

static json_t *type_json(const struct ws_schema_type *type)
{
    json_t *params = json_array(), *numbers = json_array();

    for (size_t i = 0; i < type->param_count; i++)
        json_array_append_new(params, json_pack("{s:s, s:s}", "name", type->params[i], "type",
                                                ws_type_name(type->param_types[i])));
    for (size_t i = 0; i < type->number_count; i++) {
        const struct ws_schema_number *number = &type->numbers[i];
        json_t *by = json_array();
        for (size_t k = 0; k < number->by_count; k++)
            json_array_append_new(by, json_string(number->by[k]));
        json_array_append_new(numbers, json_pack("{s:s, s:o, s:s*, s:i}", "name", number->name, "by", by,
                                                 "of", number->of, "plus", number->plus));
    }
    return json_pack("{s:s, s:o, s:o}", "name", type->name, "params", params, "numbers", numbers);
}

static json_t *record_json(const struct ws_schema *schema, const struct ws_record *record)
{
    json_t *fields = json_array();

    for (size_t i = 0; i < record->field_count; i++) {
        const struct ws_field *field = &record->fields[i];
        json_t *json = json_pack("{s:s, s:s}", "name", field->name, "format", ws_formats[field->format].name);
        if (field->final_name)
            json_object_set_new(json, "final", json_string(field->final_name));
        if (field->is_constant)
            json_object_set_new(json, "constant", json_integer(field->constant));
        json_array_append_new(fields, json);
    }
    return json_pack("{s:s, s:s*, s:s, s:o}", "name", record->name, "type",
                     record->type >= 0 ? schema->types[record->type].name : NULL, "role",
                     ws_role_names[record->role], "fields", fields);
}

static json_t *schema_json(const struct ws_schema *schema)
{
    json_t *functions = json_array(), *types = json_array(), *records = json_array(), *root;

    for (size_t i = 0; i < schema->function_count; i++)
        json_array_append_new(functions, json_string(schema->functions[i]));
    for (size_t i = 0; i < schema->type_count; i++)
        json_array_append_new(types, type_json(&schema->types[i]));
    for (size_t i = 0; i < schema->record_count; i++)
        json_array_append_new(records, record_json(schema, &schema->records[i]));
    root = json_pack("{s:i, s:[], s:s, s:s, s:o, s:o, s:o}", "format", WS_TRACE_FORMAT, "requires", "uuid",
                     schema->uuid, "runtime", schema->runtime, "functions", functions, "types", types,
                     "records", records);
    if (root && schema->process)
        json_object_set_new(root, "process", json_string(schema->process));
    return root;
}

static int make_uuid(char uuid[37], struct ws_error *error)
{
    unsigned char byte[16];
    char *at = uuid;

    if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte)
        return ws_fail(error, WS_ENVIRONMENT, "no random numbers for the identity of the trace: %s",
                       strerror(errno));
    byte[6] = (unsigned char)((byte[6] & 0x0f) | 0x40);
    byte[8] = (unsigned char)((byte[8] & 0x3f) | 0x80);
    for (size_t i = 0; i < sizeof byte; i++)
        at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", byte[i]);
    return 0;
}

/* Streams of an earlier trace in the same folder would be foreign to this one. */
static int remove_streams(const char *folder, struct ws_error *error)
{
    char **names = ws_folder_names(folder, "", error);
    struct ws_text path = {0};
    int result = names ? 0 : -1;

    for (size_t i = 0; result == 0 && names[i]; i++) {
        uint32_t rank, thread;
        if (!ws_stream_name_parse(names[i], &rank, &thread))
            continue;
        ws_text_clear(&path);
        ws_text_printf(&path, "%s/%s", folder, names[i]);
        if (unlink(path.bytes) != 0)
            result = ws_fail(error, WS_ENVIRONMENT, "%s: cannot remove: %s", path.bytes, strerror(errno));
    }
    ws_text_free(&path);
    ws_names_free(names);
    return result;
}

static int write_metadata(const char *folder, const struct ws_schema *schema, struct ws_error *error)
{
    struct ws_text path = {0}, text = {0};
    int result;

    ws_text_printf(&path, "%s/metadata", folder);
    ws_schema_metadata(schema, &text);
    result = ws_file_write(path.bytes, text.bytes, text.length, error);
    ws_text_free(&path);
    ws_text_free(&text);
    return result;
}

static int write_json(const char *path, const struct ws_schema *schema, struct ws_error *error)
{
    json_t *root = schema_json(schema);
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    int result = text ? ws_file_write(path, text, strlen(text), error)
                      : ws_fail(error, WS_ENVIRONMENT, "%s: cannot be written as JSON", path);

    json_decref(root);
    free(text);
    return result;
}

int ws_trace_create(const char *directory, struct ws_schema *schema, struct ws_error *error)
{
    struct ws_arena arena = {0};
    const char *path = ws_arena_printf(&arena, "%s/trace.json", directory);
    const char *folder = ws_arena_printf(&arena, "%s/ctf", directory);
    int result = check(schema, path, error);

    if (result == 0)
        result = make_uuid(schema->uuid, error);
    if (result == 0)
        result = ws_make_folder(folder, error);
    if (result == 0)
        result = remove_streams(folder, error);
    if (result == 0)
        result = write_metadata(folder, schema, error);
    if (result == 0)
        result = write_json(path, schema, error);
    ws_arena_free(&arena);
    return result;
}

/* ---- reading ---- */

struct reading {
    const char *path;
    struct ws_schema *schema;
    struct ws_arena *arena;
    struct ws_error *error;
};

static int wrong(const struct reading *in, const char *what, const char *why)
{
    return ws_fail(in->error, WS_BAD_INPUT, "%s: damaged: %s: %s", in->path, what, why);
}

static bool is_list(const json_t *json)
{
    return json_is_array(json) && json_array_size(json) <= MOST_KINDS;
}

/* The names in a JSON array of strings, copied. */
static int read_names(const struct reading *in, const json_t *array, const char *what, const char ***names,
                      size_t *count)
{
    size_t n = json_array_size(array);

    if (!json_is_array(array))
        return wrong(in, what, "not a list");
    *names = ws_arena_alloc(in->arena, (n + 1) * sizeof **names);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(array, i));
        if (!name)
            return wrong(in, what, "not a list of names");
        (*names)[i] = ws_arena_strdup(in->arena, name);
    }
    *count = n;
    return 0;
}

static int read_number(const struct reading *in, json_t *json, struct ws_schema_number *number)
{
    const char *name, *of = NULL;
    json_error_t cause;
    json_t *by;

    if (json_unpack_ex(json, &cause, 0, "{s:s, s:o, s?:s, s?:i}", "name", &name, "by", &by, "of", &of, "plus",
                       &number->plus) != 0)
        return wrong(in, "a number", cause.text);
    number->name = ws_arena_strdup(in->arena, name);
    number->of = of ? ws_arena_strdup(in->arena, of) : NULL;
    return read_names(in, by, "a number's \"by\"", &number->by, &number->by_count);
}

static int read_param(const struct reading *in, json_t *json, const char **name, enum ws_type *type)
{
    const char *text, *type_text;
    json_error_t cause;

    if (json_unpack_ex(json, &cause, 0, "{s:s, s:s}", "name", &text, "type", &type_text) != 0)
        return wrong(in, "a parameter", cause.text);
    *name = ws_arena_strdup(in->arena, text);
    for (int i = WS_TYPE_INTEGER; i <= WS_TYPE_EVENT; i++)
        if (strcmp(type_text, ws_type_name((enum ws_type)i)) == 0) {
            *type = (enum ws_type)i;
            return 0;
        }
    return wrong(in, "a parameter's type is unknown", type_text);
}

static int read_type(const struct reading *in, json_t *json, struct ws_schema_type *type)
{
    const char *name;
    json_error_t cause;
    json_t *params, *numbers;

    if (json_unpack_ex(json, &cause, 0, "{s:s, s:o, s:o}", "name", &name, "params", &params, "numbers",
                       &numbers) != 0)
        return wrong(in, "a type", cause.text);
    if (!is_list(params) || !is_list(numbers))
        return wrong(in, name, "its parts are no lists of a sane length");
    type->name = ws_arena_strdup(in->arena, name);
    type->param_count = json_array_size(params);
    type->params = ws_arena_alloc(in->arena, (type->param_count + 1) * sizeof *type->params);
    type->param_types = ws_arena_alloc(in->arena, (type->param_count + 1) * sizeof *type->param_types);
    for (size_t i = 0; i < type->param_count; i++)
        if (read_param(in, json_array_get(params, i), &type->params[i], &type->param_types[i]) != 0)
            return -1;
    type->number_count = json_array_size(numbers);
    type->numbers = ws_arena_alloc(in->arena, (type->number_count + 1) * sizeof *type->numbers);
    for (size_t i = 0; i < type->number_count; i++)
        if (read_number(in, json_array_get(numbers, i), &type->numbers[i]) != 0)
            return -1;
    return 0;
}

static int read_field(const struct reading *in, json_t *json, struct ws_field *field)
{
    const char *name, *format, *final = NULL;
    json_int_t constant = 0;
    json_error_t cause;

    if (json_unpack_ex(json, &cause, 0, "{s:s, s:s, s?:s, s?:I}", "name", &name, "format", &format, "final",
                       &final, "constant", &constant) != 0)
        return wrong(in, "a field", cause.text);
    field->is_constant = json_object_get(json, "constant") != NULL;
    field->constant = constant;
    field->name = ws_arena_strdup(in->arena, name);
    field->final_name = final ? ws_arena_strdup(in->arena, final) : NULL;
    field->final = -1;
    field->format = ws_format_find(format);
    return field->format == WS_FORMAT_COUNT ? wrong(in, "a field's format is unknown", format) : 0;
}

static int read_record(const struct reading *in, json_t *json, struct ws_record *record)
{
    const char *name, *type = NULL, *role;
    json_error_t cause;
    json_t *fields;

    if (json_unpack_ex(json, &cause, 0, "{s:s, s?:s, s:s, s:o}", "name", &name, "type", &type, "role", &role,
                       "fields", &fields) != 0)
        return wrong(in, "a record", cause.text);
    record->name = ws_arena_strdup(in->arena, name);
    record->type = -1;
    if (type) {
        const struct ws_schema_type *found = find_type(in->schema, type);
        if (!found)
            return wrong(in, "a record forms an unknown type", type);
        record->type = (int)(found - in->schema->types);
    }
    record->role = ws_role_find(role);
    if (record->role == WS_ROLE_COUNT)
        return wrong(in, "a record's role is unknown", role);
    if (!is_list(fields))
        return wrong(in, name, "its fields are no list of a sane length");
    record->field_count = json_array_size(fields);
    record->fields = ws_arena_alloc(in->arena, (record->field_count + 1) * sizeof *record->fields);
    for (size_t i = 0; i < record->field_count; i++)
        if (read_field(in, json_array_get(fields, i), &record->fields[i]) != 0)
            return -1;
    return 0;
}

static void resolve_finals(struct ws_schema *schema)
{
    for (size_t i = 0; i < schema->record_count; i++)
        for (size_t k = 0; k < schema->records[i].field_count; k++) {
            struct ws_field *field = &schema->records[i].fields[k];
            for (size_t c = 0; field->final_name && field->final < 0 && c < schema->record_count; c++)
                if (schema->records[c].role == WS_ROLE_COMPLETE)
                    field->final = field_index(&schema->records[c], field->final_name);
        }
}

static int read_body(const struct reading *in, json_t *root)
{
    struct ws_schema *schema = in->schema;
    json_t *functions, *types, *records;
    const char *uuid, *runtime, *process = NULL;
    json_error_t cause;

    if (json_unpack_ex(root, &cause, 0, "{s:s, s:s, s?:s, s:o, s:o, s:o}", "uuid", &uuid, "runtime", &runtime,
                       "process", &process, "functions", &functions, "types", &types, "records", &records) != 0)
        return wrong(in, "the trace", cause.text);
    if (!is_list(types) || !is_list(records))
        return wrong(in, "the trace", "its parts are no lists of a sane length");
    if (strlen(uuid) != sizeof schema->uuid - 1)
        return wrong(in, "not an identity", uuid);
    strcpy(schema->uuid, uuid);
    schema->runtime = ws_arena_strdup(in->arena, runtime);
    schema->process = process ? ws_arena_strdup(in->arena, process) : NULL;
    if (read_names(in, functions, "functions", &schema->functions, &schema->function_count) != 0)
        return -1;
    schema->types = ws_arena_alloc(in->arena, (json_array_size(types) + 1) * sizeof *schema->types);
    for (size_t i = 0; i < json_array_size(types); i++)
        if (read_type(in, json_array_get(types, i), &schema->types[i]) != 0)
            return -1;
    schema->type_count = json_array_size(types);
    schema->records = ws_arena_alloc(in->arena, (json_array_size(records) + 1) * sizeof *schema->records);
    for (size_t i = 0; i < json_array_size(records); i++)
        if (read_record(in, json_array_get(records, i), &schema->records[i]) != 0)
            return -1;
    schema->record_count = json_array_size(records);
    resolve_finals(schema);
    return check(schema, in->path, in->error);
}

static bool is_feature(const char *name)
{
    for (size_t i = 0; features[i]; i++)
        if (strcmp(features[i], name) == 0)
            return true;
    return false;
}

/* A trace says which version of the format it has and what its reader must know. */
static int check_version(const struct reading *in, json_t *root)
{
    json_t *requires = json_object_get(root, "requires"), *feature;
    json_t *format = json_object_get(root, "format");
    size_t i;

    if (!json_is_integer(format) || !json_is_array(requires))
        return ws_fail(in->error, WS_BAD_INPUT, "%s: not a trace of Whyslow: it states no format", in->path);
    if (json_integer_value(format) != WS_TRACE_FORMAT)
        return ws_fail(in->error, WS_BAD_INPUT,
                       "%s: written in trace format %lld, this Whyslow reads format %d: %s", in->path,
                       (long long)json_integer_value(format), WS_TRACE_FORMAT,
                       json_integer_value(format) > WS_TRACE_FORMAT
                           ? "read it with the Whyslow that recorded it, or a newer one"
                           : "record it again");
    json_array_foreach(requires, i, feature)
    {
        const char *name = json_string_value(feature);
        if (!name || !is_feature(name))
            return ws_fail(
                in->error, WS_BAD_INPUT,
                "%s: the trace requires \"%.100s\", which this Whyslow does not know: read it with "
                "the Whyslow that recorded it, or a newer one",
                in->path, name ? name : "?");
    }
    return 0;
}

static int read_root(const struct reading *in)
{
    json_error_t cause;
    size_t length;
    char *text = ws_file_read(in->path, SCHEMA_MOST_BYTES, &length, in->error);
    json_t *root;
    int result;

    if (!text)
        return -1;
    root = json_loadb(text, length, 0, &cause);
    free(text);
    if (!root)
        return ws_fail(in->error, WS_BAD_INPUT, "%s:%d: damaged, not JSON: %s", in->path, cause.line,
                       cause.text);
    result = check_version(in, root);
    if (result == 0)
        result = read_body(in, root);
    json_decref(root);
    return result;
}

int ws_schema_read(const char *directory, struct ws_schema *schema, struct ws_error *error)
{
    struct reading in = {.schema = schema, .arena = &schema->arena, .error = error};
    int result;

    *schema = (struct ws_schema){0};
    in.path = ws_arena_printf(in.arena, "%s/trace.json", directory);
    if (!ws_is_folder(directory))
        result = ws_fail(error, WS_BAD_INPUT, "%s: no such folder", directory);
    else if (!ws_is_file(in.path))
        result = ws_fail(error, WS_BAD_INPUT,
                         "%s: not a trace of Whyslow: it has no trace.json (record one by `whyslow run`)",
                         directory);
    else
        result = read_root(&in);
    if (result != 0)
        ws_schema_free(schema);
    return result;
}

void ws_schema_free(struct ws_schema *schema)
{
    ws_arena_free(&schema->arena);
    *schema = (struct ws_schema){0};
}
