/* Records of the schema, chosen by what is known of an operation. */
#ifndef WS_IMPORT_FIELDS_H
#define WS_IMPORT_FIELDS_H

#include "trace/schema.h"
#include "trace/writer.h"

/* clang-format off */
#define WS_KNOWN_FIELDS(X) \
    X(peer) X(tag) X(comm) X(bytes) X(synchronous) X(request) X(cancelled) X(source) X(size) X(root) X(is_root) X(next) \
    X(taken) X(window) X(target) X(origin) X(exclusive) X(exposed) X(given) X(new_comm) X(sources) X(destinations) \
    X(to) X(first) X(count) X(partitions) X(file) X(collective)
/* clang-format on */

enum ws_field_name {
#define X(name) WS_FIELD_##name,
    WS_KNOWN_FIELDS(X)
#undef X
        WS_FIELD_NAMES
};
/* What is known of an operation, in the terms of the records: peers as ranks of the world, communicators and
 * windows as the process's indexes. */
struct ws_facts_of {
    int64_t value[WS_FIELD_NAMES];
};

struct ws_fields;
struct ws_fields *ws_fields_new(const struct ws_schema *schema);
void ws_fields_free(struct ws_fields *fields);
/* The name of a parameter among those known, or -1. */
int ws_field_find(const char *name);

/* Writes the record of the writer's present call: of this event type (NULL: none) and role; of several the
 * one whose constant fields have the operation's values.  What a record wants to know and the facts do not
 * say is 0.  False where the rules have no such record. */
bool ws_fields_write(const struct ws_fields *fields, struct ws_writer *writer, const char *type,
                     enum ws_role role, const struct ws_facts_of *facts);

#endif
