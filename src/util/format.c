#include "util/format.h"

#include <string.h>

const struct ws_format_info ws_formats[WS_FORMAT_COUNT] = {
    [WS_FORMAT_INT] = {"int", WS_TYPE_INTEGER, 4, 2, true, false, "int32_t"},
    [WS_FORMAT_UINT] = {"uint", WS_TYPE_INTEGER, 4, 2, false, false, "uint32_t"},
    [WS_FORMAT_LONG] = {"long", WS_TYPE_INTEGER, 8, 4, true, false, "int64_t"},
    [WS_FORMAT_BYTES] = {"bytes", WS_TYPE_INTEGER, 8, 3, false, false, "uint64_t"},
    [WS_FORMAT_REAL] = {"real", WS_TYPE_REAL, 8, 8, true, true, "double"},
    [WS_FORMAT_TIME] = {"time", WS_TYPE_TIME, 8, 8, true, false, "int64_t"},
    [WS_FORMAT_BOOL] = {"bool", WS_TYPE_BOOLEAN, 1, 1, false, false, "uint8_t"},
    [WS_FORMAT_STRING] = {"string", WS_TYPE_STRING, 0, 0, false, false, "const char *"},
    [WS_FORMAT_RANK] = {"rank", WS_TYPE_INTEGER, 4, 2, true, false, "int32_t"},
    [WS_FORMAT_COMM_RANK] = {"comm_rank", WS_TYPE_INTEGER, 4, 2, true, false, "int32_t"},
    [WS_FORMAT_COMM] = {"comm", WS_TYPE_INTEGER, 4, 1, false, false, "uint32_t"},
    [WS_FORMAT_WINDOW] = {"window", WS_TYPE_INTEGER, 4, 1, false, false, "uint32_t"},
    [WS_FORMAT_REQUEST] = {"request", WS_TYPE_INTEGER, 8, 4, false, false, "uint64_t"},
};

enum ws_format ws_format_find(const char *name)
{
    enum ws_format format = 0;

    while (format < WS_FORMAT_COUNT && strcmp(ws_formats[format].name, name) != 0)
        format++;
    return format;
}
