#include "util/value.h"

const char *ws_type_name(enum ws_type type)
{
    static const char *const names[] = {"none",    "integer", "real", "time",
                                        "boolean", "string",  "site", "event"};
    return names[type];
}

const struct ws_attribute_info ws_attributes[WS_ATTR_COUNT] = {
    [WS_ATTR_T] = {"t", WS_TYPE_TIME, "start of the call in which the operation completed"},
    [WS_ATTR_D] = {"d", WS_TYPE_TIME, "duration of that call"},
    [WS_ATTR_END] = {"end", WS_TYPE_TIME, "end of that call, t + d"},
    [WS_ATTR_PROCESS] = {"process", WS_TYPE_INTEGER, "rank in MPI_COMM_WORLD of the process"},
    [WS_ATTR_SITE] = {"site", WS_TYPE_SITE, "call site of that call"},
    [WS_ATTR_FUNCTION] = {"function", WS_TYPE_STRING, "name of the function called"},
    [WS_ATTR_POSTED] = {"posted", WS_TYPE_TIME, "start of the call that started the operation"},
    [WS_ATTR_POSTED_SITE] = {"posted_site", WS_TYPE_SITE, "call site of the starting call"},
    [WS_ATTR_POSTED_FUNCTION] = {"posted_function", WS_TYPE_STRING, "function that started it"},
    [WS_ATTR_COMPUTE] = {"compute", WS_TYPE_TIME,
                         "time outside recorded calls since the last one that could wait"},
    [WS_ATTR_BEFORE] = {"before", WS_TYPE_STRING, "event type of that last call"},
    [WS_ATTR_BEFORE_D] = {"before_d", WS_TYPE_TIME, "duration of that last call"},
    [WS_ATTR_BEFORE_FUNCTION] = {"before_function", WS_TYPE_STRING, "name of the function of that last call"},
    [WS_ATTR_CALL] = {"call", WS_TYPE_INTEGER,
                      "number of the call on its process; events of one call share it"},
};

const struct ws_attribute_info ws_composite_attributes[WS_CATTR_COUNT] = {
    [WS_CATTR_BEGIN] = {"begin", WS_TYPE_TIME, "the least t of its simple events"},
    [WS_CATTR_END] = {"end", WS_TYPE_TIME, "the greatest end of its simple events"},
};
