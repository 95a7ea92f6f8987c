/* Members of JSON objects, read strictly: what a file of ours should hold and does not is named by its place,
 * "runs[2].counts.loads", with the file and the cure.  `where` is the place of the object, "" or ending in
 * '.'. */
#ifndef WS_FIELDS_FIELDS_H
#define WS_FIELDS_FIELDS_H

#include "util/alloc.h"
#include "util/error.h"

#include <jansson.h>
#include <stdbool.h>

struct ws_fields {
    const char *path;
    struct ws_arena *arena; /* texts are copied there */
    struct ws_error *error;
    const char *maker; /* "whyslow probe": what writes such files */
};

/* The JSON object in a file (json_decref), of this kind and format (members "kind" and "format").  NULL with
 * *error (WS_BAD_INPUT) where it cannot be read, is no JSON, of another kind, or of a format that is not
 * known. */
json_t *ws_fields_load(const struct ws_fields *fields, const char *kind, int format);
/* Writes it to a file, readers see all or nothing; takes the reference.  Numbers that are none (NaN,
 * infinite) must not be in it.  -1 with *error (WS_ENVIRONMENT). */
int ws_fields_save(const char *path, json_t *object, struct ws_error *error);

/* What it is, for messages: "a number"; NULL is "nothing". */
const char *ws_fields_kind_of(const json_t *json);
/* "number" is wanted; returns -1 with *error. */
int ws_fields_wanted(const struct ws_fields *fields, const char *where, const char *key, const char *what,
                     const json_t *found);

/* Each gives 0, or -1 with *error.  A member that is not there, or null, leaves the default. */
int ws_fields_text(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   const char **text);
int ws_fields_number(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                     double least, double most, double *number);
int ws_fields_flag(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   bool *flag);
/* The same, but it must be there. */
int ws_fields_need_number(const struct ws_fields *fields, const json_t *object, const char *where,
                          const char *key, double least, double most, double *number);
int ws_fields_need_text(const struct ws_fields *fields, const json_t *object, const char *where,
                        const char *key, const char **text);
/* A member object: *part is NULL where it is missing. */
int ws_fields_part(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   const json_t **part);
/* A member list of objects: *list is NULL where it is missing, *count its length then 0. */
int ws_fields_list(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                   const json_t **list, size_t *count);

/* A number as JSON; of one that is none, null. */
json_t *ws_fields_real(double number);
/* A text as JSON, whatever bytes are in it. */
json_t *ws_fields_string(const char *text);

/* A number with its name, of an object whose members are all numbers. */
struct ws_named {
    const char *name;
    double number;
};
struct ws_named_list {
    struct ws_named *items;
    size_t count;
};
int ws_fields_named(const struct ws_fields *fields, const json_t *object, const char *where, const char *key,
                    struct ws_named_list *list);
/* The number of this name, or `otherwise`. */
double ws_named_get(const struct ws_named_list *list, const char *name, double otherwise);
json_t *ws_named_tree(const struct ws_named_list *list);

#endif
