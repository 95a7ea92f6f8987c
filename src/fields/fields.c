#include "fields/fields.h"

#include "util/file.h"
#include "util/utf8.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)64 << 20)

const char *ws_fields_kind_of(const json_t *json)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a text",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return json ? kinds[json_typeof(json)] : "nothing";
}

int ws_fields_wanted(const struct ws_fields *fields, const char *where, const char *key, const char *what,
                     const json_t *found)
{
    size_t length = strlen(where) - (!key[0] && where[0]); /* without the '.' before a key */

    return ws_fail(fields->error, WS_BAD_INPUT, "%s: %.*s%s: %s is wanted, not %s; is this what '%s' wrote?",
                   fields->path, (int)length, where, key, what, ws_fields_kind_of(found), fields->maker);
}

/* ---- files ---- */

static int check_format(const struct ws_fields *fields, const json_t *root, const char *kind, int format)
{
    const json_t *found = json_object_get(root, "format"), *named = json_object_get(root, "kind");

    if (!json_is_object(root))
        return ws_fields_wanted(fields, "", "the file", "an object", root);
    if (!json_is_string(named))
        return ws_fields_wanted(fields, "", "kind", "a text", named);
    if (strcmp(json_string_value(named), kind) != 0)
        return ws_fail(fields->error, WS_BAD_INPUT,
                       "%s: kind: this is a '%.60s', where a '%s' is wanted; '%s' writes those", fields->path,
                       json_string_value(named), kind, fields->maker);
    if (!json_is_integer(found))
        return ws_fields_wanted(fields, "", "format", "a whole number", found);
    if (json_integer_value(found) != format)
        return ws_fail(
            fields->error, WS_BAD_INPUT,
            "%s: format: this is version %lld, this Whyslow reads version %d; write it anew with '%s'",
            fields->path, (long long)json_integer_value(found), format, fields->maker);
    return 0;
}

json_t *ws_fields_load(const struct ws_fields *fields, const char *kind, int format)
{
    json_error_t cause;
    size_t length;
    char *text = ws_file_read(fields->path, MOST_BYTES, &length, fields->error);
    json_t *root;

    if (!text)
        return NULL;
    root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &cause);
    free(text);
    if (!root) {
        ws_fail(fields->error, WS_BAD_INPUT, "%s:%d:%d: not JSON: %s", fields->path, cause.line, cause.column,
                cause.text);
        return NULL;
    }
    if (check_format(fields, root, kind, format) != 0) {
        json_decref(root);
        return NULL;
    }
    return root;
}

int ws_fields_save(const char *path, json_t *object, struct ws_error *error)
{
    char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    int result = -1;

    json_decref(object);
    if (!text)
        ws_out_of("memory");
    text = ws_realloc_array(text, strlen(text) + 2, 1);
    strcat(text, "\n");
    result = ws_file_write(path, text, strlen(text), error);
    free(text);
    return result;
}

/* ---- members ---- */

static const json_t *member(const json_t *object, const char *key)
{
    const json_t *found = json_object_get(object, key);

    return json_is_null(found) ? NULL : found;
}

int ws_fields_text(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   const char **text)
{
    const json_t *found = member(object, key);

    if (found && !json_is_string(found))
        return ws_fields_wanted(fields, where, key, "a text", found);
    if (found)
        *text = ws_arena_strdup(fields->arena, json_string_value(found));
    else if (!*text)
        *text = "";
    return 0;
}

int ws_fields_number(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                     double least, double most, double *number)
{
    const json_t *found = member(object, key);
    double value;

    if (!found)
        return 0;
    if (!json_is_number(found))
        return ws_fields_wanted(fields, where, key, "a number", found);
    value = json_number_value(found);
    if (!(value >= least && value <= most))
        return ws_fail(fields->error, WS_BAD_INPUT,
                       "%s: %s%s: %g is not in the range from %g to %g; write it anew with '%s'",
                       fields->path, where, key, value, least, most, fields->maker);
    *number = value;
    return 0;
}

int ws_fields_flag(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   bool *flag)
{
    const json_t *found = member(object, key);

    if (found && !json_is_boolean(found))
        return ws_fields_wanted(fields, where, key, "true or false", found);
    if (found)
        *flag = json_is_true(found);
    return 0;
}

int ws_fields_need_number(const struct ws_fields *fields, const json_t *object, const char *where,
                          const char *key, double least, double most, double *number)
{
    if (!member(object, key))
        return ws_fields_wanted(fields, where, key, "a number", json_object_get(object, key));
    return ws_fields_number(fields, object, where, key, least, most, number);
}

int ws_fields_need_text(const struct ws_fields *fields, const json_t *object, const char *where,
                        const char *key, const char **text)
{
    if (!member(object, key))
        return ws_fields_wanted(fields, where, key, "a text", json_object_get(object, key));
    return ws_fields_text(fields, object, where, key, text);
}

int ws_fields_part(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   const json_t **part)
{
    *part = member(object, key);
    return *part && !json_is_object(*part) ? ws_fields_wanted(fields, where, key, "an object", *part) : 0;
}

int ws_fields_list(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   const json_t **list, size_t *count)
{
    *list = member(object, key);
    *count = json_array_size(*list);
    if (*list && !json_is_array(*list))
        return ws_fields_wanted(fields, where, key, "a list", *list);
    for (size_t i = 0; i < *count; i++) {
        const json_t *entry = json_array_get(*list, i);
        char at[128];
        snprintf(at, sizeof at, "%s%s[%zu].", where, key, i);
        if (!json_is_object(entry))
            return ws_fields_wanted(fields, at, "", "an object", entry);
    }
    return 0;
}

json_t *ws_fields_real(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *ws_fields_string(const char *text)
{
    char *valid = ws_utf8_copy(text, false);
    json_t *string = json_string(valid);

    free(valid);
    return string;
}

/* ---- numbers with names ---- */

int ws_fields_named(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                    struct ws_named_list *list)
{
    const json_t *part, *value;
    const char *name;
    char at[128];

    if (ws_fields_part(fields, object, where, key, &part) != 0)
        return -1;
    snprintf(at, sizeof at, "%s%s.", where, key);
    list->items = ws_arena_alloc(fields->arena, (json_object_size(part) + 1) * sizeof *list->items);
    list->count = 0;
    json_object_foreach((json_t *)part, name, value)
    {
        struct ws_named *item = &list->items[list->count++];
        item->name = ws_arena_strdup(fields->arena, name);
        if (ws_fields_number(fields, part, at, name, -DBL_MAX, DBL_MAX, &item->number) != 0)
            return -1;
    }
    return 0;
}

double ws_named_get(const struct ws_named_list *list, const char *name, double otherwise)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return list->items[i].number;
    return otherwise;
}

json_t *ws_named_tree(const struct ws_named_list *list)
{
    json_t *tree = json_object();

    for (size_t i = 0; i < list->count; i++)
        json_object_set_new(tree, list->items[i].name, ws_fields_real(list->items[i].number));
    return tree;
}
