#include "import/fields.h"

#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[WS_FIELD_NAMES] = {
#define X(name) #name,
    WS_KNOWN_FIELDS(X)
#undef X
};

struct ws_fields {
    const struct ws_schema *schema;
    int (*known)[WS_MOST_FIELDS]; /* [record][field]: enum ws_field_name, or -1 */
};

int ws_field_find(const char *name)
{
    for (int i = 0; i < WS_FIELD_NAMES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

struct ws_fields *ws_fields_new(const struct ws_schema *schema)
{
    struct ws_fields *fields = ws_alloc(sizeof *fields);

    fields->schema = schema;
    fields->known = ws_alloc_array(schema->record_count, sizeof *fields->known);
    for (size_t r = 0; r < schema->record_count; r++)
        for (size_t i = 0; i < schema->records[r].field_count; i++)
            fields->known[r][i] = ws_field_find(schema->records[r].fields[i].name);
    return fields;
}

void ws_fields_free(struct ws_fields *fields)
{
    free(fields->known);
    free(fields);
}

static bool has_values(const struct ws_fields *fields, size_t kind, const struct ws_facts_of *facts)
{
    const struct ws_record *record = &fields->schema->records[kind];

    for (size_t i = 0; i < record->field_count; i++) {
        int known = fields->known[kind][i];
        if (record->fields[i].is_constant && known >= 0 && record->fields[i].constant != facts->value[known])
            return false;
    }
    return true;
}

static bool is_of_type(const struct ws_fields *fields, const struct ws_record *record, const char *type)
{
    if (!type || record->type < 0)
        return !type && record->type < 0;
    return strcmp(fields->schema->types[record->type].name, type) == 0;
}

bool ws_fields_write(const struct ws_fields *fields, struct ws_writer *writer, const char *type,
                     enum ws_role role, const struct ws_facts_of *facts)
{
    union ws_value values[WS_MOST_FIELDS];
    size_t count = 0;

    for (size_t k = 0; k < fields->schema->record_count; k++) {
        const struct ws_record *record = &fields->schema->records[k];
        if (record->role != role || !is_of_type(fields, record, type) || !has_values(fields, k, facts))
            continue;
        for (size_t i = 0; i < record->field_count; i++)
            if (!record->fields[i].is_constant) {
                int known = fields->known[k][i];
                bool text = record->fields[i].format == WS_FORMAT_STRING;
                values[count++] = text ? (union ws_value){.s = ""}
                                       : (union ws_value){.i = known < 0 ? 0 : facts->value[known]};
            }
        ws_writer_record(writer, k, values);
        return true;
    }
    return false;
}
