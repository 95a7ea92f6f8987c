#include "trace/meaning.h"

#include <string.h>

/* By the names of the types and parameters, which are those of kb/mpi; types of other runtimes that mean the same
 * have the same names. */
static const struct {
    const char *type;
    enum ws_means means;
    enum ws_flow flow;
} types[] = {
    {"send", WS_MEANS_SEND, WS_FLOW_NONE},
    {"recv", WS_MEANS_RECV, WS_FLOW_NONE},
    {"probe", WS_MEANS_PROBE, WS_FLOW_NONE},
    {"barrier", WS_MEANS_COLLECTIVE, WS_FLOW_ALL},
    {"reduce", WS_MEANS_COLLECTIVE, WS_FLOW_TO_ROOT},
    {"broadcast", WS_MEANS_COLLECTIVE, WS_FLOW_FROM_ROOT},
    {"nxn", WS_MEANS_COLLECTIVE, WS_FLOW_ALL},
    {"scan", WS_MEANS_COLLECTIVE, WS_FLOW_PREFIX},
    {"part", WS_MEANS_PART, WS_FLOW_NONE},
    {"communicator", WS_MEANS_COMMUNICATOR, WS_FLOW_ALL},
    {"communicator_free", WS_MEANS_COMMUNICATOR_FREE, WS_FLOW_NONE},
    {"lock", WS_MEANS_LOCK, WS_FLOW_NONE},
    {"unlock", WS_MEANS_UNLOCK, WS_FLOW_NONE},
    {"flush", WS_MEANS_FLUSH, WS_FLOW_NONE},
    {"rma", WS_MEANS_RMA, WS_FLOW_NONE},
    {"post", WS_MEANS_POST, WS_FLOW_NONE},
    {"start", WS_MEANS_START, WS_FLOW_NONE},
    {"complete", WS_MEANS_COMPLETE, WS_FLOW_NONE},
    {"exposure_wait", WS_MEANS_EXPOSURE_WAIT, WS_FLOW_NONE},
    {"window", WS_MEANS_WINDOW, WS_FLOW_ALL},
    {"window_change", WS_MEANS_CALL, WS_FLOW_ALL},
    {"window_free", WS_MEANS_WINDOW_FREE, WS_FLOW_ALL},
    {"fence", WS_MEANS_FENCE, WS_FLOW_ALL},
    {"allocation", WS_MEANS_CALL, WS_FLOW_ALL},
    {"file_open", WS_MEANS_FILE, WS_FLOW_NONE},
    {"file_close", WS_MEANS_FILE, WS_FLOW_NONE},
    {"file_read", WS_MEANS_FILE, WS_FLOW_NONE},
    {"file_write", WS_MEANS_FILE, WS_FLOW_NONE},
    {"file_change", WS_MEANS_FILE, WS_FLOW_NONE},
};
static const char *const params[WS_KNOWN_COUNT] = {
    [WS_KNOWN_PEER] = "peer",
    [WS_KNOWN_TAG] = "tag",
    [WS_KNOWN_COMM] = "comm",
    [WS_KNOWN_BYTES] = "bytes",
    [WS_KNOWN_N] = "n",
    [WS_KNOWN_SIZE] = "size",
    [WS_KNOWN_NEW_COMM] = "new_comm",
    [WS_KNOWN_FIRST] = "first",
    [WS_KNOWN_PARTS] = "count",
    [WS_KNOWN_ROOT] = "root",
    [WS_KNOWN_IS_ROOT] = "is_root",
    [WS_KNOWN_WINDOW] = "window",
    [WS_KNOWN_TARGET] = "target",
    [WS_KNOWN_ORIGIN] = "origin",
    [WS_KNOWN_EXCLUSIVE] = "exclusive",
    [WS_KNOWN_SYNCHRONOUS] = "synchronous",
    [WS_KNOWN_EXPOSED] = "exposed",
    [WS_KNOWN_TAKEN] = "taken",
    [WS_KNOWN_GIVEN] = "given",
};

static int find_slot(const struct ws_schema_type *type, const char *name)
{
    for (size_t i = 0; i < type->param_count; i++)
        if (strcmp(type->params[i], name) == 0)
            return (int)(WS_ATTR_COUNT + i);
    for (size_t i = 0; i < type->number_count; i++)
        if (strcmp(type->numbers[i].name, name) == 0)
            return (int)(WS_ATTR_COUNT + type->param_count + i);
    return -1;
}

struct ws_meaning *ws_meanings_make(const struct ws_schema *schema)
{
    struct ws_meaning *list = ws_alloc_array(schema->type_count, sizeof *list);

    for (size_t t = 0; t < schema->type_count; t++) {
        struct ws_meaning *meaning = &list[t];
        meaning->type = schema->types[t].name;
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            if (strcmp(types[i].type, meaning->type) == 0) {
                meaning->means = types[i].means;
                meaning->flow = types[i].flow;
            }
        for (size_t p = 0; p < WS_KNOWN_COUNT; p++)
            meaning->slot[p] = find_slot(&schema->types[t], params[p]);
    }
    return list;
}

int64_t ws_known(const struct ws_meaning *meaning, const struct ws_event *event, enum ws_known_param param,
                 int64_t otherwise)
{
    return meaning->slot[param] < 0 ? otherwise : event->value[meaning->slot[param]].i;
}
